import type { PreparedQuote } from './prepared-quote.js';
import type { ShownText, Span } from './shown-text.js';

/** The stretch of a text that is most like a quote that is not in it: a hint, never a pass. */

export interface Nearest extends Span {
  /** Share of the quote's pieces that stand there, 0 to 1. */
  readonly likeness: number;
}

/** Units of a text and of a quote that are compared, and of a piece. */
const MOST_SHOWN = 8192;
const MOST_QUOTED = 512;
const PIECE = 3;
/** How much longer the stretch may be than the quote: what was left out of it may stand there. */
const ROOM = 1.25;
/** Below this likeness a hint would only mislead. */
const LEAST = 0.4;
/** How far an end moves out to the edge of its word. */
const TO_EDGE = 24;

export function nearestTo({ folded: quoted }: PreparedQuote, shown: ShownText): Nearest | null {
  const pieces = piecesOf(quoted.slice(0, MOST_QUOTED));
  const asked = Math.min(quoted.length, MOST_QUOTED) - PIECE + 1;
  if (asked < 1) return null;
  const window = Math.ceil(asked * ROOM);
  const folded = shown.folded();
  const hits = hitsIn(folded.text.slice(0, MOST_SHOWN), pieces);
  const { from, count } = fullestWindow(hits, window);
  const likeness = Math.min(1, count / asked);
  if (likeness < LEAST) return null;
  const inside = [hits.indexOf(true, from), hits.lastIndexOf(true, from + window - 1)] as const;
  return { ...trimmed(shown, folded.start(inside[0]), folded.end(inside[1] + PIECE - 1)), likeness };
}

/** Out to the edges of words, without white space. */
function trimmed(shown: ShownText, from: number, to: number): Span {
  const words = shown.text.slice(outward(shown, from, -1), outward(shown, to, 1));
  const start = outward(shown, from, -1) + words.length - words.trimStart().length;
  return { start, end: start + words.trim().length };
}

function piecesOf(text: string): ReadonlySet<string> {
  const pieces = new Set<string>();
  for (let i = 0; i + PIECE <= text.length; i++) pieces.add(text.slice(i, i + PIECE));
  return pieces;
}

function hitsIn(text: string, pieces: ReadonlySet<string>): readonly boolean[] {
  const count = Math.max(0, text.length - PIECE + 1);
  return Array.from({ length: count }, (_, i) => pieces.has(text.slice(i, i + PIECE)));
}

/** The first stretch of so many pieces with the most hits. */
function fullestWindow(hits: readonly boolean[], window: number): { from: number; count: number } {
  let best = { from: 0, count: 0 };
  let count = 0;
  for (const [i, hit] of hits.entries()) {
    if (hit) count += 1;
    if (hits[i - window] === true) count -= 1;
    if (count > best.count) best = { from: Math.max(0, i - window + 1), count };
  }
  return best;
}

function outward(shown: ShownText, from: number, step: 1 | -1): number {
  for (let at = from, moved = 0; moved <= TO_EDGE && at >= 0 && at <= shown.text.length; at += step, moved++)
    if (shown.isBoundary(at)) return at;
  return from;
}
