import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import {
  errorMessage,
  errorTable,
  isProoflineError,
  ProoflineError,
  type ErrorCode,
} from '../contracts/errors.js';
import { isValidId } from '../contracts/ids.js';
import { stopRequiredText, type BilingualText } from '../evidence/fixed-texts.js';

/** What goes wrong, as `application/problem+json` (RFC 9457) with the codes of the error table. */

export const PROBLEM_TYPE = 'application/problem+json';

export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly solution: string;
  /** What to tell the model, where there is a fixed text. */
  readonly text?: BilingualText;
}

/** Of codes that a client can do something about; what else passes by itself is 503. */
const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  PL_ID_INVALID: 422,
  PL_INPUT_INVALID: 422,
  PL_NOT_FOUND: 404,
  PL_REPEAT_CONFLICT: 409,
  PL_REVIEW_REFUSED: 409,
  PL_CONTEXT_REFUSED: 409,
  PL_STOP_REQUIRED: 409,
  PL_UNAUTHENTICATED: 401,
  PL_FORBIDDEN: 403,
  PL_HOST_REFUSED: 403,
  PL_METHOD_NOT_ALLOWED: 405,
  PL_BODY_TOO_LARGE: 413,
  PL_RECORD_TOO_LARGE: 413,
  PL_MEDIA_TYPE: 415,
  PL_RATE_LIMITED: 429,
  PL_TOO_MANY_WAITING: 429,
  PL_INTERNAL: 500,
  PL_INVARIANT: 500,
};

/** What is wrong here needs a person, and is wrong with the gateway's side, not with the request. */
const NOT_SERVED = 503;

export function statusOf(code: ErrorCode): number {
  return STATUS[code] ?? NOT_SERVED;
}

export function problemOf(error: ProoflineError): Problem {
  const { code, retryable, solve } = error;
  const status = statusOf(code);
  return {
    status,
    code,
    detail: status >= 500 ? publicMessage(error) : error.message,
    retryable,
    solution: solve,
    ...(code === 'PL_STOP_REQUIRED' ? { text: stopRequiredText } : {}),
  };
}

/** Parameters that may name places and addresses of this side, which are no caller's business. */
const INNER = new Set(['problem', 'problems', 'file', 'folder']);

function publicMessage({ code, params }: ProoflineError): string {
  const shown = Object.entries(params).map(([name, value]) => [
    name,
    INNER.has(name) ? 'the log of the gateway says more' : value,
  ]);
  return errorMessage(code, Object.fromEntries(shown) as ProoflineError['params']);
}

/** A lookup that failed for good, in the words of its own failure. */
export function failureProblem(
  status: number,
  failure: { readonly code: string; readonly message: string; readonly retryable: boolean },
): Problem {
  const { code, message, retryable } = failure;
  const solution = isErrorCode(code) ? errorTable[code].solve : '';
  const text = code === 'PL_STOP_REQUIRED' ? { text: stopRequiredText } : {};
  return { status, code, detail: message, retryable, solution, ...text };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  424: 'Failed Dependency',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Seconds that a client is asked to stay away. */
const RETRY_AFTER_S = 1;

/** Names the kind of problem; docs/errors.md has its row. */
export function problemType(code: string): string {
  return `urn:proofline:error:${code}`;
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, code, detail, retryable, solution, text } = problem;
  if (status === 429 || status === 503) keepRetryAfter(reply);
  if (status === 401) void reply.header('www-authenticate', 'Bearer');
  return reply
    .code(status)
    .type(PROBLEM_TYPE)
    .header('cache-control', 'no-store')
    .send(
      JSON.stringify({
        type: problemType(code),
        title: TITLES[status] ?? 'Error',
        status,
        detail: detail.slice(0, MAX_DETAIL),
        code,
        retryable,
        solution,
        ...instanceOf(request),
        ...(text === undefined ? {} : { text }),
      }),
    );
}

const MAX_DETAIL = 2000;

function keepRetryAfter(reply: FastifyReply): void {
  if (!reply.hasHeader('retry-after')) void reply.header('retry-after', String(RETRY_AFTER_S));
}

/** The path, where nothing in it is the caller's invention. */
function instanceOf({ params, routeOptions }: FastifyRequest): { readonly instance?: string } {
  const ids = (params ?? {}) as Readonly<Record<string, string>>;
  const route = routeOptions.url;
  if (route?.startsWith('/v1/') !== true || !Object.values(ids).every(isValidId)) return {};
  return { instance: route.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '') };
}

/** Our own error of whatever was thrown, Fastify's refusals among it. `bodyLimit`: the route's, in bytes. */
export function toProoflineError(error: unknown, bodyLimit: number | undefined): ProoflineError {
  if (isProoflineError(error)) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  if (isValidationError(error)) return inputInvalid(validationWords(error));
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ProoflineError('PL_BODY_TOO_LARGE', { limit: bodyLimit ?? 'as many' });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ProoflineError('PL_MEDIA_TYPE');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return inputInvalid('the body is no JSON');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return inputInvalid('the body is not as long as Content-Length says');
    default:
      return isClientFault(statusCode)
        ? inputInvalid('the request cannot be read')
        : new ProoflineError('PL_INTERNAL', {}, { cause: error });
  }
}

function isClientFault(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

export function inputInvalid(problem: string): ProoflineError {
  return new ProoflineError('PL_INPUT_INVALID', { problem });
}

interface ValidationError {
  readonly validation: readonly { readonly instancePath?: string; readonly message?: string }[];
  readonly validationContext?: string;
}

function isValidationError(error: unknown): error is ValidationError {
  return Array.isArray((error as Partial<ValidationError> | null)?.validation);
}

const PROBLEMS_SHOWN = 5;

function validationWords({ validation, validationContext = 'the request' }: ValidationError): string {
  const words = validation
    .slice(0, PROBLEMS_SHOWN)
    .map(
      ({ instancePath = '', message = 'is not valid' }) =>
        `${placeOf(validationContext, instancePath)}: ${message}`,
    );
  return words.join('; ');
}

function placeOf(context: string, path: string): string {
  const place = context === 'querystring' ? 'query' : context;
  return path === '' || path === '/' ? `the ${place}` : path.slice(1).replaceAll('/', '.').slice(0, 200);
}
