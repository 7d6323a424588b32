import type { Judge } from './judge.js';

/** Asks at most `concurrency` questions at a time, first come first served, whoever asks. */
export function limitedJudge(judge: Judge, concurrency: number): Judge {
  const waiting = new Set<() => void>();
  let free = concurrency;

  function enter(signal: AbortSignal | undefined): Promise<void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        waiting.delete(goOn);
        // The reason is the caller's own, whatever it is.
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        reject(signal?.reason);
      };
      const goOn = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      waiting.add(goOn);
    });
  }

  /** The place is handed on, so that nobody overtakes who waits. */
  function leave(): void {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    ...judge,
    async judge(question, options) {
      options?.signal?.throwIfAborted();
      await enter(options?.signal);
      try {
        return await judge.judge(question, options);
      } finally {
        leave();
      }
    },
  };
}
