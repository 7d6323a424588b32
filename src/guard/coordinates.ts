/** `#chunk-<digits>` as it stands in a text: a reader takes it for the coordinate of evidence. */
export interface Mention {
  readonly text: string;
  /** `#chunk-9`: all digits taken. */
  readonly coordinate: string;
  /** Place of the coordinate in the text, UTF-16, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** The coordinate with the plain characters of an id before it: `fake#chunk-9`. */
  readonly written: string;
}

const COORDINATE = /#chunk-[0-9]+/g;

/** The coordinates in a text, in order. */
export function mentionsIn(text: string): Mention[] {
  // Most texts name none.
  if (!text.includes('#chunk-')) return [];
  return Array.from(text.matchAll(COORDINATE), ({ 0: coordinate, index: start }) => {
    const end = start + coordinate.length;
    return { text, coordinate, start, end, written: text.slice(startOfWritten(text, start), end) };
  });
}

/** Stops at the `#` of the mention before, so that all mentions of a text together cost one pass. */
function startOfWritten(text: string, start: number): number {
  let first = start;
  while (first > 0 && isIdCharacter(text.charCodeAt(first - 1))) first -= 1;
  return first;
}

const ID_CHARACTERS = new Set(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-', (c) => c.charCodeAt(0)),
);

/** One that a shown id must not follow, else the text names a longer, other id. */
function isIdCharacter(unit: number): boolean {
  return ID_CHARACTERS.has(unit);
}

/** An id that ends in a coordinate: the rest is its document. */
const CHUNK_OF_DOCUMENT = /#chunk-[0-9]+$/;

/** The document of a chunk's id; undefined when the id names no chunk. */
export function documentOf(id: string): string | undefined {
  const found = CHUNK_OF_DOCUMENT.exec(id);
  return found === null ? undefined : id.slice(0, found.index);
}

const PLAIN_ID = /^[A-Za-z0-9_./-]*#chunk-[0-9]+$/;

/** Ids of evidence with what is known of each; answers for an id, and for one that is written in a text. */
export class IdIndex<T> {
  readonly #known = new Map<string, T>();
  /** Ids with other than plain characters, by their coordinate. Built when a text first asks. */
  #unusual: Map<string, string[]> | undefined;

  /** What is known of an id first counts. */
  add(id: string, known: T): void {
    if (this.#known.has(id)) return;
    this.#known.set(id, known);
    this.#unusual = undefined;
  }

  ids(): Iterable<string> {
    return this.#known.keys();
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  get(id: string): T | undefined {
    return this.#known.get(id);
  }

  /**
   * What is known of an id that ends where the mention ends and does not follow an id's character. One of
   * plain characters is all that is written there, so it is looked up; only the others are compared.
   */
  at(mention: Mention): T | undefined {
    const plain = this.#known.get(mention.written);
    if (plain !== undefined) return plain;
    this.#unusual ??= unusualByCoordinate(this.#known.keys());
    const found = this.#unusual.get(mention.coordinate)?.find((id) => endsAt(id, mention));
    return found === undefined ? undefined : this.#known.get(found);
  }
}

function unusualByCoordinate(ids: Iterable<string>): Map<string, string[]> {
  const unusual = new Map<string, string[]>();
  for (const id of ids) {
    if (PLAIN_ID.test(id)) continue;
    const coordinate = CHUNK_OF_DOCUMENT.exec(id)?.[0];
    if (coordinate === undefined) continue;
    const others = unusual.get(coordinate);
    if (others === undefined) unusual.set(coordinate, [id]);
    else others.push(id);
  }
  return unusual;
}

function endsAt(id: string, { text, end }: Mention): boolean {
  const start = end - id.length;
  return (
    start >= 0 && text.startsWith(id, start) && (start === 0 || !isIdCharacter(text.charCodeAt(start - 1)))
  );
}
