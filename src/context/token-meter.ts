import type { TokenBudget } from './token-budget.js';

/** Measures a text that grows at its end. */
export interface Meter {
  /** Whether the text fits; one that does not is not taken. It begins with the last one that was taken. */
  take(text: string): boolean;
  /** Whether the text would fit. It begins with the last one that was taken. */
  fits(text: string): boolean;
  isSeam(text: string, index: number): boolean;
  /** In tokens. */
  readonly budget: number;
}

/** How far back a seam is looked for: most text has one at the last word, and an excerpt of white space at its start. */
const LOOK_BACK = 4096;

/** Counts what lies before a seam once, so that a text of many parts costs no more than one of a few. */
export function createMeter({ tokens: budget, counter }: TokenBudget): Meter {
  /** What was counted for good: so many characters of the text, ending at a seam, and their tokens. */
  let settled = { chars: 0, tokens: 0 };

  function countRest(text: string): number | null {
    return counter.countWithin(text.slice(settled.chars), budget - settled.tokens);
  }

  function settle(text: string): void {
    const first = Math.max(settled.chars + 1, text.length - LOOK_BACK);
    for (let at = text.length - 1; at >= first; at--) {
      if (!counter.isSeam(text, at)) continue;
      const tokens = settled.tokens + counter.count(text.slice(settled.chars, at));
      settled = { chars: at, tokens };
      return;
    }
  }

  return {
    budget,
    isSeam: (text, index) => counter.isSeam(text, index),
    fits: (text) => countRest(text) !== null,
    take(text) {
      if (countRest(text) === null) return false;
      settle(text);
      return true;
    },
  };
}
