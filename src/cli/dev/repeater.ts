/** Does a piece of work again when asked, one at a time: what is asked for meanwhile is done once more, after it. */
export interface Repeater {
  request(): void;
  /** Resolves when nothing is under way any more; nothing is begun from now on. */
  stop(): Promise<void>;
}

/** @param work MUST NOT reject */
export function createRepeater(work: () => Promise<void>): Repeater {
  let running: Promise<void> | null = null;
  let asked = false;
  let stopped = false;

  async function run(): Promise<void> {
    while (asked && !stopped) {
      asked = false;
      await work();
    }
    running = null;
  }

  return {
    request() {
      asked = true;
      running ??= run();
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}
