import { cutText, isGraphemeBoundary } from '../text/text.js';
import type { Span } from './shown-text.js';

/** Quoted words where they stand, with a little of what is around them. */
export interface WordsInPlace {
  readonly before: string;
  readonly words: string;
  readonly after: string;
  /** Whether the excerpt goes on beyond them. */
  readonly moreBefore: boolean;
  readonly moreAfter: boolean;
}

/** @param around UTF-16 units that are shown on each side at most. */
export function inPlace(excerpt: string, { start, end }: Span, around = 40): WordsInPlace {
  let from = Math.max(0, start - around);
  while (from < start && !isGraphemeBoundary(excerpt, from)) from += 1;
  const after = cutText(excerpt.slice(end), around);
  return {
    before: excerpt.slice(from, start),
    words: excerpt.slice(start, end),
    after,
    moreBefore: from > 0,
    moreAfter: end + after.length < excerpt.length,
  };
}
