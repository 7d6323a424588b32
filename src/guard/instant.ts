/** Further from 1970 a Date has no text. */
const FURTHEST = 8.64e15;

/** Epoch milliseconds as RFC 3339 in UTC; beyond what a Date can hold, the number itself. */
export function instantText(epochMs: number): string {
  return Math.abs(epochMs) <= FURTHEST ? new Date(epochMs).toISOString() : String(epochMs);
}
