import { sha256 } from '../contracts/digest.js';
import type { Draft, GuardVerdict, LookupSnapshot } from '../contracts/generated.js';
import { askAll, type Asked, type Asking } from '../judge/ask.js';
import { draftQuestion } from '../judge/draft-question.js';
import type { Judge } from '../judge/judge.js';
import { opinionOn, type JudgePolicy } from '../judge/policy.js';
import { judgeRecord, judgeRefOf } from '../judge/record.js';
import type { Review, Reviewer } from './appraise.js';
import type { ReviewStep } from './decide-review.js';
import type { RunProgress } from './run-progress.js';
import { isSampled } from './sample.js';

/** The judge as a second opinion: of which drafts it is asked, and what of its answer is decided by and recorded. */

/** A verdict at hand, and how far its run is. */
export interface Candidate {
  readonly verdict: GuardVerdict;
  readonly progress: RunProgress;
}

/** What rules say of a draft, with what the judge says of it. */
export interface JudgedReview {
  readonly review: Review;
  readonly asked: Asked;
}

/**
 * Asks about those that rules would publish, or cannot evaluate: what rules send back needs no second opinion. In the
 * order of the candidates, null where nobody was asked. Rejects only with the signal's reason.
 */
export async function secondOpinions(
  candidates: readonly Candidate[],
  reviewer: Reviewer,
  judge: Judge,
  policy: JudgePolicy,
  asking: Omit<Asking, 'waitMs'>,
): Promise<readonly (JudgedReview | null)[]> {
  const open = candidates.map((each) => openReview(each, reviewer, policy));
  const questions = open.flatMap((each) =>
    each === null ? [] : [draftQuestion(each.draft, each.lookups).question],
  );
  const answers = await askAll(judge, questions, { ...asking, waitMs: policy.waitMs });
  let next = 0;
  return open.map((each) => {
    const asked = each === null ? undefined : answers[next++];
    if (each === null || asked === undefined) return null;
    return { review: withOpinion(each.review, each.draft, each.lookups, asked, policy), asked };
  });
}

interface OpenReview {
  readonly draft: Draft;
  readonly lookups: readonly LookupSnapshot[];
  readonly review: Review;
}

/**
 * Null where the judge is not asked. Verdicts of the same batch that come before this one only pass it over; they never
 * make one matter that does not matter now.
 */
function openReview(
  { verdict, progress }: Candidate,
  reviewer: Reviewer,
  { mode, sample }: JudgePolicy,
): OpenReview | null {
  const { draft, lookups, status, ext, eventId } = verdict;
  if (mode === 'off' || status !== 'PASSED' || draft === null || ext['code'] !== undefined) return null;
  if (!isTurnOf(verdict, progress) || !isSampled(`judge\n${eventId}`, sample, sha256)) return null;
  const review = reviewer(draft, lookups);
  const isSentBack = review.status === 'OVERSTATED' || review.status === 'UNSUPPORTED';
  return isSentBack ? null : { draft, lookups, review };
}

function isTurnOf(
  { draftId, attempt }: GuardVerdict,
  { judged, outcome, lastAttempt }: RunProgress,
): boolean {
  const isKnown = judged.some((each) => each.draftId === draftId);
  return !isKnown && outcome !== 'VERIFIED' && attempt >= lastAttempt;
}

/** Pure: a replay does the same with what was recorded. */
export function withOpinion(
  review: Review,
  draft: Draft,
  lookups: readonly LookupSnapshot[],
  asked: Asked,
  policy: JudgePolicy,
): Review {
  const opinion = opinionOn(asked.judgement, draft, draftQuestion(draft, lookups), policy);
  return { ...review, judge: { ref: judgeRefOf(asked), opinion } };
}

/** The step with the record of what the judge said. A verdict that comes again leaves the first record as it is. */
export function recorded(step: ReviewStep, { draftId }: GuardVerdict, asked: Asked): ReviewStep {
  const { outcome, progress } = step;
  if (outcome.kind !== 'emit' || progress === null) return step;
  const records = [...outcome.records, judgeRecord(asked, draftId, 'review')];
  return { ...step, outcome: { ...outcome, records } };
}
