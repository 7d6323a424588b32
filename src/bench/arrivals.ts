import { ProoflineError } from '../contracts/errors.js';

/** Counts what comes out at the end, for whoever waits for it. */
export interface Sink {
  came(records: number): void;
  count(): number;
  /**
   * Resolves once so many have come in all. One at a time waits.
   * @throws ProoflineError PL_TIMEOUT where none has come for a while; the signal's reason once it is aborted
   */
  until(records: number, signal: AbortSignal): Promise<void>;
}

/** Nothing of what is passed on takes as long. */
const SILENCE_MS = 60_000;

export function createSink(silenceMs = SILENCE_MS): Sink {
  let [count, tell] = [0, (): void => undefined];
  return {
    came(records) {
      count += records;
      tell();
    },
    count: () => count,
    until(records, signal) {
      return new Promise((resolve, reject) => {
        const onAbort = (): void => end(() => reject(signal.reason as Error));
        const onSilence = (): void => end(() => reject(silence(silenceMs, count, records)));
        const timer = setTimeout(onSilence, silenceMs);
        const end = (settle: () => void): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          tell = () => undefined;
          settle();
        };
        tell = () => {
          timer.refresh();
          if (count >= records) end(resolve);
        };
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        tell();
      });
    },
  };
}

function silence(ms: number, came: number, wanted: number): ProoflineError {
  return new ProoflineError('PL_TIMEOUT', {
    seconds: ms / 1000,
    what: `${came} of ${wanted} records have come`,
  });
}
