import type { ErrorCode } from '../contracts/errors.js';
import type { Finding, GuardVerdict, HeldDraft, JudgeRef, ReviewStatus } from '../contracts/generated.js';
import type { Opinion } from '../judge/policy.js';
import { isLedgerFault } from './ledger-fault.js';
import type { reviewDraft } from './rules/review.js';

/** What a verdict is worth by itself, whatever its run has come to. */

/** Reviews a draft that passed the guard. */
export type Reviewer = (
  draft: NonNullable<GuardVerdict['draft']>,
  lookups: GuardVerdict['lookups'],
) => Review;

/** What rules say, and what a judge says besides, where one was asked. */
export interface Review extends ReturnType<typeof reviewDraft> {
  readonly judge?: { readonly ref: JudgeRef; readonly opinion: Opinion };
}

/** PUBLISH: it may go out. MEND: the model is to write it again. HOLD: a person has to decide. */
export interface Appraisal {
  readonly worth: 'PUBLISH' | 'MEND' | 'HOLD';
  /** What review found; null where the draft was not reviewed. */
  readonly status: ReviewStatus | null;
  readonly findings: readonly Finding[];
  readonly code: ErrorCode | null;
  /** The judge that was asked; null without one. */
  readonly judge: JudgeRef | null;
  /** JUDGE where rules would publish it, and the judge holds it. */
  readonly by: 'RULES' | 'JUDGE';
}

/** @param isSampled whether a draft that may go out is shown to a person first */
export function appraise(
  verdict: GuardVerdict,
  review: Reviewer,
  isSampled: (verdict: GuardVerdict) => boolean,
): Appraisal {
  if (isTooLarge(verdict)) return { ...unreviewed, worth: 'HOLD', code: 'PL_VERDICT_TOO_LARGE' };
  if (verdict.status !== 'PASSED')
    return isLedgerFault(verdict)
      ? { ...unreviewed, worth: 'HOLD', code: 'PL_LEDGER_BROKEN' }
      : { ...unreviewed, worth: 'MEND' };
  if (verdict.draft === null) throw new Error('a PASSED verdict has no draft');
  const { status, findings: byRules, judge } = review(verdict.draft, verdict.lookups);
  const found = {
    status,
    findings: [...byRules, ...(judge?.opinion.findings ?? [])],
    judge: judge?.ref ?? null,
    by: 'RULES' as const,
  };
  if (isUnchecked(verdict)) return { ...found, worth: 'HOLD', code: 'PL_QUOTES_UNCHECKED' };
  const worth = WORTH[status];
  if (worth !== 'PUBLISH') return { ...found, worth, code: null };
  // A judge can hold what rules would publish, and nothing else.
  if (judge?.opinion.concern === 'HOLD')
    return { ...found, worth: 'HOLD', code: judge.opinion.code, by: 'JUDGE' };
  return isSampled(verdict)
    ? { ...found, worth: 'HOLD', code: 'PL_SAMPLED' }
    : { ...found, worth, code: null };
}

/** Of what review was not asked. */
export const unreviewed = { status: null, findings: [], code: null, judge: null, by: 'RULES' } as const;

const WORTH: Readonly<Record<ReviewStatus, Appraisal['worth']>> = {
  SUPPORTED: 'PUBLISH',
  ABSTAINED: 'PUBLISH',
  OVERSTATED: 'MEND',
  UNSUPPORTED: 'MEND',
  NOT_EVALUATED: 'HOLD',
};

function isTooLarge({ ext }: GuardVerdict): boolean {
  return ext['code'] === 'PL_VERDICT_TOO_LARGE';
}

/** It quotes, and nobody checked the quotes. */
function isUnchecked({ draft, ruleSets }: GuardVerdict): boolean {
  const quotes = (draft?.analysis ?? []).some((analysis) => analysis.quotes.length > 0);
  return quotes && !ruleSets.includes('quotes-1');
}

/** Whether what holds a draft up is a fault of ours, and not of the model's: such a draft costs no attempt. */
export function isOurFault(verdict: GuardVerdict): boolean {
  return (
    isTooLarge(verdict) || isUnchecked(verdict) || (verdict.status === 'REJECTED' && isLedgerFault(verdict))
  );
}

/** A draft as it is held: whole, with what review said and why it is not decided by rules. */
export function heldDraft(verdict: GuardVerdict, { status, findings, code, judge }: Appraisal): HeldDraft {
  return { verdict, findings, status, code, judge };
}

/** A person may release what the guard passed, and whose proof is at hand: nothing else can be published. */
export function canBeApproved({ verdict }: HeldDraft): boolean {
  return verdict.status === 'PASSED' && verdict.draft !== null;
}
