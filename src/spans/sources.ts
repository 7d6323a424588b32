import type { Marker } from './marker.js';

/** What markers can name: the sources of one context, by number. */
export interface Sources {
  /** Adds the numbers of the sources that it names; false where it names any that there is not, or too many. */
  resolve(marker: Marker, into: Set<number>): boolean;
}

/** Sources that one item of a marker names at most. A longer range is a mistake, and binds nothing. */
const LONGEST_RANGE = 100;

/** `S1`, `S2`, …: number n of a marker is `Sn`. Ids of another form are no marker's. */
export function sourcesOf(citationIds: readonly string[]): Sources {
  const numbers = new Set<number>();
  for (const id of citationIds) if (/^S[1-9]\d{0,3}$/.test(id)) numbers.add(Number(id.slice(1)));
  return {
    resolve({ named }, into) {
      let isKnown = true;
      for (const { from, to } of named) {
        if (from > to || to - from >= LONGEST_RANGE) isKnown = false;
        else
          for (let number = from; number <= to; number++) {
            if (numbers.has(number)) into.add(number);
            else isKnown = false;
          }
      }
      return isKnown;
    },
  };
}
