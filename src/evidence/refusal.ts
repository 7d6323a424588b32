import { errorMessage, errorTable } from '../contracts/errors.js';
import type { ErrorCode, ErrorParams } from '../contracts/errors.js';
import type { Failure } from '../contracts/generated.js';

/** What a rule answers instead of a result when its input cannot be worked on. Rules never throw for that. */
export interface Refusal {
  /** Fits a record's `failure`: code, English text, and whether a new lookup may succeed. */
  readonly error: Failure & { readonly code: ErrorCode };
}

export function refusal(code: ErrorCode, params: ErrorParams): Refusal {
  return { error: { code, message: errorMessage(code, params), retryable: errorTable[code].retryable } };
}
