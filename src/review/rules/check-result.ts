import type { EvidenceSpan, Place, ReviewStatus } from '../../contracts/generated.js';
import { cutText } from '../../text/text.js';
import type { Claim } from './claim.js';
import type { Evidence } from './evidence-text.js';
import type { ReviewCode } from './rule-table.js';

export interface ReviewLimits {
  /** A number with as many integer digits must be in the evidence; a smaller one is warned about. */
  readonly minDigits: number;
  /** Texts with fewer content words are not evaluated. */
  readonly minWords: number;
  /** Share of distinct content words that the evidence must have. */
  readonly minShare: number;
}

export const REVIEW_LIMITS: ReviewLimits = { minDigits: 3, minWords: 3, minShare: 0.3 };

/** What one check found. */
export interface CheckResult {
  readonly status: ReviewStatus;
  readonly code: ReviewCode;
  /** For a person. */
  readonly words: string;
  /** Field of the checked object that the finding is about. */
  readonly field: 'text' | 'document_ids';
  /** Null where it is not about words of the text. */
  readonly draftSpan: Place | null;
  /** What they were held against: the nearest words, else whole excerpts; empty where nothing was shown. */
  readonly evidenceSpans: readonly EvidenceSpan[];
}

/** Null: nothing to say. */
export type Check = (claim: Claim, evidence: Evidence, limits: ReviewLimits) => CheckResult | null;

/** A finding about `text`, unless told otherwise. */
export function result(
  status: ReviewStatus,
  code: ReviewCode,
  words: string,
  more: Partial<Pick<CheckResult, 'field' | 'draftSpan' | 'evidenceSpans'>> = {},
): CheckResult {
  return { status, code, words, field: 'text', draftSpan: null, evidenceSpans: [], ...more };
}

const WORDS_SHOWN = 80;

/** The words of the draft, quoted. */
export function said(claim: Claim, place: Place): string {
  return quoted(claim.text, place);
}

export function quoted(text: string, { start, end }: Place): string {
  return `"${cutText(text.slice(start, end), WORDS_SHOWN)}"`;
}

export function placeOf({ start, end }: Place): Place {
  return { start, end };
}

/** Null for a text without any. */
export function wholeOf({ text }: Claim): Place | null {
  return text === '' ? null : { start: 0, end: text.length };
}
