import { setTimeout as pause } from 'node:timers/promises';
import { isProoflineError, type ProoflineError } from '../../contracts/errors.js';
import type { Observability } from '../../observe/observability.js';

/** What is down while the process starts, so that /readyz can say it. */
export interface Starting {
  missing: ProoflineError | null;
  since: number;
}

export interface Waiting {
  readonly observe: Pick<Observability, 'onIncident'>;
  readonly starting: Starting;
  readonly signal: AbortSignal;
}

const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5000;

/**
 * Does the work as soon as what it needs is there: a dependency that is down is waited for, what only a person can put
 * right is not. Null when it is stopped before.
 */
export async function whenPossible<T>(
  work: () => Promise<T>,
  { observe, starting, signal }: Waiting,
): Promise<{ readonly done: T } | null> {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      const done = await work();
      starting.missing = null;
      return { done };
    } catch (error) {
      if (!isProoflineError(error) || !error.retryable) throw error;
      if (starting.missing === null) starting.since = Date.now();
      starting.missing = error;
      observe.onIncident({ station: 'up', code: error.code, params: error.params, cause: error });
    }
    const ms = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** tries);
    await pause(ms, undefined, { signal }).catch(() => undefined);
  }
  return null;
}
