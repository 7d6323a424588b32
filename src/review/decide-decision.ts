import type { GuardVerdict, HeldDraft, JudgedDraft, ReviewDecision } from '../contracts/generated.js';
import { repairRequest } from '../repair/repair-request.js';
import { invocation } from '../station/invocation.js';
import type { Emission } from '../station/station.js';
import { canBeApproved } from './appraise.js';
import type { ReviewPolicy, ReviewStep } from './decide-review.js';
import { personOf } from './decision-counted.js';
import {
  fallbackRecord,
  outcomeEventIdOf,
  reviewedRecord,
  verifiedRecord,
  type About,
  type Decided,
} from './review-records.js';
import { attemptsLeft, isPastDeadline, withDecided, type RunProgress } from './run-progress.js';

/**
 * What becomes of a person's decision. It counts where the draft is held, under the very verdict that it names, and
 * only once; all others change nothing. Pure.
 */

export function decideDecision(
  decision: ReviewDecision,
  progress: RunProgress,
  policy: ReviewPolicy,
): ReviewStep {
  const { held } = progress;
  if (held !== null && isAbout(decision, held.verdict))
    return decision.decision === 'APPROVE'
      ? approve(decision, held, progress)
      : reject(decision, held, progress, policy);
  const judged = progress.judged.find(
    ({ draftId, verdictEventId }) =>
      draftId === decision.draftId && verdictEventId === decision.verdictEventId,
  );
  if (judged === undefined) return withoutEffect(decision, 'UNKNOWN');
  return judged.decided ? withoutEffect(decision, 'ANSWERED') : tooLate(decision, judged, progress);
}

function isAbout({ draftId, verdictEventId }: ReviewDecision, verdict: GuardVerdict): boolean {
  return verdict.draftId === draftId && verdict.eventId === verdictEventId;
}

/** A person vouches for what rules cannot tell. What has no proof stays held: nobody can vouch for that. */
function approve(decision: ReviewDecision, held: HeldDraft, progress: RunProgress): ReviewStep {
  if (!canBeApproved(held)) return withoutEffect(decision, 'NO_PROOF');
  const decided = byPerson('PUBLISH', decision, held);
  const ended = { outcome: 'VERIFIED' as const, outcomeEventId: outcomeEventIdOf(decision) };
  const record = verifiedRecord(held.verdict, decided, progress.outcomeEventId);
  return step(decision, held.verdict, decided, { ...settled(progress, decision), ...ended }, record);
}

/** The model is to write it anew, while it may; else the run falls back, unless it has. */
function reject(
  decision: ReviewDecision,
  held: HeldDraft,
  progress: RunProgress,
  policy: ReviewPolicy,
): ReviewStep {
  const { verdict, findings } = held;
  const after = settled(progress, decision);
  // The fallback is out already, and stays.
  if (progress.outcome !== null) return step(decision, verdict, byPerson('STALE', decision, held), after);
  const left = attemptsLeft(progress, policy.maxAttempts);
  const isLate = isPastDeadline(progress, decision.occurredAt);
  if (left === 0 || isLate) {
    const decided = byPerson('FALLBACK', decision, held);
    const ended = { outcome: 'FALLBACK' as const, outcomeEventId: outcomeEventIdOf(decision) };
    const record = fallbackRecord(verdict, decided, isLate ? 'DEADLINE' : 'ATTEMPTS');
    return step(decision, verdict, decided, { ...after, ...ended }, record);
  }
  const body = repairRequest({
    verdict,
    findings,
    person: personOf(decision),
    attemptsLeft: left,
    deadline: progress.limits?.deadline ?? null,
  });
  const record: Emission = { topic: 'repair-requested.v1', body };
  return step(decision, verdict, byPerson('REPAIR', decision, held), after, record);
}

/** The draft is held no more, and no later decision about it counts. */
function settled(progress: RunProgress, decision: ReviewDecision): RunProgress {
  return { ...withDecided(progress, decision), held: null };
}

/** The draft is not held any more, or never was: said once, so that who decided is not left without an answer. */
function tooLate(
  decision: ReviewDecision,
  { draftId, attempt, verdictEventId }: JudgedDraft,
  progress: RunProgress,
): ReviewStep {
  const decided: Decided = {
    decision: 'STALE',
    status: null,
    findings: [],
    code: null,
    judge: null,
    by: 'RULES',
    person: personOf(decision),
  };
  return step(
    decision,
    { draftId, attempt, eventId: verdictEventId },
    decided,
    withDecided(progress, decision),
  );
}

/**
 * Only the audit hears of it: the first decision was answered, the run has no such verdict, or the draft has no proof.
 * The next decision has the same id, and may count.
 */
function withoutEffect(decision: ReviewDecision, why: 'ANSWERED' | 'UNKNOWN' | 'NO_PROOF'): ReviewStep {
  const outcome = why === 'ANSWERED' ? 'REPEAT' : 'REFUSED';
  return {
    outcome: { kind: 'emit', records: [], invocation: note(decision, outcome, { why }) },
    progress: null,
  };
}

function byPerson(
  outcome: Decided['decision'],
  decision: ReviewDecision,
  { findings, status, judge }: HeldDraft,
): Decided {
  return {
    decision: outcome,
    status,
    findings,
    code: null,
    judge,
    by: 'RULES',
    person: personOf(decision),
  };
}

function step(
  decision: ReviewDecision,
  about: About,
  decided: Decided,
  progress: RunProgress,
  ...more: readonly Emission[]
): ReviewStep {
  const state: Emission = { topic: 'run-outcome.v1', body: progress };
  const records = [reviewedRecord(about, decided), ...more, state];
  const told = note(decision, decided.decision, personOf(decision));
  return { outcome: { kind: 'emit', records, invocation: told }, progress };
}

function note(decision: ReviewDecision, outcome: string, more: object) {
  const facts = { decision: decision.decision, verdict_event_id: decision.verdictEventId, ...more };
  return invocation({ kind: 'DECISION', outcome, draftId: decision.draftId, countIn: 1, countOut: 0, facts });
}
