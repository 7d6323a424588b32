import type { SearchOutcome } from './knowledge-search.js';
import { failed } from './outcomes.js';

/** Milliseconds that a lookup may wait for a retriever that is down. */
export const MAX_WAIT_MS = 15 * 60_000;

/** How long each lookup has been waiting. The caller waits and asks again; this only counts. */
export interface LookupWaits {
  /**
   * The outcome as the caller must take it. A lookup that has met nothing but *down* for the limit has
   * failed (PL_RETRIEVAL_FAILED, retryable), and `retryAfterMs` never reaches beyond the limit.
   * `lookup` names the lookup, `now` is epoch milliseconds.
   */
  settle(lookup: string, outcome: SearchOutcome, now: number): SearchOutcome;
  /** Lookups that are waiting. */
  readonly waiting: number;
}

/** Waits are kept in memory: a restarted process counts from its start. */
export function createLookupWaits(maxWaitMs: number = MAX_WAIT_MS): LookupWaits {
  const since = new Map<string, number>();
  return {
    settle(lookup, outcome, now) {
      if (outcome.kind !== 'down') {
        since.delete(lookup);
        return outcome;
      }
      const started = since.get(lookup) ?? now;
      const left = started + maxWaitMs - now;
      if (left <= 0) {
        since.delete(lookup);
        return failed('PL_RETRIEVAL_FAILED', { problem: waitedTooLong(maxWaitMs, outcome.problem) });
      }
      since.set(lookup, started);
      return { ...outcome, retryAfterMs: atMost(outcome.retryAfterMs, left) };
    },
    get waiting() {
      return since.size;
    },
  };
}

function waitedTooLong(maxWaitMs: number, problem: string): string {
  return `it was down for ${Math.round(maxWaitMs / 1000)} s (${problem})`;
}

function atMost(value: number | null, limit: number): number | null {
  return value === null ? null : Math.min(value, limit);
}
