import { isJsonObject, parseJson, type JsonObject } from '../contracts/json.js';
import { createSeenEvents } from '../contracts/seen-events.js';
import { nestsAtMost } from '../evidence/foreign-json.js';
import { followEvents, type StreamOptions } from './event-stream.js';
import { unusable } from './records.js';
import type { Transport } from './transport.js';

/** The progress of a run. */

export type RunEventName =
  | 'lookup.requested'
  | 'lookup.answered'
  | 'draft.submitted'
  | 'draft.judged'
  | 'draft.reviewed'
  | 'repair.requested'
  | 'run.outcome';

export interface RunEvent {
  /** The event_id; what comes again under it is the same event, and is left out. */
  readonly id: string;
  /** One of RunEventName; a newer gateway may know more. */
  readonly event: RunEventName | (string & {});
  readonly runId: string;
  /** RFC 3339. */
  readonly occurredAt: string | null;
  readonly toolCallId: string | null;
  readonly draftId: string | null;
  /** Everything that the gateway says, as it says it. Never text of evidence. */
  readonly data: JsonObject;
}

const DEPTH = 16;

/**
 * What is known of the run, then what comes, each event once, until the signal aborts or the caller breaks.
 * @throws ProoflineApiError
 */
export async function* runEvents(
  transport: Transport,
  runId: string,
  options: StreamOptions,
): AsyncGenerator<RunEvent> {
  const seen = createSeenEvents({ runs: 1 });
  for await (const { id, event, data } of followEvents(transport, options)) {
    const json = parseJson(data);
    if (!isJsonObject(json) || !nestsAtMost(json, DEPTH))
      throw unusable('the data of an event is no JSON object');
    if (id !== undefined && id !== '') {
      if (seen.has(id, runId)) continue;
      seen.add(id, runId);
    }
    yield {
      id: id ?? '',
      event: event ?? textIn(json, 'event') ?? 'message',
      runId: textIn(json, 'run_id') ?? runId,
      occurredAt: textIn(json, 'occurred_at'),
      toolCallId: textIn(json, 'tool_call_id'),
      draftId: textIn(json, 'draft_id'),
      data: json,
    };
  }
}

function textIn(json: JsonObject, name: string): string | null {
  const text = json[name];
  return typeof text === 'string' ? text : null;
}
