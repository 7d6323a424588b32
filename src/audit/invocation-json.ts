import type { Dropped, ToolInvocation } from '../contracts/generated.js';
import { isJsonObject } from '../contracts/json.js';
import { camelCase } from '../contracts/names.js';
import { instantToJson } from '../contracts/record-json.js';

/**
 * A ToolInvocation as the JSON text that people query in the tool_invocation table: snake_case, instants in
 * RFC 3339 UTC. Lone surrogates become U+FFFD on the way, everything else comes back as it was.
 */
export function invocationToJson(event: ToolInvocation): string {
  // Name by name: there are three of them to a lookup, and conversion by rule takes as long as all else here.
  return wellFormedJson({
    event_id: event.eventId,
    caused_by: event.causedBy,
    run_id: event.runId,
    occurred_at: instantToJson(event.occurredAt),
    station: event.station,
    version: event.version,
    kind: event.kind,
    tool_call_id: event.toolCallId,
    tool_name: event.toolName,
    draft_id: event.draftId,
    outcome: event.outcome,
    code: event.code,
    query: event.query,
    evidence_status: event.evidenceStatus,
    relevance_level: event.relevanceLevel,
    top_similarity: event.topSimilarity,
    is_low_quality: event.isLowQuality,
    count_in: event.countIn,
    count_out: event.countOut,
    dropped: event.dropped.map(droppedToJson),
    cuts: event.cuts.map(({ code, documentId }) => ({ code, document_id: documentId })),
    retrieval_trace_json: event.retrievalTraceJson,
    violation_codes: event.violationCodes,
    facts_json: event.factsJson,
    measured: {
      started_at: instantToJson(event.measured.startedAt),
      finished_at: instantToJson(event.measured.finishedAt),
    },
    ext: event.ext,
  });
}

function droppedToJson({ evidenceKey, documentId, originalRank, reason }: Dropped): object {
  return { evidence_key: evidenceKey, document_id: documentId, original_rank: originalRank, reason };
}

/** The ToolInvocation that `invocationToJson` wrote. */
export function invocationFromJson(text: string): ToolInvocation {
  const event = toCamel(JSON.parse(text)) as ToolInvocation;
  return {
    ...event,
    occurredAt: instantFromJson(event.occurredAt),
    measured: {
      startedAt: instantFromJson(event.measured.startedAt),
      finishedAt: instantFromJson(event.measured.finishedAt),
    },
  };
}

function instantFromJson(instant: string | number): number {
  return typeof instant === 'string' ? Date.parse(instant) : instant;
}

/** JSON.stringify writes a lone surrogate, and only that, as an escape beginning with `\ud`. */
function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  return /\\ud[89a-f]/.test(text) ? JSON.stringify(wellFormed(value)) : text;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key.toWellFormed(), wellFormed(field)]),
  );
}

/** The names of `ext` are data and stay as they are. */
function toCamel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamel);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(
    fields.map(([key, field]) => [camelCase(key), key === 'ext' ? field : toCamel(field)]),
  );
}
