import type { GuardVerdict, Reviewed, VerdictStatus } from '../contracts/generated.js';
import { worstOf, type Comparison } from './comparison.js';
import { judgeAgain } from './judge-again.js';
import type { RecordedRun } from './recorded-run.js';
import { reviewRun, type ReviewStepAgain } from './review-run.js';
import type { Rules } from './settings.js';

/** A run replayed: each of its verdicts, judged and reviewed again. Pure; the same run gives the same answer. */

export interface VerdictReplay {
  readonly runId: string;
  readonly draftId: string;
  readonly attempt: number;
  readonly verdictEventId: string;
  /** When the draft was handed in, epoch milliseconds. */
  readonly submittedAt: number;
  /** A difference anywhere, else something that is gone. */
  readonly outcome: Comparison['kind'];
  readonly status: VerdictStatus;
  readonly guard: Comparison;
  /** What rules said of it, and then what people decided; empty while review has not come to it. */
  readonly reviews: readonly ReviewReplay[];
}

export interface ReviewReplay {
  readonly by: 'RULES' | 'PERSON';
  /** As recorded. */
  readonly decision: Reviewed['decision'] | null;
  readonly comparison: Comparison;
}

export function replayRun(run: RecordedRun, { guard, review }: Rules): VerdictReplay[] {
  const steps = reviewRun(run, review);
  return run.verdicts.map((verdict) => {
    const judged = judgeAgain(verdict, run, guard).comparison;
    const reviewed = steps
      .filter(({ verdictEventId }) => verdictEventId === verdict.eventId)
      .flatMap(reviewReplay);
    const outcome = worstOf([judged, ...reviewed.map(({ comparison }) => comparison)]);
    return { ...about(verdict), outcome, status: verdict.status, guard: judged, reviews: reviewed };
  });
}

function reviewReplay({ kind, recorded, comparison }: ReviewStepAgain): ReviewReplay[] {
  if (comparison === null || (recorded === null && comparison.kind === 'EQUAL')) return [];
  const by = kind === 'VERDICT' ? 'RULES' : 'PERSON';
  return [{ by, decision: recorded?.decision ?? null, comparison }];
}

function about({ runId, draftId, attempt, eventId, occurredAt }: GuardVerdict) {
  return { runId, draftId, attempt, verdictEventId: eventId, submittedAt: occurredAt };
}

/** What a verdict comes to under changed rules. */
export interface VerdictUnderRules extends ReturnType<typeof about> {
  /** GONE: too much of it is not kept any more to tell. */
  readonly outcome: 'SAME' | 'OTHER' | 'GONE';
  readonly recorded: Findings;
  /** Null where that cannot be told. */
  readonly changed: Findings | null;
  readonly codesAdded: readonly string[];
  readonly codesRemoved: readonly string[];
  readonly gone: readonly string[];
}

export interface Findings {
  readonly status: VerdictStatus;
  readonly violations: number;
  /** What review found; null where it was not reviewed. */
  readonly review: Reviewed['status'];
  /** By rules; null while review has not come to it. */
  readonly decision: Reviewed['decision'] | null;
}

/**
 * What would have become of the run's drafts under other rules, as if the same drafts and decisions had come: review
 * is given what the guard says now. A verdict that cannot be judged again goes on as it was.
 */
export function replayUnderRules(run: RecordedRun, { guard, review }: Rules): VerdictUnderRules[] {
  const judged = new Map(run.verdicts.map((verdict) => [verdict, judgeAgain(verdict, run, guard)]));
  const steps = reviewRun(run, review, (recorded) => judged.get(recorded)?.verdict ?? recorded);
  return run.verdicts.map((verdict) => {
    const again = judged.get(verdict);
    const step = steps.find(
      ({ kind, verdictEventId }) => kind === 'VERDICT' && verdictEventId === verdict.eventId,
    );
    const recorded = findingsOf(verdict, step?.recorded ?? null);
    const gone = goneOf(again?.comparison, step?.comparison);
    const now = again?.verdict ?? null;
    if (now === null)
      return {
        ...about(verdict),
        outcome: 'GONE',
        recorded,
        changed: null,
        codesAdded: [],
        codesRemoved: [],
        gone,
      };
    // What was not reviewed yet has no decision to compare.
    const changed = findingsOf(now, step?.recorded === null ? null : (step?.replayed ?? null));
    const codes = { codesAdded: missing(now, verdict), codesRemoved: missing(verdict, now) };
    const outcome = isSame(recorded, changed, codes) ? 'SAME' : gone.length > 0 ? 'GONE' : 'OTHER';
    return { ...about(verdict), outcome, recorded, changed, ...codes, gone };
  });
}

function findingsOf({ status, violationCount }: GuardVerdict, reviewed: Reviewed | null): Findings {
  const { status: review = null, decision = null } = reviewed ?? {};
  return { status, violations: violationCount, review, decision };
}

function missing(of: GuardVerdict, from: GuardVerdict): string[] {
  const known = new Set(from.violations.map(({ code }) => code));
  return [...new Set(of.violations.map(({ code }) => code))].filter((code) => !known.has(code));
}

function isSame(
  a: Findings,
  b: Findings,
  { codesAdded, codesRemoved }: Pick<VerdictUnderRules, 'codesAdded' | 'codesRemoved'>,
): boolean {
  const fields = ['status', 'violations', 'review', 'decision'] as const;
  return codesAdded.length + codesRemoved.length === 0 && fields.every((field) => a[field] === b[field]);
}

function goneOf(...comparisons: readonly (Comparison | null | undefined)[]): string[] {
  return comparisons.flatMap((each) => (each?.kind === 'GONE' ? each.gone : []));
}
