import type { Vocabulary } from '../tokenizer/vocabulary.js';
import { createHeap } from './number-heap.js';

/** Positions in a piece; ranks stand above them in one number. */
const POSITIONS = 2 ** 24;
const NONE = -1;

/**
 * How many tokens byte-pair encoding makes of a piece: of all neighbours that form a token, those of the lowest rank
 * are merged, the leftmost first, until no two do. Neighbours wait in a heap, so that n bytes take n log n steps.
 * `bytes` is a string of one character a byte, of fewer than 2^24.
 */
export function countMerged(bytes: string, vocabulary: Vocabulary): number {
  const size = bytes.length;
  /** Of the part that begins at a byte: where the next one and the one before begin, and the rank of both together. */
  const next = new Int32Array(size).map((_, i) => i + 1);
  const before = new Int32Array(size).map((_, i) => i - 1);
  const rank = new Int32Array(size).fill(NONE);
  const waiting = createHeap();

  function look(at: number): void {
    const second = next[at] ?? size;
    const end = second < size ? (next[second] ?? size) : NONE;
    const found = end === NONE ? NONE : vocabulary.rankOf(bytes, at, end);
    rank[at] = found;
    if (found !== NONE) waiting.push(found * POSITIONS + at);
  }

  for (let at = 0; at < size - 1; at++) look(at);
  let parts = size;
  for (let lowest = waiting.pop(); lowest !== undefined; lowest = waiting.pop()) {
    const at = lowest % POSITIONS;
    // Its neighbours were merged since.
    if (rank[at] !== Math.floor(lowest / POSITIONS)) continue;
    const second = next[at] ?? size;
    const third = next[second] ?? size;
    next[at] = third;
    if (third < size) before[third] = at;
    rank[second] = NONE;
    parts -= 1;
    look(at);
    const previous = before[at] ?? NONE;
    if (previous !== NONE) look(previous);
  }
  return parts;
}
