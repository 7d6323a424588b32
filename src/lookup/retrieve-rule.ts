import { sha256 } from '../contracts/digest.js';
import { errorMessage, errorTable, type ErrorCode, type ErrorParams } from '../contracts/errors.js';
import type { Failure, Hit, LookupRequested, RawHits } from '../contracts/generated.js';
import { lookupEventId, requestSha256 } from '../contracts/ids.js';
import { isJsonObject, parseJson, type JsonObject } from '../contracts/json.js';
import type { Signer } from '../ledger/keyring.js';
import type { KnownEntry } from '../ledger/ledger-lane.js';
import { newEntry, type NewEntry } from '../ledger/new-entry.js';
import { invocation } from '../station/invocation.js';
import type { Emission, Message, Outcome, RecordSize } from '../station/station.js';
import { cutText } from '../text/text.js';
import { planFacts, retrievedFacts } from '../trace/hit-facts.js';

/**
 * The rule of the retrieve station: what a lookup request comes to, once its ledger entry was read and the
 * retriever was asked. No I/O, no clock.
 */

export type Request = Message<'lookup-requested.v1'>;

export interface RetrieveConfig {
  /** Lookups that one lane asks the retriever at a time. */
  readonly concurrency: number;
  /** A retrieval that takes longer has its PENDING written beforehand, in a step of its own. */
  readonly earlyPendingMs: number;
  /** A lookup waits no longer than this for a retriever that is down. */
  readonly longestWaitMs: number;
  /** How long evidence may be cited where the lookup does not say. */
  readonly defaultTtlMs: number;
  readonly maxTopK: number;
  readonly maxQueryChars: number;
}

const DAY_MS = 86_400_000;

export const retrieveDefaults: RetrieveConfig = {
  concurrency: 16,
  earlyPendingMs: 100,
  longestWaitMs: 15 * 60_000,
  defaultTtlMs: DAY_MS,
  maxTopK: 100,
  maxQueryChars: 20_000,
};

/** What is known of a request: found, failed, asked before, refused, or nothing yet because the retriever is down. */
export type Plan =
  | { readonly kind: 'found'; readonly hits: readonly Hit[]; readonly trace: JsonObject; pending: boolean }
  | { readonly kind: 'failed'; readonly failure: Failure; pending: boolean }
  | { readonly kind: 'repeat' }
  /** Its run may ask no more. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'down'; readonly problem: string; readonly retryAfterMs: number | null };

/** Refuses a record whose id is not what it says, or whose instants no date can hold. */
export function admitRequest(request: LookupRequested): { code: ErrorCode; params: ErrorParams } | null {
  const { runId, toolCallId, toolName, query, mode, topK, filtersJson } = request;
  const filters = parseJson(filtersJson) ?? null;
  const digest = requestSha256(sha256, { toolName, query, mode, filters, topK });
  const expected = lookupEventId(sha256, { runId, toolCallId, requestSha256: digest });
  if (request.requestSha256 !== digest || request.eventId !== expected) {
    return { code: 'PL_EVENT_ID', params: { found: request.eventId.slice(0, 64), expected } };
  }
  const { occurredAt, ttlMs } = request;
  if (occurredAt < 0 || occurredAt > MAX_INSTANT || (ttlMs !== null && (ttlMs < 0 || ttlMs > 366 * DAY_MS))) {
    return {
      code: 'PL_INVARIANT',
      params: { problem: `occurred_at ${occurredAt} or ttl_ms ${ttlMs ?? 'null'} is out of range` },
    };
  }
  return null;
}

/** The year 2200, in epoch milliseconds. */
const MAX_INSTANT = 7_258_118_400_000;

/** What an entry, or an earlier request of the batch, makes of this one; null when it is the first. */
export function repeatOf(
  request: LookupRequested,
  offset: number,
  known: KnownEntry | undefined,
  acceptedSha256: string | undefined,
): Plan | null {
  if (known === undefined && acceptedSha256 === undefined) return null;
  const entry = known?.entry ?? null;
  // The same record again, after a crash between PENDING and the step: it goes on.
  if (entry?.state === 'PENDING' && entry.requestOffset === offset) return null;
  const first = entry?.requestSha256 ?? acceptedSha256;
  return { kind: first === undefined || first === request.requestSha256 ? 'repeat' : 'conflict' };
}

/**
 * What a run that may ask no more makes of a request that is no repeat. One that was accepted before is on its way, and
 * is answered.
 */
export function stopOf(known: KnownEntry | undefined, mustStop: boolean): Plan | null {
  return mustStop && known === undefined ? { kind: 'stopped' } : null;
}

export function refusalOf(request: LookupRequested, filters: unknown, config: RetrieveConfig): string | null {
  if (request.query.length > config.maxQueryChars)
    return `the query is longer than ${config.maxQueryChars} characters`;
  if (request.mode !== 'hybrid' && request.mode !== 'semantic') return 'mode is neither hybrid nor semantic';
  if (!isJsonObject(filters)) return 'filters_json is no JSON object';
  if (request.topK < 1 || request.topK > config.maxTopK) return `top_k is not within 1 and ${config.maxTopK}`;
  return null;
}

export function failed(code: ErrorCode, params: ErrorParams): Extract<Plan, { kind: 'failed' }> {
  const failure = { code, message: errorMessage(code, params), retryable: errorTable[code].retryable };
  return { kind: 'failed', failure, pending: false };
}

/** Pure: what a request and its plan come to. */
export function decideRetrieve(
  request: Request,
  plan: Plan | undefined,
  config: RetrieveConfig,
  signer: Signer,
): Outcome {
  switch (plan?.kind) {
    case 'found': {
      const body = {
        ...carried(request, config, 'HITS'),
        hits: plan.hits,
        retrievalTraceJson: JSON.stringify(plan.trace),
      };
      return accepted(
        request,
        plan.pending,
        config,
        signer,
        { topic: 'raw-hits.v1', body },
        foundNote(request, plan),
      );
    }
    case 'failed': {
      const body = { ...carried(request, config, 'FAILURE'), failure: plan.failure };
      return accepted(
        request,
        plan.pending,
        config,
        signer,
        { topic: 'raw-hits.v1', body },
        note(request, 'FAILURE', plan.failure.code),
      );
    }
    case 'repeat':
      return passedOn(request, config, 'REPEAT', null);
    case 'conflict':
      return refused(request, config, 'PL_REPEAT_CONFLICT', {
        what: `tool_call_id ${request.value.toolCallId}`,
      });
    case 'stopped':
      return refused(request, config, 'PL_STOP_REQUIRED', {});
    case 'down':
      return {
        kind: 'not-yet',
        code: 'PL_RETRIEVAL_DOWN',
        params: { problem: plan.problem },
        ...(plan.retryAfterMs === null ? {} : { retryAfterMs: plan.retryAfterMs }),
      };
    case undefined:
      throw new Error('the request was not prepared');
  }
}

/**
 * What a request comes to whose records no topic takes: evidence that is too large fails the lookup, and what the
 * request itself brought is not passed on. A digest of it is in every record that follows.
 */
export function decideTooLarge(
  { value, ...request }: Request,
  plan: Plan | undefined,
  size: RecordSize,
  config: RetrieveConfig,
  signer: Signer,
): Outcome {
  const short = { ...value, query: cutText(value.query, config.maxQueryChars), filtersJson: '{}' };
  const fitting =
    plan?.kind === 'found'
      ? { ...failed('PL_EVIDENCE_TOO_LARGE', { ...size }), pending: plan.pending }
      : plan;
  return decideRetrieve({ ...request, value: short }, fitting, config, signer);
}

/** What a lookup's PENDING says: accepted, and nothing yet. */
export function pendingEntry({ value, record }: Request, config: RetrieveConfig, signer: Signer): NewEntry {
  const { runId, toolCallId, toolName, eventId, requestSha256: digest } = value;
  const frame = {
    toolCallId,
    toolName,
    requestEventId: eventId,
    requestSha256: digest,
    requestOffset: record.offset,
    expiresAt: expiryOf(value, config),
  };
  return newEntry(runId, frame, { state: 'PENDING' }, signer);
}

function expiryOf({ occurredAt, ttlMs }: LookupRequested, config: RetrieveConfig): number {
  return occurredAt + (ttlMs ?? config.defaultTtlMs);
}

function carried({ value, record }: Request, config: RetrieveConfig, outcome: RawHits['outcome']) {
  const { toolCallId, toolName, eventId, requestSha256: digest, query, mode, filtersJson, topK } = value;
  return {
    toolCallId,
    toolName,
    outcome,
    requestEventId: eventId,
    requestSha256: digest,
    requestOffset: record.offset,
    expiresAt: expiryOf(value, config),
    query,
    mode,
    filtersJson,
    topK,
    hits: [],
    retrievalTraceJson: '{}',
    failure: null,
  };
}

function accepted(
  request: Request,
  pendingWritten: boolean,
  config: RetrieveConfig,
  signer: Signer,
  answer: Emission,
  note: Outcome & { kind: 'emit' },
): Outcome {
  const pending = pendingWritten ? [] : [pendingEntry(request, config, signer).emission];
  return { ...note, records: [...pending, answer] };
}

function refused(request: Request, config: RetrieveConfig, code: ErrorCode, params: ErrorParams): Outcome {
  const failure = { code, message: errorMessage(code, params), retryable: false };
  return passedOn(request, config, 'REFUSED', failure);
}

function passedOn(
  request: Request,
  config: RetrieveConfig,
  outcome: 'REPEAT' | 'REFUSED',
  failure: Failure | null,
): Outcome {
  const body = { ...carried(request, config, outcome), failure };
  return {
    ...note(request, outcome, failure?.code ?? null),
    records: [{ topic: 'raw-hits.v1', mark: outcome, body }],
  };
}

function note({ value }: Request, outcome: string, code: string | null): Outcome & { kind: 'emit' } {
  const { toolCallId, toolName, query } = value;
  return {
    kind: 'emit',
    records: [],
    invocation: invocation({
      kind: 'RETRIEVE',
      outcome,
      code,
      toolCallId,
      toolName,
      query,
      countIn: 1,
      countOut: 0,
    }),
  };
}

/** The audit keeps which hits there were, without their text. */
function foundNote({ value }: Request, plan: Extract<Plan, { kind: 'found' }>): Outcome & { kind: 'emit' } {
  const { toolCallId, toolName, query, mode, topK, queryPlanJson } = value;
  return {
    kind: 'emit',
    records: [],
    invocation: invocation({
      kind: 'RETRIEVE',
      outcome: 'HITS',
      toolCallId,
      toolName,
      query,
      countIn: 1,
      countOut: plan.hits.length,
      retrievalTraceJson: JSON.stringify(plan.trace),
      facts: { mode, top_k: topK, ...planFacts(queryPlanJson), ...retrievedFacts(plan.hits) },
    }),
  };
}
