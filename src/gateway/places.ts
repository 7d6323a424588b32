import { ProoflineError } from '../contracts/errors.js';

/** Bounded places for what takes its time: so many in all, and so many of one caller. */
export interface Places {
  /**
   * Takes a place until the function that it answers with is called, which may be called more than once.
   * @throws ProoflineError PL_TOO_MANY_WAITING for the caller's own fault, PL_OVERLOADED where all are taken
   */
  take(caller: string): () => void;
  readonly taken: number;
}

/** @param onChange told how many are taken, each time */
export function createPlaces(
  what: string,
  all: number,
  each: number,
  onChange: (taken: number) => void = () => undefined,
): Places {
  const callers = new Map<string, number>();
  let taken = 0;

  function leave(caller: string): void {
    onChange(--taken);
    const left = (callers.get(caller) ?? 1) - 1;
    if (left === 0) callers.delete(caller);
    else callers.set(caller, left);
  }

  return {
    get taken() {
      return taken;
    },
    take(caller) {
      const own = callers.get(caller) ?? 0;
      if (own >= each) throw new ProoflineError('PL_TOO_MANY_WAITING', { limit: each });
      if (taken >= all) throw new ProoflineError('PL_OVERLOADED', { what: `${all} ${what}` });
      onChange(++taken);
      callers.set(caller, own + 1);
      let held = true;
      return () => {
        if (held) leave(caller);
        held = false;
      };
    },
  };
}
