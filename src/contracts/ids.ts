import canonicalize from 'canonicalize';
import type { Sha256 } from '../text/text.js';
import { ProoflineError } from './errors.js';
import type { DraftSubmitted, LookupRequested, ReviewDecision } from './generated.js';
import type { TopicName } from './topics.js';

/** 1 to 128 characters, the first a letter or digit. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._:@=+-]{0,127}$/;

/** The draft_id of a run that the harness gave up; nobody else may use it. */
export const GIVEN_UP_DRAFT_ID = 'given-up';

/** True for a run_id, tool_call_id or draft_id that a door lets in. */
export function isValidId(id: string): boolean {
  return ID.test(id);
}

/** @throws ProoflineError PL_ID_INVALID naming the field. */
export function assertValidId(field: 'run_id' | 'tool_call_id' | 'draft_id', id: string): void {
  const reserved = field === 'draft_id' && id === GIVEN_UP_DRAFT_ID;
  if (!isValidId(id) || reserved) throw new ProoflineError('PL_ID_INVALID', { field, id: printable(id) });
}

function printable(id: string): string {
  return JSON.stringify(id.length > 64 ? `${id.slice(0, 64)}…` : id);
}

/**
 * An event's id: the first 32 hex digits of the SHA-256 of a fixed line and the JSON array of what the event
 * is about, so that doing the same again makes the same id.
 */
function eventId(sha256: Sha256, parts: readonly (string | number)[]): string {
  return sha256(`proofline-event-1\n${JSON.stringify(parts)}`).slice(0, 32);
}

/** Of a record that a station emits. `topic` is the name without the prefix; `ordinal` counts per topic. */
export function derivedEventId(
  sha256: Sha256,
  from: {
    station: string;
    runId: string;
    inputEventId: string;
    topic: TopicName;
    ordinal: number;
    mark?: 'REPEAT' | 'REFUSED';
  },
): string {
  const parts = [from.station, from.runId, from.inputEventId, from.topic, from.ordinal];
  return eventId(sha256, from.mark === undefined ? parts : [...parts, from.mark]);
}

/** Of a lookup, by whoever asks. */
export function lookupEventId(
  sha256: Sha256,
  lookup: Pick<LookupRequested, 'runId' | 'toolCallId' | 'requestSha256'>,
): string {
  return eventId(sha256, ['lookup', lookup.runId, lookup.toolCallId, lookup.requestSha256]);
}

/** Of a draft, by whoever hands it in. */
export function draftEventId(
  sha256: Sha256,
  draft: Pick<DraftSubmitted, 'runId' | 'draftId' | 'draftJson'>,
): string {
  const digest = draft.draftJson === null ? '' : sha256(draft.draftJson);
  return eventId(sha256, ['draft', draft.runId, draft.draftId, digest]);
}

/** Of a draft that the harness hands in for a run whose deadline (epoch milliseconds) passed. */
export function deadlineEventId(
  sha256: Sha256,
  of: { station: string; runId: string; deadline: number; topic: TopicName; ordinal: number },
): string {
  return eventId(sha256, [of.station, of.runId, of.deadline, of.topic, of.ordinal]);
}

/** Of a person's decision: the first about a verdict counts. */
export function decisionEventId(
  sha256: Sha256,
  decision: Pick<ReviewDecision, 'runId' | 'draftId' | 'verdictEventId'>,
): string {
  return eventId(sha256, ['decision', decision.runId, decision.draftId, decision.verdictEventId]);
}

/** Of a context that was assembled in a run. The context's id is of what it says, so that the same one is one event. */
export function contextEventId(
  sha256: Sha256,
  context: { readonly runId: string; readonly contextId: string },
): string {
  return eventId(sha256, ['context', context.runId, context.contextId]);
}

/**
 * Of what a draft's generation used, filled in after the fact. `after` is the event before it: so the same again changes
 * nothing, and what was said before can be said once more after something else.
 */
export function usageEventId(
  sha256: Sha256,
  usage: {
    readonly runId: string;
    readonly draftId: string;
    readonly usageSha256: string;
    readonly after: string | null;
  },
): string {
  return eventId(sha256, ['usage', usage.runId, usage.draftId, usage.usageSha256, usage.after ?? '']);
}

/** Of a dead letter: a record is given up by a station once. */
export function deadLetterEventId(
  sha256: Sha256,
  of: { station: string; topic: TopicName; partition: number; offset: number },
): string {
  return eventId(sha256, ['dead-letter', of.station, of.topic, of.partition, of.offset]);
}

/** What makes two lookups the same question: SHA-256 of the RFC 8785 JSON of these five. */
export function requestSha256(
  sha256: Sha256,
  request: { toolName: string; query: string; mode: string; filters: unknown; topK: number },
): string {
  const filters = canonicalize(request.filters);
  if (filters === undefined)
    throw new ProoflineError('PL_INPUT_INVALID', { problem: 'the request is no JSON' });
  const [mode, query, toolName, topK] = [request.mode, request.query, request.toolName, request.topK].map(
    (value) => canonicalize(value) ?? '',
  );
  // Keys in RFC 8785's order, written out: this is done for each lookup by everybody who reads it.
  return sha256(
    `{"filters":${filters},"mode":${mode},"query":${query},"tool_name":${toolName},"top_k":${topK}}`,
  );
}
