import type { ErrorCode } from '../contracts/errors.js';
import type { Draft, EvidenceSpan, Finding, Place, ReviewStatus } from '../contracts/generated.js';
import { cutText } from '../text/text.js';
import type { DraftPart, DraftQuestion } from './draft-question.js';
import type { Judgement, JudgedClaim } from './judge.js';

/**
 * What follows from a judgement of a draft that rules would publish: nothing, a warning that goes out with it, or that
 * it waits for a person. A judge never releases a draft, and never turns one back. Pure.
 */

export interface JudgePolicy {
  /** `off` asks nobody. */
  readonly mode: 'off' | 'second-opinion';
  /** Share (0..1) of the drafts that it is asked about. */
  readonly sample: number;
  /** Milliseconds that a batch of drafts waits for it, at most. */
  readonly waitMs: number;
  /** A faithfulness score under it holds the draft. */
  readonly holdBelow: number;
  /** Any score under it is a warning. Not under `holdBelow`. */
  readonly warnBelow: number;
  /** What a claim does that it calls unsupported. */
  readonly onUnsupported: 'hold' | 'warn';
  /** What a draft does of which it says nothing: wait for a person, or what rules decide. */
  readonly onSilence: 'hold' | 'rules';
}

export const judgePolicyDefaults: JudgePolicy = Object.freeze({
  mode: 'off',
  sample: 1,
  waitMs: 20_000,
  holdBelow: 0.5,
  warnBelow: 0.8,
  onUnsupported: 'hold',
  onSilence: 'rules',
});

/** What the judge has against a draft. */
export interface Opinion {
  readonly concern: 'NONE' | 'WARN' | 'HOLD';
  /** Why it is held. */
  readonly code: ErrorCode | null;
  /** In the order of the draft, what is about all of it last. */
  readonly findings: readonly Finding[];
}

export function opinionOn(
  judgement: Judgement,
  draft: Draft,
  { parts, shown }: Pick<DraftQuestion, 'parts' | 'shown'>,
  policy: JudgePolicy,
): Opinion {
  const silence = silenceOf(judgement, draft);
  if (silence !== null) {
    const findings = [finding('', 'NOT_EVALUATED', silence)];
    return policy.onSilence === 'hold'
      ? { concern: 'HOLD', code: 'PL_JUDGE_SILENT', findings }
      : { concern: 'WARN', code: null, findings };
  }
  const findings = [
    ...judgement.claims.flatMap((claim) => claimFinding(claim, parts, shown)),
    ...scoreFindings(judgement, policy),
  ];
  if (isDoubted(judgement, policy)) return { concern: 'HOLD', code: 'PL_JUDGE_DOUBTS', findings };
  return { concern: findings.length > 0 ? 'WARN' : 'NONE', code: null, findings };
}

/**
 * Why nothing is known of the draft although the judge was asked; null where something is. A draft that concludes
 * nothing has nothing to be doubted about, where the judge sees no claim in it either.
 */
function silenceOf({ outcome, failure, answersClaims }: Judgement, { conclusion }: Draft): string | null {
  switch (outcome) {
    case 'FAILED':
      return `JUDGE_FAILED: ${failure?.message ?? 'no reason was given'}`;
    case 'JUDGED':
      return answersClaims ? null : 'JUDGE_NO_CLAIMS: the judge answered for no claim';
    case 'NO_CLAIMS':
      return conclusion === null ? null : 'JUDGE_NO_CLAIMS: the judge sees no claim in it';
    case 'ABSTAINED':
      return conclusion === null ? null : 'JUDGE_ABSTAINED: the judge takes it for one that does not know';
  }
}

function isDoubted({ faithfulnessScore, claims }: Judgement, policy: JudgePolicy): boolean {
  if (faithfulnessScore !== null && faithfulnessScore < policy.holdBelow) return true;
  return policy.onUnsupported === 'hold' && claims.some(({ supported }) => supported === 'no');
}

/** What is not clear is not evaluated; what the evidence does not say is unsupported. Nothing to say of a yes. */
function claimFinding(
  claim: JudgedClaim,
  parts: readonly DraftPart[],
  shown: readonly EvidenceSpan[],
): readonly Finding[] {
  if (claim.supported === 'yes') return [];
  const [status, code] =
    claim.supported === 'no'
      ? (['UNSUPPORTED', 'JUDGE_NOT_SUPPORTED'] as const)
      : (['NOT_EVALUATED', 'JUDGE_UNCLEAR'] as const);
  const { path, span } = placeIn(claim, parts);
  const words = claim.why === '' ? 'the judge gives no reason' : claim.why;
  return [
    {
      ...finding(path, status, `${code}: ${words}`),
      draftSpan: span,
      evidenceSpans: named(claim.why, shown),
    },
  ];
}

/** How relevant question, evidence and answer are to each other says nothing of whether it is true: a warning only. */
function scoreFindings(judgement: Judgement, { holdBelow, warnBelow }: JudgePolicy): readonly Finding[] {
  const { faithfulnessScore: faithful, contextRelevanceScore, answerRelevanceScore, reason } = judgement;
  const low = (name: string, score: number | null, status: ReviewStatus): readonly Finding[] =>
    score === null || score >= warnBelow
      ? []
      : [finding('', status, `JUDGE_${name}: ${rounded(score)}${reason === '' ? '' : `. ${reason}`}`)];
  return [
    ...low('FAITHFULNESS', faithful, (faithful ?? 1) < holdBelow ? 'UNSUPPORTED' : 'OVERSTATED'),
    ...low('CONTEXT_RELEVANCE', contextRelevanceScore, 'SUPPORTED'),
    ...low('ANSWER_RELEVANCE', answerRelevanceScore, 'SUPPORTED'),
  ];
}

function rounded(score: number): number {
  return Math.round(score * 1000) / 1000;
}

const REASON_CHARS = 500;

function finding(path: string, status: ReviewStatus, reason: string): Finding {
  return {
    path,
    status,
    reason: cutText(reason, REASON_CHARS),
    draftSpan: null,
    evidenceSpans: [],
    decidedBy: 'JUDGE',
  };
}

/** The text that the claim stands in, and its place there. A claim never reaches over two texts. */
function placeIn(
  { start, end }: JudgedClaim,
  parts: readonly DraftPart[],
): { path: string; span: Place | null } {
  const part = parts.find((each) => start >= each.start && end <= each.end);
  if (part === undefined) return { path: '', span: null };
  return { path: part.path, span: { start: start - part.start, end: end - part.start } };
}

const MOST_NAMED = 8;

/** The items that the judge names as E1, E2: where it says that it looked. */
function named(why: string, shown: readonly EvidenceSpan[]): readonly EvidenceSpan[] {
  const numbers = Array.from(why.matchAll(/\bE(\d{1,4})\b/g), ([, digits]) => Number(digits));
  return [...new Set(numbers)].flatMap((number) => shown[number - 1] ?? []).slice(0, MOST_NAMED);
}
