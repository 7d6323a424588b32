/** What is to be closed, one after the other: what was opened last comes first. */
export interface Closing {
  first(close: () => Promise<unknown>): void;
  last(close: () => Promise<unknown>): void;
  /** Idempotent. */
  run(): Promise<void>;
}

export function createClosing(): Closing {
  const steps: (() => Promise<unknown>)[] = [];
  let running: Promise<void> | null = null;
  async function runAll(): Promise<void> {
    for (const close of steps) await close();
  }
  return {
    first: (close) => void steps.unshift(close),
    last: (close) => void steps.push(close),
    run: () => (running ??= runAll()),
  };
}
