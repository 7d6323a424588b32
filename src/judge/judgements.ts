import { errorMessage, type ErrorCode, type ErrorParams } from '../contracts/errors.js';
import type { JudgedClaim, Judgement } from './judge.js';

/** The judgements that hold no score. */

const unscored = {
  faithfulnessScore: null,
  contextRelevanceScore: null,
  answerRelevanceScore: null,
  reason: '',
  rawOutput: '',
  answersClaims: false,
  notes: [],
} as const;

/** What rules can tell of an answer without a model. */
export function settled(outcome: 'NO_CLAIMS' | 'ABSTAINED', claims: readonly JudgedClaim[] = []): Judgement {
  return { ...unscored, outcome, claims, failure: null, source: 'RULES' };
}

/** @param rawOutput what the judge answered, where it did */
export function failed(code: ErrorCode, params: ErrorParams, rawOutput = ''): Judgement {
  const failure = { code, message: errorMessage(code, params) };
  return { ...unscored, rawOutput, outcome: 'FAILED', claims: [], failure, source: 'ASKED' };
}
