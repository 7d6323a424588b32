import type { Waiting } from './agent-line.js';

/** How a call ended: with its answer, without one in time, or because too many waited before it. */
export type CallEnd<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'late'; readonly begun: boolean }
  | { readonly kind: 'busy' };

/** Lets a bounded number of calls work at once, and a bounded number wait for that. */
export interface BoundedCalls {
  /**
   * Runs the work when it is its turn. The caller waits no longer than `waiting` says, its turn included; what works by
   * then goes on, and keeps its place until it ends. Rejects as the work does, and with the signal's reason.
   */
  run<T>(work: (waiting: Waiting) => Promise<T>, waiting: Waiting): Promise<CallEnd<T>>;
  /** Resolves when nobody waits for an answer any more. */
  idle(): Promise<void>;
}

export function boundedCalls(limits: { readonly atOnce: number; readonly queued: number }): BoundedCalls {
  const queue: (() => void)[] = [];
  const whenIdle: (() => void)[] = [];
  let working = 0;
  let callers = 0;

  /** A place that is given up goes to who waits longest. */
  function release(): void {
    const next = queue.shift();
    if (next === undefined) working--;
    else next();
  }

  /** Resolves with true once the caller has a place. */
  async function takePlace(waiting: Waiting): Promise<boolean> {
    if (working < limits.atOnce) {
      working++;
      return true;
    }
    let enter: () => void = () => undefined;
    const entered = new Promise<true>((resolve) => (enter = () => resolve(true)));
    queue.push(enter);
    try {
      if ((await inTime(entered, waiting)) !== LATE) return true;
    } catch (error) {
      leave(enter);
      throw error;
    }
    leave(enter);
    return false;
  }

  function leave(enter: () => void): void {
    const at = queue.indexOf(enter);
    // Not in the queue: the place was given in the same moment.
    if (at < 0) release();
    else queue.splice(at, 1);
  }

  async function call<T>(
    work: (waiting: Waiting) => Promise<T>,
    { ms, signal }: Waiting,
  ): Promise<CallEnd<T>> {
    const end = performance.now() + ms;
    const left = (): Waiting => ({ ms: Math.max(0, end - performance.now()), signal });
    if (working >= limits.atOnce && queue.length >= limits.queued) return { kind: 'busy' };
    if (!(await takePlace(left()))) return { kind: 'late', begun: false };
    const done = work(left());
    done.then(release, release);
    const value = await inTime(done, left());
    return value === LATE ? { kind: 'late', begun: true } : { kind: 'done', value };
  }

  return {
    async run(work, waiting) {
      callers++;
      try {
        return await call(work, waiting);
      } finally {
        callers--;
        if (callers === 0) for (const resolve of whenIdle.splice(0)) resolve();
      }
    },
    idle: () => (callers === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  };
}

const LATE = Symbol('late');

/** What is promised, or LATE. Rejects with the signal's reason as soon as it is aborted. */
function inTime<T>(promised: Promise<T>, { ms, signal }: Waiting): Promise<T | typeof LATE> {
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  return new Promise<T | typeof LATE>((resolve, reject) => {
    const onAbort = (): void => end(() => reject(signal.reason as Error));
    const timer = setTimeout(() => end(() => resolve(LATE)), ms);
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    promised.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(asError(error))),
    );
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
