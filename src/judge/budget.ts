/** How much may be asked in any hour. */
export interface BudgetLimits {
  readonly callsPerHour: number;
  readonly tokensPerHour: number;
}

/** What one call took: an estimate until it is settled. */
export interface Spending {
  /** What the call took in the end; null leaves the estimate. */
  settle(tokens: number | null): void;
}

/**
 * Calls and tokens of the last hour, kept by this process alone: another one has a budget of its own, and a new one
 * begins with an empty hour.
 */
export interface Budget {
  /** Takes one call of about that many tokens; or null, when it would go beyond the hour's. */
  take(tokens: number): Spending | null;
}

const HOUR_MS = 3_600_000;
/** Calls are added up in slots of this length, so that what is kept does not grow with them. */
const SLOT_MS = 60_000;

interface Slot {
  readonly from: number;
  calls: number;
  tokens: number;
}

/** @param now epoch milliseconds */
export function createBudget({ callsPerHour, tokensPerHour }: BudgetLimits, now: () => number): Budget {
  const slots: Slot[] = [];

  function slotAt(at: number): Slot {
    while (slots[0] !== undefined && slots[0].from + SLOT_MS <= at - HOUR_MS) slots.shift();
    const last = slots.at(-1);
    // A clock that was set back goes on in the slot at hand.
    if (last !== undefined && at < last.from + SLOT_MS) return last;
    const slot = { from: at, calls: 0, tokens: 0 };
    slots.push(slot);
    return slot;
  }

  return {
    take(tokens) {
      const slot = slotAt(now());
      const calls = slots.reduce((sum, each) => sum + each.calls, 0);
      const spent = slots.reduce((sum, each) => sum + each.tokens, 0);
      if (calls >= callsPerHour || spent + tokens > tokensPerHour) return null;
      slot.calls += 1;
      slot.tokens += tokens;
      return {
        settle(real) {
          if (real !== null) slot.tokens += real - tokens;
        },
      };
    },
  };
}
