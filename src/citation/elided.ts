import type { Occurrences, ShownText, Span } from './shown-text.js';
import type { QuoteContext } from './surroundings.js';

/** Most units of the shown text that an ellipsis may leave out. */
const LONGEST_GAP = 300;
/** Fragments times units of the text, and their places in all: beyond it they are not looked for. No excerpt comes near. */
const MOST_WORK = 1 << 24;
const MOST_PLACES = 1 << 19;

/** The placements of the fragments so far, by where they end. Lists side by side: there may be many. */
interface Reached {
  /** The earliest start that leads there. */
  readonly starts: number[];
  readonly ends: number[];
  /** The ends in the folded text. */
  readonly foldedEnds: number[];
}

export interface Elision {
  readonly fragments: readonly string[];
  readonly context: QuoteContext;
  /** Negations, in the folded text and in order, that may not be left out. */
  readonly negations: readonly Span[];
}

/**
 * Where the fragments stand in order: of all placements the earliest start, then the earliest end; null where there is
 * none. Every placement that an earlier fragment can have is kept, so that a first one that leads nowhere hides none.
 * @param from First unit of the folded text that counts.
 */
export function placeFragments(elision: Elision, shown: ShownText, from = 0): Span | null {
  const { fragments, context } = elision;
  const [first, ...rest] = fragments;
  const { text } = shown.folded();
  const length = fragments.reduce((sum, each) => sum + each.length, 0);
  const isTooMuch = length > text.length - from || fragments.length * text.length > MOST_WORK;
  if (first === undefined || isTooMuch || !context.isPossible) return null;
  if (!areWorthTrying(fragments, shown)) return null;
  const begins = shown.occurrences(first);
  const window = length + LONGEST_GAP * rest.length;
  // A stretch of first places at a time: the earliest that leads to the end is all that is asked for.
  let i = firstAt(begins, from);
  while (i < begins.starts.length) {
    const until = firstAt(begins, (begins.foldedStarts[i] ?? 0) + window);
    const found = placeFrom(elision, shown, { begins, i, until });
    if (found !== null) return found;
    i = until;
  }
  return null;
}

/** Every fragment stands somewhere, and not in so many places that trying them would take long. */
function areWorthTrying(fragments: readonly string[], shown: ShownText): boolean {
  let left = MOST_PLACES;
  return fragments.every((each) => {
    const { length } = shown.occurrences(each).starts;
    left -= length;
    return length > 0 && left >= 0;
  });
}

interface Stretch {
  readonly begins: Occurrences;
  readonly i: number;
  readonly until: number;
}

function placeFrom(
  { fragments, context, negations }: Elision,
  shown: ShownText,
  stretch: Stretch,
): Span | null {
  const [first = '', ...rest] = fragments;
  let reached = begun(stretch, first.length, context.precedes);
  for (const fragment of rest)
    reached = following(shown.occurrences(fragment), fragment.length, reached, negations);
  const end = reached.foldedEnds.findIndex(context.follows);
  return end < 0 ? null : { start: reached.starts[end] ?? 0, end: reached.ends[end] ?? 0 };
}

function begun(
  { begins, i: first, until }: Stretch,
  length: number,
  precedes: (foldedStart: number) => boolean,
): Reached {
  const reached: Reached = { starts: [], ends: [], foldedEnds: [] };
  for (let i = first; i < until; i++) {
    const foldedStart = begins.foldedStarts[i] ?? 0;
    if (precedes(foldedStart)) add(reached, begins.starts[i] ?? 0, begins.ends[i] ?? 0, foldedStart + length);
  }
  return reached;
}

function add({ starts, ends, foldedEnds }: Reached, start: number, end: number, foldedEnd: number): void {
  starts.push(start);
  ends.push(end);
  foldedEnds.push(foldedEnd);
}

/**
 * The places that follow one that was reached, each with the earliest start. The nearest one before it leaves out
 * least, so it decides whether there is any; the farthest that still holds has the earliest start, because two
 * placements that cross can change over. All pointers only move on.
 */
function following(
  places: Occurrences,
  length: number,
  reached: Reached,
  negations: readonly Span[],
): Reached {
  const found: Reached = { starts: [], ends: [], foldedEnds: [] };
  const last = (reached.ends.at(-1) ?? -Infinity) + LONGEST_GAP;
  let [farthest, nearest, negation] = [0, -1, -1];
  for (let i = firstAt(places, reached.foldedEnds[0] ?? 0); i < places.starts.length; i++) {
    const start = places.starts[i] ?? 0;
    if (start > last) break;
    const foldedStart = places.foldedStarts[i] ?? 0;
    while ((reached.foldedEnds[nearest + 1] ?? Infinity) <= foldedStart) nearest += 1;
    while ((negations[negation + 1]?.end ?? Infinity) <= foldedStart) negation += 1;
    const leftOut = negations[negation]?.start ?? -1;
    while (farthest <= nearest && !mayPrecede(reached, farthest, start - LONGEST_GAP, leftOut)) farthest += 1;
    if (farthest <= nearest)
      add(found, reached.starts[farthest] ?? 0, places.ends[i] ?? 0, foldedStart + length);
  }
  return found;
}

function mayPrecede({ ends, foldedEnds }: Reached, i: number, from: number, leftOut: number): boolean {
  return (ends[i] ?? 0) >= from && (foldedEnds[i] ?? 0) > leftOut;
}

/** Index of the first place from a unit of the folded text on. */
function firstAt({ foldedStarts }: Occurrences, from: number): number {
  let [low, high] = [0, foldedStarts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((foldedStarts[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
