import type { TopicName } from '../../contracts/topics.js';

/** Wakes who waits for a partition of a topic, after the commit that appended to it. */
export interface Wakeups {
  /** Calls `wake` after each append to the partition; answers with how to stop that. */
  on(topic: TopicName, partition: number, wake: () => void): () => void;
  wake(topic: TopicName, partition: number): void;
}

export function createWakeups(): Wakeups {
  const sleepers = new Map<string, Set<() => void>>();
  return {
    on(topic, partition, wake) {
      const name = `${topic}/${partition}`;
      const set = sleepers.get(name) ?? new Set();
      sleepers.set(name, set.add(wake));
      return () => void set.delete(wake);
    },
    wake(topic, partition) {
      for (const wake of sleepers.get(`${topic}/${partition}`) ?? []) wake();
    },
  };
}

/** A flag that one worker waits for and that stays up until it has looked. */
export interface Bell {
  readonly ring: () => void;
  /** Resolves when the bell was rung since the last call, when `ms` are over, or when the signal aborts. */
  heard(ms: number, signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let rung = false;
  let answer: (() => void) | null = null;
  return {
    ring() {
      rung = true;
      answer?.();
    },
    async heard(ms, signal) {
      if (!rung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = (): void => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            answer = null;
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal.addEventListener('abort', done);
          answer = done;
        });
      }
      rung = false;
    },
  };
}
