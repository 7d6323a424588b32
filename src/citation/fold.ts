import { folds } from './fold-table.js';

/** A text as quotes are compared, and where each of its UTF-16 units comes from. */
export interface FoldedText {
  readonly text: string;
  /** First UTF-16 unit in the original of what became the unit at `index`. */
  start(index: number): number;
  /** One past its last unit there. */
  end(index: number): number;
}

/**
 * Folds a text: NFC, then the table of folds, so that both sides of a comparison differ only where a reader sees it.
 * Units that come from one character of the original have its whole place.
 */
export function fold(text: string): FoldedText {
  if (!FOLDABLE.test(text)) return { text, start: (index) => index, end: (index) => index + 1 };
  const folding = new Folding(text);
  if (isComposed(text)) for (let i = 0; i < text.length; i++) folding.unit(i);
  else for (const { 0: cluster, index } of text.matchAll(CLUSTER)) folding.cluster(cluster, index);
  return folding.folded();
}

/** All but printable ASCII and single spaces. */
const FOLDABLE = /[^\x20-\x7e]| {2}/;

const DROPPED = Array.from(folds, ([codePoint, to]) =>
  to === '' ? `\\u{${codePoint.toString(16)}}` : '',
).join('');
const ALL_DROPPED = new RegExp(`[${DROPPED}]`, 'gu');
/** What folding makes composable: a mark behind a dropped character, on a full-width letter or on a ligature. */
const HIDDEN_MARK = new RegExp(`[${DROPPED}\\uff21-\\uff5a\\ufb00-\\ufb06]\\p{M}`, 'u');
/** What NFC composes: Hangul letters, and a character with its marks. The bound keeps matching linear. */
const CLUSTER = new RegExp(
  `(?:[\\u1100-\\u1112][\\u1161-\\u1175][\\u11a8-\\u11c2]?|[\\uac00-\\ud7a3][\\u11a8-\\u11c2]|\\P{M})` +
    `(?:[${DROPPED}]{0,8}\\p{M})*|\\p{M}+`,
  'gu',
);

function isComposed(text: string): boolean {
  return text.normalize('NFC') === text && !HIDDEN_MARK.test(text);
}

class Folding {
  readonly #from: string;
  #to = '';
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** Where the units begin that are taken over unchanged and not yet written. */
  #unwritten = 0;
  /** Where the last space was written: it takes in what follows it in its run. */
  #spaceAt = -2;

  constructor(from: string) {
    this.#from = from;
  }

  /** Folds the unit at `index`, which is a character of its own or half of one that no fold concerns. */
  unit(index: number): void {
    const code = this.#from.charCodeAt(index);
    const folded = code > 0x20 && code < 0x7f ? undefined : folds.get(code);
    if (folded === undefined) this.#place(index, index + 1);
    else this.#replace(folded, index, index + 1);
  }

  /** Folds a character with its marks, composed. No mark is ever folded. */
  cluster(cluster: string, index: number): void {
    if (cluster.length === 1 && cluster.normalize('NFC') === cluster) return this.unit(index);
    const composed = cluster.replace(ALL_DROPPED, '').normalize('NFC');
    const plain = folds.get(composed.charCodeAt(0));
    const folded = plain === undefined ? composed : (plain + composed.slice(1)).normalize('NFC');
    this.#replace(folded, index, index + cluster.length);
  }

  folded(): FoldedText {
    this.#write(this.#from.length);
    const [starts, ends] = [this.#starts, this.#ends];
    return {
      text: this.#to,
      start: (index) => starts[index] ?? this.#from.length,
      end: (index) => ends[index] ?? this.#from.length,
    };
  }

  #place(start: number, end: number): void {
    this.#starts.push(start);
    this.#ends.push(end);
  }

  #replace(folded: string, start: number, end: number): void {
    this.#write(start);
    this.#unwritten = end;
    if (folded === '') return this.#joined(start, end);
    if (folded === ' ' && this.#spaceAt === this.#ends.length - 1) {
      this.#ends[this.#spaceAt] = end;
      return;
    }
    this.#to += folded;
    for (let i = 0; i < folded.length; i++) this.#place(start, end);
    if (folded === ' ') this.#spaceAt = this.#ends.length - 1;
  }

  /** A dropped joiner belongs to the character before it: no place may end between the two. */
  #joined(start: number, end: number): void {
    const code = this.#from.charCodeAt(start);
    const last = this.#ends.length - 1;
    if ((code === 0x200c || code === 0x200d) && this.#ends[last] === start) this.#ends[last] = end;
  }

  #write(end: number): void {
    if (this.#unwritten < end) this.#to += this.#from.slice(this.#unwritten, end);
  }
}
