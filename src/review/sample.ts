import type { Sha256 } from '../text/text.js';

/** Hex digits of a digest that a number holds exactly. */
const DIGITS = 12;

/**
 * Whether a draft that would be published is shown to a person first. A digest of its verdict's event id decides, so
 * that a replay chooses the same ones.
 * @param rate share of the drafts, 0..1
 */
export function isSampled(verdictEventId: string, rate: number, sha256: Sha256): boolean {
  const digest = sha256(`proofline-sample-1\n${verdictEventId}`).slice(0, DIGITS);
  return Number.parseInt(digest, 16) < rate * 16 ** DIGITS;
}
