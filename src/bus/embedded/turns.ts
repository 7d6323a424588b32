/** Lets one after the other work under a name, in the order in which they came. */
export interface Turns {
  /**
   * Runs `work` once all who came before under this name have ended; not at all when the signal aborts first.
   * Resolves when it has ended, or will not run.
   */
  take(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  return {
    take(name, signal, work) {
      let begun = false;
      const turn = (last.get(name) ?? Promise.resolve()).then(async () => {
        begun = true;
        if (!signal.aborted) await work();
      });
      last.set(name, turn);
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => {
          if (!begun) resolve();
        });
        turn.then(resolve, reject);
      });
    },
  };
}
