/** Who waits in this process for a partition's position to pass an offset. */
export interface PositionWaiters {
  /** The partition has been applied up to this position. */
  moved(partition: number, position: number): void;
  /**
   * Waits until it has `moved` past the offset. `position` is asked first, and again whenever `pauseMs`, if there is
   * one, has passed since the last answer: for what moves in other processes. False after `timeoutMs`.
   */
  past(wait: PositionWait): Promise<boolean>;
}

export interface PositionWait {
  readonly partition: number;
  readonly offset: number;
  readonly timeoutMs: number;
  readonly position: () => Promise<number | null>;
  /** The pause after so many answers. */
  readonly pauseMs?: (answers: number) => number;
}

export function createPositionWaiters(): PositionWaiters {
  const waiting = new Map<number, Set<(position: number) => void>>();

  return {
    moved(partition, position) {
      for (const tell of waiting.get(partition) ?? []) tell(position);
    },
    async past({ partition, offset, timeoutMs, position, pauseMs }) {
      const deadline = performance.now() + timeoutMs;
      const set = waiting.get(partition) ?? new Set();
      waiting.set(partition, set);
      const bell = createBell();
      let reached = -1;
      const tell = (moved: number): void => {
        reached = Math.max(reached, moved);
        if (reached > offset) bell.ring();
      };
      // Waiting comes before looking: it may move in between.
      set.add(tell);
      try {
        for (let answers = 1; ; answers++) {
          tell((await position()) ?? -1);
          const left = deadline - performance.now();
          if (reached > offset || left <= 0) return reached > offset;
          await bell.heard(Math.min(left, pauseMs?.(answers) ?? left));
          if (reached > offset) return true;
        }
      } finally {
        set.delete(tell);
      }
    },
  };
}

/** Rung once, for good. */
function createBell(): { ring(): void; heard(ms: number): Promise<void> } {
  let ring: () => void = () => undefined;
  const rung = new Promise<void>((resolve) => (ring = resolve));
  return {
    ring: () => ring(),
    async heard(ms) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
      await Promise.race([rung, late]);
      clearTimeout(timer);
    },
  };
}
