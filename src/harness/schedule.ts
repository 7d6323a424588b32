/** What is due at some time, by name. Looking costs nothing while nothing is. */
export interface Schedule {
  /** Replaces what the name was due at; null takes it out. */
  set(name: string, at: number | null): void;
  has(name: string): boolean;
  /** Up to `limit` names that are due at `now`. They stay until they are set to something else. */
  due(now: number, limit: number): readonly string[];
}

export function createSchedule(): Schedule {
  const times = new Map<string, number>();
  /** Nothing is due before. */
  let earliest = Infinity;
  return {
    set(name, at) {
      if (at === null) return void times.delete(name);
      times.set(name, at);
      earliest = Math.min(earliest, at);
    },
    has: (name) => times.has(name),
    due(now, limit) {
      if (now < earliest) return [];
      const due = [...times].filter(([, at]) => at <= now).map(([name]) => name);
      if (due.length === 0) earliest = [...times.values()].reduce((a, b) => Math.min(a, b), Infinity);
      return due.slice(0, limit);
    },
  };
}
