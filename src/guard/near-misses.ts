import { documentOf } from './coordinates.js';
import { isOneEditApart } from './edits.js';

/** How many pairs of ids may still be compared for one draft. Shared by all searches of it. */
export interface PairBudget {
  left: number;
}

/** Longer ids are not searched for slips: nobody types them. */
const LONGEST = 256;

/** Ids by their length, since one edit changes it by one at most. */
export class EditSearch {
  readonly #byLength = new Map<number, string[]>();
  readonly #budget: PairBudget;

  /** `ids` in the order in which they are preferred. */
  constructor(ids: Iterable<string>, budget: PairBudget) {
    this.#budget = budget;
    for (const id of ids) group(this.#byLength, id.length, id);
  }

  /** The ids that are one edit away; fewer, or none, once the budget is spent. */
  near(written: string): string[] {
    if (written.length > LONGEST) return [];
    const lengths = [written.length, written.length - 1, written.length + 1];
    return lengths.flatMap((length) => this.#nearOfLength(written, length));
  }

  #nearOfLength(written: string, length: number): string[] {
    const ids = this.#byLength.get(length) ?? [];
    const affordable = ids.slice(0, this.#budget.left);
    this.#budget.left -= affordable.length;
    return affordable.filter((id) => isOneEditApart(written, id));
  }
}

/** Finds the shown id that a written one was probably meant to be. */
export class NearMisses {
  readonly #byFolded = new Map<string, string[]>();
  readonly #byDocument = new Map<string, string[]>();
  readonly #edits: EditSearch;
  readonly #found = new Map<string, readonly string[]>();

  /** `shown` in the order in which they are preferred. */
  constructor(shown: readonly string[], budget: PairBudget) {
    for (const id of shown) {
      group(this.#byFolded, folded(id), id);
      const document = documentOf(id);
      if (document !== undefined) group(this.#byDocument, document, id);
    }
    this.#edits = new EditSearch(shown, budget);
  }

  /**
   * Shown ids that equal the written one once case, white space and dashes are folded; else those one edit
   * away; else the chunks of the document that it names without a chunk.
   */
  near(written: string): readonly string[] {
    let found = this.#found.get(written);
    if (found === undefined) {
      found = this.#byFolded.get(folded(written)) ?? [];
      if (found.length === 0) found = this.#edits.near(written);
      if (found.length === 0) found = this.#byDocument.get(written) ?? [];
      this.#found.set(written, found);
    }
    return found;
  }
}

/** Without white space and what is not seen, in lower case, every dash a hyphen. */
function folded(id: string): string {
  return id
    .toLowerCase()
    .replace(/[\s\p{Default_Ignorable_Code_Point}]+/gu, '')
    .replace(/[\p{Dash_Punctuation}\u2212]/gu, '-');
}

function group<K>(groups: Map<K, string[]>, key: K, id: string): void {
  const members = groups.get(key);
  if (members === undefined) groups.set(key, [id]);
  else members.push(id);
}
