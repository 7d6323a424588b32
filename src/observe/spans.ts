import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { Headers, StoredRecord } from '../bus/bus.js';
import type { ErrorCode } from '../contracts/errors.js';
import type { Decision } from '../station/decide-batch.js';
import { formatTraceparent, parseTraceparent, TRACEPARENT } from '../station/traceparent.js';
import { recordIds } from './record-ids.js';
import type { TraceIds } from './trace-ids.js';

/** The spans of one lane's life: one a record, from when it is first at hand until it is committed. */
export interface LaneSpans {
  began(batch: readonly StoredRecord[]): void;
  inherited(record: StoredRecord): Headers;
  /** `stages` are those of the batch: how long each took, in milliseconds. */
  committed(batch: readonly StoredRecord[], decisions: readonly Decision[], stages: Attributes): void;
  waits(code: ErrorCode): void;
  /** The lane ended before these were committed: by an error, or, with null, because it was let go. */
  failed(code: ErrorCode | null): void;
}

interface Traced {
  readonly span: Span;
  /** For the outputs. */
  readonly headers: Headers;
}

export function createLaneSpans(tracer: Tracer, ids: TraceIds, station: string): LaneSpans {
  /** By topic and offset, of what is not committed yet: a record that waits keeps its span. */
  const open = new Map<string, Traced>();

  function start(record: StoredRecord, records: number): Traced {
    const { topic, partition, offset } = record;
    const names = recordIds(record);
    const attributes = {
      'proofline.topic': topic,
      'proofline.partition': partition,
      'proofline.offset': offset,
      'proofline.batch_records': records,
      ...(names.run_id === undefined ? {} : { 'proofline.run_id': names.run_id }),
      ...(names.event_id === undefined ? {} : { 'proofline.event_id': names.event_id }),
    };
    const parent = parentOf(record);
    if (parent === null) ids.begin(names.run_id ?? null);
    const span = tracer.startSpan(station, { kind: SpanKind.CONSUMER, attributes }, parent ?? ROOT_CONTEXT);
    const { traceId, spanId, traceFlags } = span.spanContext();
    const traceparent = formatTraceparent({ traceId, spanId, flags: traceFlags });
    return { span, headers: { [TRACEPARENT]: traceparent } };
  }

  return {
    began(batch) {
      for (const record of batch) {
        // Tombstones and barriers are nobody's lookup.
        if (record.value === null || open.has(keyOf(record))) continue;
        open.set(keyOf(record), start(record, batch.length));
      }
    },
    inherited: (record) => open.get(keyOf(record))?.headers ?? record.headers,
    committed(batch, decisions, stages) {
      for (const [i, record] of batch.entries()) {
        const traced = open.get(keyOf(record));
        if (traced === undefined) continue;
        open.delete(keyOf(record));
        end(traced.span, decisions[i], stages);
      }
    },
    waits(code) {
      for (const { span } of open.values()) span.setAttribute('proofline.waited_for', code);
    },
    failed(code) {
      for (const { span } of open.values()) {
        if (code === null) span.setAttribute('proofline.outcome', 'LET_GO');
        else span.setAttribute('proofline.code', code).setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      }
      open.clear();
    },
  };
}

function keyOf({ topic, offset }: StoredRecord): string {
  return `${topic}/${offset}`;
}

/** Null where nobody began a trace, or what the header says is no trace. */
function parentOf({ headers }: StoredRecord): Context | null {
  const parent = parseTraceparent(headers[TRACEPARENT]);
  if (parent === null) return null;
  const { traceId, spanId, flags } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flags & 1, isRemote: true });
}

function end(span: Span, decision: Decision | undefined, stages: Attributes): void {
  if (span.isRecording()) {
    span.setAttributes({ ...stages, ...(decision === undefined ? {} : attributesOf(decision)) });
    if (decision?.outcome.kind === 'dead-letter') span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** Names, codes and counts of what was decided; nothing that anybody wrote. */
function attributesOf({ outcome, records }: Decision): Attributes {
  const note = outcome.kind === 'not-yet' ? undefined : outcome.invocation;
  const code = (outcome.kind === 'dead-letter' ? outcome.code : note?.code) ?? null;
  return {
    'proofline.outcome': outcome.kind === 'dead-letter' ? 'DEAD_LETTER' : (note?.outcome ?? 'DONE'),
    'proofline.records_out': records.length,
    ...(code === null ? {} : { 'proofline.code': code }),
    ...(note === undefined
      ? {}
      : {
          'proofline.count_in': note.countIn,
          'proofline.count_out': note.countOut,
          'proofline.violations': [...note.violationCodes],
          ...(note.toolCallId === null ? {} : { 'proofline.tool_call_id': note.toolCallId }),
          ...(note.draftId === null ? {} : { 'proofline.draft_id': note.draftId }),
        }),
  };
}
