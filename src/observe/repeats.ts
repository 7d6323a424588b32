/** Lets the first few of what is alike through in each window of time, and counts the rest. */
export interface RepeatLimit {
  /** How many of its kind were left out since one was let through; null: this one is left out too. */
  admit(kind: string): number | null;
  /** What was left out and not told yet, by kind. */
  leftOut(): ReadonlyMap<string, number>;
}

export interface RepeatLimitOptions {
  /** How many of a kind are let through in a window. */
  readonly burst: number;
  readonly windowMs: number;
  /** Milliseconds, of any clock that only goes on. */
  readonly now: () => number;
}

interface Kind {
  windowFrom: number;
  admitted: number;
  leftOut: number;
}

/** Kinds that are told apart at a time; the one that was new longest ago is forgotten first. */
const MAX_KINDS = 1000;

export function createRepeatLimit({ burst, windowMs, now }: RepeatLimitOptions): RepeatLimit {
  const kinds = new Map<string, Kind>();

  function kindOf(name: string): Kind {
    const kind = kinds.get(name) ?? { windowFrom: now(), admitted: 0, leftOut: 0 };
    if (!kinds.has(name) && kinds.size >= MAX_KINDS) {
      const [oldest = ''] = kinds.keys();
      kinds.delete(oldest);
    }
    kinds.set(name, kind);
    return kind;
  }

  return {
    admit(name) {
      const kind = kindOf(name);
      if (now() - kind.windowFrom >= windowMs) Object.assign(kind, { windowFrom: now(), admitted: 0 });
      if (kind.admitted >= burst) {
        kind.leftOut += 1;
        return null;
      }
      kind.admitted += 1;
      const { leftOut } = kind;
      kind.leftOut = 0;
      return leftOut;
    },
    leftOut: () =>
      new Map([...kinds].flatMap(([name, { leftOut }]) => (leftOut > 0 ? [[name, leftOut]] : []))),
  };
}
