/**
 * Milliseconds that a Retry-After header asks for: seconds, or an HTTP date after `now` (epoch milliseconds).
 * Between 0 and `limit`; null when there is none or it is neither.
 */
export function retryAfterMs(header: string | null, now: number, limit: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : untilHttpDate(text, now);
  return ms === null ? null : Math.min(Math.max(ms, 0), limit);
}

/** `Date.parse` reads nearly anything; only what ends in GMT is an HTTP date. */
function untilHttpDate(text: string, now: number): number | null {
  const at = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at - now;
}
