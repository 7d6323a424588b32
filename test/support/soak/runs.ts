import { draftSubmitted } from '../../../producers/drafts.js';
import { lookupRequested } from '../../../producers/lookups.js';
import type {
  DraftSubmitted,
  Limits,
  LookupRequested,
  PersonDecision,
} from '../../../src/contracts/generated.js';
import { trueDraft } from '../line-drafts.js';
import { planOf, type PlannedRun } from '../line-kill-plan.js';

/** A run of the plan, with what it may spend, what is asked after it is answered, and what follows a review. */
export interface SoakRun extends PlannedRun {
  /** Asked after the others are answered: the same again, or another question under a used id. */
  readonly again: readonly LookupRequested[];
  /** Asked after those, one after the other: more than the run may ask, so that some are refused. */
  readonly beyond: readonly LookupRequested[];
  /** Null of a run without limits. */
  readonly budget: Budget | null;
  /** True of a run whose agent says nothing more: its deadline gives it up. */
  readonly silent: boolean;
  /** Drafts that are handed in, one for each repair that is asked for. */
  readonly mended: readonly DraftSubmitted[];
  /** What a person says of any of its drafts that is held. */
  readonly person: PersonDecision;
}

interface Budget {
  /** From the beginning of the run to its deadline; null for the line's. */
  readonly deadlineMs: number | null;
  readonly maxLookups: number | null;
  readonly maxAttempts: number | null;
}

const SAME_AGAIN_EVERY = 3;
const OTHER_AGAIN_EVERY = 5;
const NOTHING_EVERY = 4;
/** Of so many runs one is of the kind, counted from its own number on. */
const FEW_LOOKUPS = { every: 5, from: 1 };
const NO_GAIN = { every: 11, from: 3 };
const SILENT = { every: 7, from: 2 };
const SHORT = { every: 7, from: 4 };
const UNSUPPORTED = { every: 4, from: 1 };
const NEVER_MENDED = { every: 8, from: 5 };

/** Passes before most of what is asked is answered. */
const SOON_MS = 2000;
/** Passes when a draft has long had its outcome, unless something held it up. */
const LATE_MS = 25_000;

/** @param now when it is planned, epoch milliseconds; `begun` says when it happens */
export function soakRuns(runs: number, now: number): SoakRun[] {
  return planOf(runs, now).map((run, i) => {
    const { runId, lookups } = run;
    const is = ({ every, from }: { every: number; from: number }): boolean => i % every === from;
    const ask = (toolCallId: string, query: string): LookupRequested =>
      lookupRequested({ runId, toolCallId, query }, now);
    const few = is(FEW_LOOKUPS);
    const budget: Budget = {
      deadlineMs: is(SILENT) ? SOON_MS : is(SHORT) ? LATE_MS : null,
      maxLookups: few ? 2 : null,
      maxAttempts: is(NEVER_MENDED) ? 2 : null,
    };
    const unsupported = is(UNSUPPORTED);
    return {
      ...run,
      ...(unsupported && { draft: draftOf(run, 1, unsupportedDraft(lookups)) }),
      // What is refused cannot be cited: which lookups are, is a matter of timing.
      codes: few || is(SILENT) ? null : unsupported ? [] : run.codes,
      lookups: i % NOTHING_EVERY === 0 ? [...lookups, ask('call-4', `nothing ${i}`)] : lookups,
      again: [
        ...(i % SAME_AGAIN_EVERY === 0 ? [lookups[i % lookups.length]!] : []),
        ...(i % OTHER_AGAIN_EVERY === 0 ? [ask('call-1', `another problem ${i}`)] : []),
      ],
      beyond: [
        ...(is(NO_GAIN) ? [20, 21, 22].map((call) => ask(`call-${call}`, `nothing ${i}-${call}`)) : []),
        ...(few || is(NO_GAIN) ? [23, 24].map((call) => ask(`call-${call}`, `problem ${i}-${call}`)) : []),
      ],
      budget: Object.values(budget).every((limit) => limit === null) ? null : budget,
      silent: is(SILENT),
      mended: [2, 3].map((attempt) =>
        draftOf(run, attempt, is(NEVER_MENDED) ? unsupportedDraft(lookups) : trueDraft([lookups[0]!])),
      ),
      person: i % 2 === 0 ? 'APPROVE' : 'REJECT',
    };
  });
}

function draftOf({ runId }: PlannedRun, attempt: number, draftJson: string): DraftSubmitted {
  return draftSubmitted({ runId, draftId: `draft-${attempt}`, attempt, draftJson }, 0);
}

/** It cites what was shown, and concludes what nobody was shown. */
function unsupportedDraft(lookups: readonly LookupRequested[]): string {
  const text = 'The certificate of the mail server expired in 2019.';
  return trueDraft([lookups[0]!], { conclusion: { text, based_on_analysis_ids: ['a1'] } });
}

/** The run as it happens: its deadline counts from now, and every message says so. @param now epoch milliseconds */
export function begun(run: SoakRun, now: number): SoakRun {
  const { budget } = run;
  const limits: Limits | null = budget && {
    deadline: budget.deadlineMs === null ? null : now + budget.deadlineMs,
    maxLookups: budget.maxLookups,
    maxTokens: null,
    maxAttempts: budget.maxAttempts,
  };
  const at = <M extends LookupRequested | DraftSubmitted>(message: M): M => ({
    ...message,
    occurredAt: now,
    limits,
  });
  return {
    ...run,
    lookups: run.lookups.map(at),
    again: run.again.map(at),
    beyond: run.beyond.map(at),
    draft: at(run.draft),
    mended: run.mended.map(at),
  };
}
