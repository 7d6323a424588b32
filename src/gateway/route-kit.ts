import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { sha256 } from '../contracts/digest.js';
import { isProoflineError, ProoflineError } from '../contracts/errors.js';
import type { Headers } from '../bus/bus.js';
import { assertValidId } from '../contracts/ids.js';
import type { Asking } from '../line/doors.js';
import { TRACEPARENT } from '../station/traceparent.js';
import { callerOf } from './access.js';
import type { GatewayLine } from './gateway-line.js';
import type { Places } from './places.js';
import { inputInvalid } from './problems.js';

/** What the routes have in common. */

/** The routes' schemas are zod's, and give their types. */
export type GatewayApp = ReturnType<typeof typed>;

export function typed(app: FastifyInstance) {
  return app.withTypeProvider<ZodTypeProvider>();
}

export interface RouteContext {
  /** @throws ProoflineError PL_NOT_SERVING while there is none */
  readonly line: () => GatewayLine;
  readonly waits: Places;
  readonly readers: Places;
  /** Calls back once when the token of a stream's reader is none any more. Answers with what ends the watch. */
  readonly watchGrant: (request: FastifyRequest, onLost: () => void) => () => void;
  /** Aborted when the process is to end: who waits is told to ask again. */
  readonly draining: AbortSignal;
  /** Bytes of the largest draft. */
  readonly draftBytes: number;
}

/** @throws ProoflineError PL_ID_INVALID */
export function assertIds(params: {
  readonly run_id: string;
  readonly tool_call_id?: string;
  readonly draft_id?: string;
}): void {
  const { run_id: run, tool_call_id: call, draft_id: draft } = params;
  assertValidId('run_id', run);
  if (call !== undefined) assertValidId('tool_call_id', call);
  if (draft !== undefined) assertValidId('draft_id', draft);
}

/**
 * The id that the body names, else the one that follows from the idempotency key: the same key is the same id.
 * @throws ProoflineError PL_INPUT_INVALID where there is neither
 */
export function idOf(field: string, named: string | null | undefined, key: string | undefined): string {
  if (named !== null && named !== undefined) return named;
  if (key === undefined)
    throw inputInvalid(`${field} is missing, and there is no Idempotency-Key in its place`);
  return `key-${sha256(key).slice(0, 32)}`;
}

/** The trace that the request belongs to, for the records. */
export function traceOf({ headers }: FastifyRequest): Headers {
  const parent = headers[TRACEPARENT];
  return typeof parent === 'string' ? { [TRACEPARENT]: parent } : {};
}

/**
 * Waits in one of the places, for as long as the caller does: who goes away frees it at once. Null when there is no
 * answer in time.
 */
export async function waiting<T>(
  { waits, draining }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  wait: (how: Asking) => Promise<T>,
): Promise<T | null> {
  const leave = waits.take(callerOf(request));
  const ended = new AbortController();
  const end = (): void => ended.abort(new Ended());
  // The response closes before it was sent when the caller goes away.
  reply.raw.once('close', end);
  draining.addEventListener('abort', end);
  try {
    // Also who was gone before anybody listened: such a response closes no more.
    if (draining.aborted || reply.raw.destroyed) end();
    const asked = wait({ signal: ended.signal, headers: traceOf(request) });
    asked.catch(() => undefined);
    return await Promise.race([asked, abortOf(ended.signal)]);
  } catch (error) {
    if (error instanceof Ended || isProoflineError(error, 'PL_TIMEOUT')) return null;
    throw error;
  } finally {
    reply.raw.off('close', end);
    draining.removeEventListener('abort', end);
    leave();
  }
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** The caller went away, or the process is to end. */
class Ended extends Error {}

/** Milliseconds of `wait`, which timers take as at least one. */
export function milliseconds(wait: number): number {
  return Math.max(1, Math.round(wait * 1000));
}

/** What is not essential to an answer is left out while its store is down. */
export async function unlessDown<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isProoflineError(error) && error.retryable) return null;
    throw error;
  }
}

/** Seconds after which a pending answer is asked for again. */
const ASK_AGAIN_S = 1;

export function sendPending(
  reply: FastifyReply,
  location: string,
  ids: { readonly run_id: string; readonly tool_call_id?: string; readonly draft_id?: string },
): FastifyReply {
  return reply
    .code(202)
    .header('location', location)
    .header('retry-after', String(ASK_AGAIN_S))
    .send({ ...ids, state: 'PENDING', location });
}

export function sendJson(reply: FastifyReply, value: object): FastifyReply {
  return reply.type('application/json').header('cache-control', 'no-store').send(JSON.stringify(value));
}

/** Ids hold nothing that a path escapes, but `+`, `=`, `@` and `:`, which it may hold as they are. */
export function pathOf(runId: string, kind: 'lookups' | 'drafts', id: string): string {
  return `/v1/runs/${runId}/${kind}/${id}`;
}

export function notFound(what: string): ProoflineError {
  return new ProoflineError('PL_NOT_FOUND', { what });
}
