import { slimHeld } from '../../consumers/review.js';
import type { GuardVerdict, ReviewDecision } from '../contracts/generated.js';
import { withoutLargeParts } from '../guard/judge-submission.js';
import type { Asked } from '../judge/ask.js';
import type { JudgePolicy } from '../judge/policy.js';
import type { Reviewer } from '../review/appraise.js';
import { decideDecision } from '../review/decide-decision.js';
import { decideReview, type ReviewPolicy, type ReviewStep } from '../review/decide-review.js';
import type { ReviewLimits } from '../review/rules/check-result.js';
import { createPassageCache } from '../review/rules/passage.js';
import { reviewDraft } from '../review/rules/review.js';
import type { RunProgress } from '../review/run-progress.js';
import { withOpinion } from '../review/second-opinion.js';

/** Where a replay touches review: what becomes of one verdict, or of one decision of a person. */

/** What review is given. */
export type ReviewInput = VerdictInput | { readonly kind: 'DECISION'; readonly value: ReviewDecision };

interface VerdictInput {
  readonly kind: 'VERDICT';
  readonly value: GuardVerdict;
  /** What the judge said of it, as it was recorded; null where none was asked. */
  readonly judged: Asked | null;
  /** Whether what followed from it was more than a record holds, so that its draft was held for that. */
  readonly wasTooLarge: boolean;
}

export type ReviewAgain = (input: ReviewInput, progress: RunProgress) => ReviewStep;

export interface ReviewRules {
  readonly policy: ReviewPolicy;
  readonly judge: JudgePolicy;
  readonly limits: ReviewLimits;
}

export function reviewAgain({ policy, judge, limits }: ReviewRules): ReviewAgain {
  const cache = createPassageCache();
  const byRules: Reviewer = (draft, lookups) => reviewDraft({ draft, lookups, limits, cache });
  const reviewerWith =
    (judged: Asked | null): Reviewer =>
    (draft, lookups) =>
      judged === null
        ? byRules(draft, lookups)
        : withOpinion(byRules(draft, lookups), draft, lookups, judged, judge);

  return (input, progress) => {
    if (input.kind === 'DECISION') return decideDecision(input.value, progress, policy);
    const { value, judged, wasTooLarge } = input;
    const reviewer = reviewerWith(judged);
    if (!wasTooLarge) return decideReview(value, progress, reviewer, policy);
    const slim = { ...value, ...withoutLargeParts(value) };
    return decideReview(slim, slimHeld(progress), reviewer, policy);
  };
}
