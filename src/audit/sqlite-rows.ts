import type { ToolInvocation } from '../contracts/generated.js';
import type { Answer, AnswerKind } from './audit-store.js';
import { invocationToJson } from './invocation-json.js';

/** What the two tables of the audit database hold, one value a column. */

export interface AnswerRow {
  readonly run_id: string;
  readonly kind: AnswerKind;
  readonly id: string;
  readonly event_id: string;
  readonly occurred_at: number;
  readonly value: Buffer;
}

/** A row of tool_invocation: the key columns, and the whole record as JSON. */
export function invocationRow(event: ToolInvocation) {
  return {
    event_id: event.eventId.toWellFormed(),
    run_id: event.runId.toWellFormed(),
    occurred_at: event.occurredAt,
    station: event.station.toWellFormed(),
    version: event.version.toWellFormed(),
    kind: event.kind.toWellFormed(),
    outcome: event.outcome.toWellFormed(),
    code: event.code?.toWellFormed() ?? null,
    tool_call_id: event.toolCallId?.toWellFormed() ?? null,
    tool_name: event.toolName?.toWellFormed() ?? null,
    draft_id: event.draftId?.toWellFormed() ?? null,
    evidence_status: event.evidenceStatus,
    relevance_level: event.relevanceLevel,
    top_similarity: event.topSimilarity,
    is_low_quality: event.isLowQuality === null ? null : Number(event.isLowQuality),
    count_in: event.countIn,
    count_out: event.countOut,
    started_at: event.measured.startedAt,
    finished_at: event.measured.finishedAt,
    record: invocationToJson(event),
  };
}

export function answerRow(answer: Answer): AnswerRow {
  return {
    run_id: answer.runId.toWellFormed(),
    kind: answer.kind,
    id: answer.id.toWellFormed(),
    event_id: answer.eventId.toWellFormed(),
    occurred_at: answer.occurredAt,
    value: answer.value,
  };
}

export function answerFromRow(row: AnswerRow): Answer {
  return {
    runId: row.run_id,
    kind: row.kind,
    id: row.id,
    eventId: row.event_id,
    occurredAt: row.occurred_at,
    value: row.value,
  };
}
