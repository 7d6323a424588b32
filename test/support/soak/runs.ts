import { lookupRequested } from '../../../producers/lookups.js';
import type { LookupRequested } from '../../../src/contracts/generated.js';
import { planOf, type PlannedRun } from '../line-kill-plan.js';

/** A run of the plan, with what is asked again once it is answered, and what nothing is found for. */
export interface SoakRun extends PlannedRun {
  /** Asked after the others are answered: the same again, or another question under a used id. */
  readonly again: readonly LookupRequested[];
}

const SAME_AGAIN_EVERY = 3;
const OTHER_AGAIN_EVERY = 5;
const NOTHING_EVERY = 4;

/** @param now when it all happens, epoch milliseconds */
export function soakRuns(runs: number, now: number): SoakRun[] {
  return planOf(runs, now).map((run, i) => {
    const { runId, lookups } = run;
    const ask = (toolCallId: string, query: string): LookupRequested =>
      lookupRequested({ runId, toolCallId, query }, now);
    return {
      ...run,
      lookups: i % NOTHING_EVERY === 0 ? [...lookups, ask('call-4', `nothing ${i}`)] : lookups,
      again: [
        ...(i % SAME_AGAIN_EVERY === 0 ? [lookups[i % lookups.length]!] : []),
        ...(i % OTHER_AGAIN_EVERY === 0 ? [ask('call-1', `another problem ${i}`)] : []),
      ],
    };
  });
}
