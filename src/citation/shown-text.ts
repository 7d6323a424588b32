import { isQuoteBoundary } from './boundaries.js';
import { fold, type FoldedText } from './fold.js';
import { negationsIn } from './negations.js';
import { searchFor } from './search.js';

/** A stretch of a text in UTF-16 units, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Places in order: lists side by side, as there may be many. */
export interface Occurrences {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Where they start in the folded text. */
  readonly foldedStarts: readonly number[];
}

/** A text that quotes are looked for in; what that needs is worked out when it is first needed, and once. */
export interface ShownText {
  readonly text: string;
  /** Whether a quote may begin or end at this index. */
  isBoundary(at: number): boolean;
  folded(): FoldedText;
  /** In the folded text. */
  negations(): readonly Span[];
  /** Index in the folded text of the first unit that comes from `at` or later. */
  foldedIndex(at: number): number;
  /** Every place of a folded piece of text where a quote may stand, overlapping ones too; remembered. */
  occurrences(piece: string): Occurrences;
  /** The place in the text of a place in the folded text; null where nothing may begin or end there. */
  placeOf(start: number, end: number): Span | null;
}

/** 0: not looked at. */
const YES = 1;
const NO = 2;

export function shownText(text: string): ShownText {
  let known: FoldedText | undefined;
  let negations: readonly Span[] | undefined;
  let boundaries: Uint8Array | undefined;
  const isBoundary = (at: number): boolean => {
    boundaries ??= new Uint8Array(text.length + 1);
    return (boundaries[at] ||= isQuoteBoundary(text, at) ? YES : NO) === YES;
  };
  const folded = () => (known ??= fold(text));
  const occurrences = new Map<string, Occurrences>();
  const shown: ShownText = {
    text,
    isBoundary,
    folded,
    negations: () => (negations ??= negationsIn(folded())),
    foldedIndex: (at) => firstFrom(folded(), at),
    occurrences(piece) {
      const remembered = occurrences.get(piece) ?? findAll(piece, shown);
      occurrences.set(piece, remembered);
      return remembered;
    },
    placeOf(start, end) {
      const from = folded();
      // Half of what one character became is not the character.
      if (start > 0 && from.end(start - 1) > from.start(start)) return null;
      if (end < from.text.length && from.start(end) < from.end(end - 1)) return null;
      const place = { start: from.start(start), end: from.end(end - 1) };
      return isBoundary(place.start) && isBoundary(place.end) ? place : null;
    },
  };
  return shown;
}

function findAll(piece: string, shown: ShownText): Occurrences {
  const found = { starts: [] as number[], ends: [] as number[], foldedStarts: [] as number[] };
  const next = searchFor(piece, shown.folded().text);
  for (let at = next(0); at >= 0; at = next(at + 1)) {
    const place = shown.placeOf(at, at + piece.length);
    if (place === null) continue;
    found.starts.push(place.start);
    found.ends.push(place.end);
    found.foldedStarts.push(at);
  }
  return found;
}

function firstFrom(folded: FoldedText, at: number): number {
  let [low, high] = [0, folded.text.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (folded.start(middle) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
