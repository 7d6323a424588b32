import { sha256 } from '../contracts/digest.js';
import type { GuardVerdict } from '../contracts/generated.js';
import { repairRequest } from '../repair/repair-request.js';
import { invocation } from '../station/invocation.js';
import type { Emission, Outcome } from '../station/station.js';
import { appraise, heldDraft, isOurFault, unreviewed, type Appraisal, type Reviewer } from './appraise.js';
import {
  fallbackRecord,
  outcomeEventIdOf,
  reviewedRecord,
  verifiedRecord,
  type Decided,
  type FallbackReason,
} from './review-records.js';
import {
  attemptsLeft,
  countedAttempts,
  isPastDeadline,
  withJudged,
  type RunProgress,
} from './run-progress.js';
import { isSampled } from './sample.js';

/**
 * What becomes of a verdict: publish, ask for a repair, hold for a person, fall back, or nothing because the run
 * is past it. One run has one outcome, whatever comes again, late or out of order. Pure.
 */

export interface ReviewPolicy {
  /** Drafts that a run may hand in where its limits do not say. */
  readonly maxAttempts: number;
  /** Share (0..1) of what would be published that a person sees first. */
  readonly sample: number;
}

export const defaultReviewPolicy: ReviewPolicy = { maxAttempts: 3, sample: 0 };

/** What follows from one input, and how far the run is after it. Null progress: it stays as it was. */
export interface ReviewStep {
  readonly outcome: Outcome;
  readonly progress: RunProgress | null;
}

export function decideReview(
  verdict: GuardVerdict,
  progress: RunProgress,
  review: Reviewer,
  policy: ReviewPolicy,
): ReviewStep {
  const { judged, outcome } = progress;
  if (judged.some((each) => each.verdictEventId === verdict.eventId)) return repeated(verdict);
  if (judged.some((each) => each.draftId === verdict.draftId)) return conflicting(verdict);
  const known = withJudged(progress, verdict);
  if (outcome === 'VERIFIED') return stale(verdict, known);
  // To give a run up is no attempt: it ends the run whatever its number, once.
  if (verdict.status === 'ABANDONED')
    return outcome === 'FALLBACK'
      ? stale(verdict, known)
      : fallBack(verdict, known, unreviewed, givenUpBy(verdict));
  if (verdict.attempt < progress.lastAttempt) return stale(verdict, known);
  const appraisal = appraise(verdict, review, ({ eventId }) => isSampled(eventId, policy.sample, sha256));
  return decideAppraised(verdict, known, appraisal, policy);
}

/** A draft whose turn it is. */
function decideAppraised(
  verdict: GuardVerdict,
  progress: RunProgress,
  appraisal: Appraisal,
  policy: ReviewPolicy,
): ReviewStep {
  const { worth } = appraisal;
  if (worth === 'PUBLISH') return publish(verdict, progress, appraisal, policy);
  // After a fallback only what is published, or what a person may still publish, is better than it.
  if (worth === 'MEND' && progress.outcome === 'FALLBACK') return stale(verdict, progress);
  // The last attempt waits for a person: one that is beyond it does not take its place.
  const isBeyond = progress.held !== null && attemptsLeft(progress, policy.maxAttempts) === 0;
  if (isBeyond && progress.outcome === null) return stale(verdict, progress);
  return worth === 'HOLD'
    ? hold(verdict, progress, appraisal, policy)
    : mend(verdict, progress, appraisal, policy);
}

function publish(
  verdict: GuardVerdict,
  progress: RunProgress,
  appraisal: Appraisal,
  policy: ReviewPolicy,
): ReviewStep {
  const decided = decidedAs('PUBLISH', appraisal);
  const after = {
    ...passedOver(progress, verdict),
    attempts: countedAttempts(progress, policy.maxAttempts),
    outcome: 'VERIFIED' as const,
    outcomeEventId: outcomeEventIdOf(verdict),
  };
  return step(verdict, progress, decided, after, verifiedRecord(verdict, decided, progress.outcomeEventId));
}

function hold(
  verdict: GuardVerdict,
  progress: RunProgress,
  appraisal: Appraisal,
  policy: ReviewPolicy,
): ReviewStep {
  const attempts = isOurFault(verdict) ? progress.attempts : countedAttempts(progress, policy.maxAttempts);
  const after = { ...passedOver(progress, verdict), attempts, held: heldDraft(verdict, appraisal) };
  return step(verdict, progress, decidedAs('HOLD', appraisal), after);
}

/** The model is to write it anew, while it may; else the run falls back. */
function mend(
  verdict: GuardVerdict,
  progress: RunProgress,
  appraisal: Appraisal,
  policy: ReviewPolicy,
): ReviewStep {
  const attempts = countedAttempts(progress, policy.maxAttempts);
  const after = { ...passedOver(progress, verdict), attempts };
  const left = attemptsLeft(after, policy.maxAttempts);
  if (isPastDeadline(progress, verdict.occurredAt))
    return fallBack(verdict, after, appraisal, 'DEADLINE', progress);
  if (left === 0) return fallBack(verdict, after, appraisal, 'ATTEMPTS', progress);
  const body = repairRequest({
    verdict,
    findings: appraisal.findings,
    person: null,
    attemptsLeft: left,
    deadline: progress.limits?.deadline ?? null,
  });
  return step(verdict, progress, decidedAs('REPAIR', appraisal), after, {
    topic: 'repair-requested.v1',
    body,
  });
}

/** What is held stays so: a person may still find that it is good, and then it replaces the fallback. */
function fallBack(
  verdict: GuardVerdict,
  progress: RunProgress,
  found: Omit<Appraisal, 'worth'>,
  reason: FallbackReason,
  before: RunProgress = progress,
): ReviewStep {
  const decided = decidedAs('FALLBACK', found);
  const lastAttempt = Math.max(progress.lastAttempt, verdict.attempt);
  const ended = { outcome: 'FALLBACK' as const, outcomeEventId: outcomeEventIdOf(verdict) };
  const after = { ...progress, lastAttempt, ...ended };
  return step(verdict, before, decided, after, fallbackRecord(verdict, decided, reason));
}

/** A newer attempt is there: what was held before is decided about no more. */
function passedOver(progress: RunProgress, { attempt }: GuardVerdict): RunProgress {
  return { ...progress, lastAttempt: Math.max(progress.lastAttempt, attempt), held: null };
}

const GIVEN_UP: Readonly<Record<string, FallbackReason>> = { DEADLINE: 'DEADLINE', BUDGET: 'BUDGET' };

function givenUpBy({ ext }: GuardVerdict): FallbackReason {
  return GIVEN_UP[ext['given_up'] ?? ''] ?? 'AGENT';
}

/** The same verdict again, as topics may repeat events: it was decided about, and nothing new follows. */
function repeated(verdict: GuardVerdict): ReviewStep {
  const fields = { kind: 'REVIEW', outcome: 'REPEAT', draftId: verdict.draftId, countIn: 1, countOut: 0 };
  return { outcome: { kind: 'emit', records: [], invocation: invocation(fields) }, progress: null };
}

/** Another text under a draft_id that was judged. */
function conflicting(verdict: GuardVerdict): ReviewStep {
  const decided = decidedAs('STALE', { ...unreviewed, code: 'PL_REPEAT_CONFLICT' });
  const records = [reviewedRecord(verdict, decided)];
  return { outcome: { kind: 'emit', records, invocation: note(verdict, decided, null) }, progress: null };
}

function stale(verdict: GuardVerdict, progress: RunProgress): ReviewStep {
  return step(verdict, progress, decidedAs('STALE', unreviewed), progress);
}

function decidedAs(
  decision: Decided['decision'],
  { status, findings, code, judge, by }: Omit<Appraisal, 'worth'>,
): Decided {
  return { decision, status, findings, code, judge, by, person: null };
}

function step(
  verdict: GuardVerdict,
  before: RunProgress,
  decided: Decided,
  after: RunProgress,
  ...more: readonly Emission[]
): ReviewStep {
  const state: Emission = { topic: 'run-outcome.v1', body: after };
  const records = [reviewedRecord(verdict, decided), ...more, state];
  const passed = before.held !== null && after.held !== before.held ? before.held.verdict.draftId : null;
  return { outcome: { kind: 'emit', records, invocation: note(verdict, decided, passed) }, progress: after };
}

/** @param passedOver draft_id of the held draft whose place was taken */
function note(
  verdict: GuardVerdict,
  { decision, status, findings, code }: Decided,
  passedOver: string | null,
) {
  return invocation({
    kind: 'REVIEW',
    outcome: decision,
    code,
    draftId: verdict.draftId,
    countIn: 1,
    countOut: findings.length,
    violationCodes: [...new Set(verdict.violations.map((violation) => violation.code))],
    facts: {
      attempt: verdict.attempt,
      verdict: verdict.status,
      status,
      findings: findings.map(({ path, status: found, reason }) => ({ path, status: found, reason })),
      ...(passedOver !== null && { passed_over: passedOver }),
    },
  });
}
