import type { Draft, Finding, LookupSnapshot, ReviewStatus } from '../../contracts/generated.js';
import {
  checkAbsolutes,
  checkCertainty,
  checkCoordinate,
  checkGrade,
  checkNumbers,
  checkTruncated,
  checkWords,
  warnOfSmallNumbers,
} from './checks.js';
import { REVIEW_LIMITS } from './check-result.js';
import type { Check, ReviewLimits } from './check-result.js';
import { checkNames, checkNegation, warnOfNames } from './check-statements.js';
import { readClaim } from './claim.js';
import type { Claim } from './claim.js';
import { draftTexts } from './draft-texts.js';
import type { TextKind } from './draft-texts.js';
import { gatherEvidence } from './evidence-text.js';
import type { Evidence } from './evidence-text.js';
import { createPassageCache } from './passage.js';
import type { PassageCache } from './passage.js';
import { draftStatus } from './status.js';

export interface ReviewInput {
  readonly draft: Draft;
  /** The guard's snapshot of every lookup that the draft cites. */
  readonly lookups: readonly LookupSnapshot[];
  readonly limits?: ReviewLimits;
  /** Kept by the caller between drafts, it saves reading the same passages again. It changes no answer. */
  readonly cache?: PassageCache;
}

export interface DraftReview {
  readonly status: ReviewStatus;
  /** At most one of a text. One with status SUPPORTED is a warning. */
  readonly findings: readonly Finding[];
}

/** The checks of each kind of text; the first that has something to say is the finding. */
const CHECKS: Readonly<Record<TextKind, readonly Check[]>> = {
  NORMAL: [
    checkNumbers,
    checkWords,
    checkNames,
    checkNegation,
    checkCertainty,
    checkAbsolutes,
    checkGrade,
    checkCoordinate,
    warnOfSmallNumbers,
    warnOfNames,
  ],
  NEGATIVE_OBSERVATION: [checkNumbers, checkAbsolutes, checkTruncated, warnOfSmallNumbers],
  STATEMENT: [
    checkNumbers,
    checkWords,
    checkNames,
    checkNegation,
    checkCertainty,
    checkAbsolutes,
    checkGrade,
    warnOfSmallNumbers,
    warnOfNames,
  ],
};

/** Whether a draft says more than the evidence that it cites: rules alone, the same answer everywhere. */
export function reviewDraft(input: ReviewInput): DraftReview {
  const { draft, lookups, limits = REVIEW_LIMITS, cache = createPassageCache() } = input;
  const claims = draftTexts(draft).map((text) => readClaim(text));
  const evidenceOf = gatherEvidence(lookups, claims, cache);
  const findings = claims.flatMap((claim) => reviewClaim(claim, evidenceOf(claim), limits) ?? []);
  return { status: draftStatus(findings, draft.conclusion), findings };
}

function reviewClaim(claim: Claim, evidence: Evidence, limits: ReviewLimits): Finding | null {
  for (const check of CHECKS[claim.kind]) {
    const found = check(claim, evidence, limits);
    if (!found) continue;
    const { status, code, words, field, draftSpan, evidenceSpans } = found;
    const reason = `${code}: ${words}`;
    return { path: `${claim.at}/${field}`, status, reason, draftSpan, evidenceSpans, decidedBy: 'RULES' };
  }
  return null;
}
