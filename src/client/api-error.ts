import { errorMessage, errorTable, type ErrorCode, type ErrorParams } from '../contracts/errors.js';
import { isJsonObject, type JsonObject } from '../contracts/json.js';

/** A text in both languages of the line. */
export interface BilingualText {
  readonly zh: string;
  readonly en: string;
}

interface Details {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly solution: string;
  readonly status: number | null;
  readonly text: BilingualText | null;
  readonly retryAfterMs: number | null;
}

/** Everything that the client throws, but for the reason of an aborted signal. */
export class ProoflineApiError extends Error {
  override readonly name = 'ProoflineApiError';
  /** A code of docs/errors.md, `PL_…`; a newer gateway may know more of them. */
  readonly code: string;
  /** True where the same may work later without anybody changing it. */
  readonly retryable: boolean;
  /** What to do next, for the person who reads it. */
  readonly solution: string;
  /** HTTP status; null where there was no answer, or none that can be used. */
  readonly status: number | null;
  /** What to tell the model, where there is a fixed text. */
  readonly text: BilingualText | null;
  /** How long the gateway asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(details: Details, options?: ErrorOptions) {
    super(details.message, options);
    this.code = details.code;
    this.retryable = details.retryable;
    this.solution = details.solution;
    this.status = details.status;
    this.text = details.text;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** True for a ProoflineApiError, also one from another copy of this module, of one of these codes (of any, without). */
export function isProoflineApiError(error: unknown, ...codes: readonly string[]): error is ProoflineApiError {
  if (!(error instanceof Error) || error.name !== 'ProoflineApiError') return false;
  return codes.length === 0 || codes.includes((error as ProoflineApiError).code);
}

/** An error that the client itself found. */
export function clientError(code: ErrorCode, params: ErrorParams, options?: ErrorOptions): ProoflineApiError {
  const { retryable, solve } = errorTable[code];
  return new ProoflineApiError(
    {
      code,
      message: errorMessage(code, params),
      retryable,
      solution: solve,
      status: null,
      text: null,
      retryAfterMs: null,
    },
    options,
  );
}

/** What an answer that is no success says: a problem of RFC 9457, or whatever stands between sent instead of one. */
export function problemError(status: number, body: unknown, retryAfterMs: number | null): ProoflineApiError {
  if (!isJsonObject(body) || typeof body['code'] !== 'string') return foreignProblem(status, retryAfterMs);
  const { code, retryable } = body;
  const title = textOf(body, 'title') ?? `HTTP ${status}`;
  return new ProoflineApiError({
    code,
    message: textOf(body, 'detail') ?? title,
    retryable: retryable === true,
    solution: textOf(body, 'solution') ?? '',
    status,
    text: bilingual(body['text']),
    retryAfterMs,
  });
}

/** A proxy's page, or nothing: all there is to go by is the status. */
function foreignProblem(status: number, retryAfterMs: number | null): ProoflineApiError {
  const code: ErrorCode = isTransient(status) ? 'PL_GATEWAY_DOWN' : 'PL_GATEWAY_ANSWER';
  return new ProoflineApiError({
    code,
    message: errorMessage(code, { problem: `HTTP ${status} without a problem of its own` }),
    retryable: errorTable[code].retryable,
    solution: errorTable[code].solve,
    status,
    text: null,
    retryAfterMs,
  });
}

/** Statuses that say "later": too many requests, and what is down behind a proxy. */
function isTransient(status: number): boolean {
  return status === 429 || status >= 500;
}

/** True for what waiting may mend: there was no answer at all, or one that says "later". A 4xx is never, but for 429. */
export function mayPass({ status, retryable }: ProoflineApiError): boolean {
  return retryable && (status === null || isTransient(status));
}

function textOf(body: JsonObject, name: string): string | null {
  const text = body[name];
  return typeof text === 'string' && text !== '' ? text : null;
}

export function bilingual(value: unknown): BilingualText | null {
  if (!isJsonObject(value)) return null;
  const { zh, en } = value;
  return typeof zh === 'string' && typeof en === 'string' ? { zh, en } : null;
}
