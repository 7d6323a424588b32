import { cutText } from '../text/text.js';
import type { Meter } from './token-meter.js';

/**
 * The longest prefix of the content, ending at a grapheme boundary, with which `head` and it fit; empty where not even
 * one grapheme does. A longer text may have fewer tokens (`unbeliev` has more than `unbelievable`), so that the last
 * prefix that fits is looked for behind the first that does not, up to where text is counted apart from what is before.
 */
export function cutToBudget(head: string, content: string, meter: Meter): string {
  const whole = head + content;
  const fits = (end: number): boolean => meter.fits(whole.slice(0, end));
  let end = head.length + lowerBound(content, (length) => fits(head.length + length));
  for (;;) {
    const seam = seamBehind(whole, end, meter);
    if (seam === null || !fits(seam)) return whole.slice(head.length, lastFitting(whole, end, seam, fits));
    end = seam;
  }
}

/** A length that fits, such that the next grapheme does not: by doubling, then by halving. */
function lowerBound(content: string, fits: (length: number) => boolean): number {
  let fitting = 0;
  let over = 64;
  while (over < content.length && fits(cutText(content, over).length)) {
    fitting = over;
    over *= 2;
  }
  over = Math.min(over, content.length);
  while (over - fitting > 1) {
    const middle = (fitting + over) >> 1;
    if (fits(cutText(content, middle).length)) fitting = middle;
    else over = middle;
  }
  return cutText(content, fitting).length;
}

/** How far a seam is looked for, farther than any word goes that is one; and how far is tried where there is none. */
const LOOK_AHEAD = 512;
const WITHOUT_SEAM = 64;

/** The first seam behind `end` that is near; null where there is none. */
function seamBehind(whole: string, end: number, meter: Meter): number | null {
  const last = Math.min(whole.length - 1, end + LOOK_AHEAD);
  for (let at = end + 1; at <= last; at++) if (meter.isSeam(whole, at)) return at;
  return null;
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** The last grapheme boundary from `end`, which is one and fits, to before the seam that fits. */
function lastFitting(
  whole: string,
  end: number,
  seam: number | null,
  fits: (end: number) => boolean,
): number {
  const window = whole.slice(end, seam ?? end + WITHOUT_SEAM);
  const boundaries = Array.from(graphemes.segment(window), ({ index }) => end + index);
  return boundaries.findLast((boundary) => boundary === end || fits(boundary)) ?? end;
}
