import { isProoflineError } from '../contracts/errors.js';

/**
 * Answers come from the topics that are followed; those that came before anybody waited, or while the bus could not be
 * followed, are in the audit store. It is asked in turn for all who wait, no more often than it bears.
 */
export interface Looking {
  /**
   * What the topics bring, or what `look` finds, whichever is first. Rejects as `live` does. A store that is down is
   * asked again later.
   */
  liveOrKept<L, K>(live: Promise<L>, look: () => Promise<K | null>): Promise<L | K>;
}

/** How often the store is asked for one who waits, and at most for all together. */
const EACH_MS = 200;
const PER_SECOND = 200;

interface Watch {
  readonly look: () => Promise<void>;
  due: number;
}

export function createLooking({ eachMs = EACH_MS, perSecond = PER_SECOND } = {}): Looking {
  const watches = new Set<Watch>();
  const pauseMs = 1000 / perSecond;
  let timer: NodeJS.Timeout | null = null;

  function plan(): void {
    const [first] = watches;
    if (timer !== null || first === undefined) return;
    timer = setTimeout(() => void next(), Math.max(pauseMs, first.due - performance.now()));
  }

  /** Who was looked for last comes last again. */
  async function next(): Promise<void> {
    const [first] = watches;
    if (first !== undefined && first.due <= performance.now()) {
      watches.delete(first);
      first.due = performance.now() + eachMs;
      watches.add(first);
      await first.look();
    }
    timer = null;
    plan();
  }

  return {
    async liveOrKept<L, K>(live: Promise<L>, look: () => Promise<K | null>): Promise<L | K> {
      let watch: Watch | undefined;
      const kept = new Promise<K>((resolve, reject) => {
        watch = {
          due: performance.now() + eachMs,
          look: () =>
            look().then(
              (found) => {
                if (found !== null) resolve(found);
              },
              (error: unknown) => {
                if (!isRetryable(error)) reject(error instanceof Error ? error : new Error(String(error)));
              },
            ),
        };
        watches.add(watch);
      });
      plan();
      try {
        return await Promise.race([live, kept]);
      } finally {
        if (watch !== undefined) watches.delete(watch);
      }
    },
  };
}

function isRetryable(error: unknown): boolean {
  return isProoflineError(error) && error.retryable;
}
