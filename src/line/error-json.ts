import { isProoflineError, ProoflineError, errorTable, type ErrorCode } from '../contracts/errors.js';
import { isJsonObject, type JsonObject } from '../contracts/json.js';

/** An error as programs read it. `code` is null for one that nobody foresaw. */
export interface ErrorJson {
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly solve: string;
  readonly retryable: boolean;
}

const UNFORESEEN =
  'This is a fault of proofline. PROOFLINE_DEBUG=1 prints where it happened; please report it.';

export function errorToJson(error: unknown): ErrorJson {
  if (isProoflineError(error)) {
    const { code, message, solve, retryable } = error;
    return { code, message, solve, retryable };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: null,
    message: `Something unexpected happened: ${message}`,
    solve: UNFORESEEN,
    retryable: false,
  };
}

/** The error, with what rebuilds it at the other end of a socket. */
export function errorToWire(error: unknown): JsonObject {
  const params = isProoflineError(error) ? error.params : {};
  return { error: { ...errorToJson(error), params } };
}

/** The error that `errorToWire` wrote; null where the value is none. */
export function errorFromWire(value: unknown): Error | null {
  const error = isJsonObject(value) ? value['error'] : undefined;
  if (!isJsonObject(error)) return null;
  const { code, message, params } = error;
  if (typeof code !== 'string' || !Object.hasOwn(errorTable, code)) return new Error(String(message));
  return new ProoflineError(code as ErrorCode, isJsonObject(params) ? (params as never) : {});
}
