/** When a request is sent again. Every request of this API may be: ids make its effect happen once. */

export interface RetryPolicy {
  /** Times that a request is sent again, at most. Default 4. */
  readonly retries: number;
  /** The first pause, doubled each time; each is shortened by a random part of up to its half. Default 200 ms. */
  readonly firstPauseMs: number;
  /** The longest pause that is waited, also when the gateway asks for a longer one. Default 10 s. */
  readonly longestPauseMs: number;
}

export const retryDefaults: RetryPolicy = { retries: 4, firstPauseMs: 200, longestPauseMs: 10_000 };

/**
 * How long to wait before the request is sent again.
 * @param failed times that it failed, from 1
 * @param random from 0 to 1: many clients that failed together must not come back together
 * @returns milliseconds; null when it is given up: too often, or the gateway asks for more patience than there is
 */
export function pauseBefore(
  policy: RetryPolicy,
  failed: number,
  askedMs: number | null,
  random: number,
): number | null {
  if (failed > policy.retries) return null;
  if (askedMs !== null && askedMs > policy.longestPauseMs) return null;
  const pause = Math.min(policy.longestPauseMs, policy.firstPauseMs * 2 ** (failed - 1));
  return Math.max(askedMs ?? 0, pause * (1 - random / 2));
}

/**
 * `Retry-After`: seconds or an HTTP date.
 * @returns milliseconds from `now` (epoch milliseconds); null where it says nothing usable
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return 1000 * Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Resolves after `ms`. Rejects with the signal's reason when it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
