import { VERSION } from '../version.js';
import type { Attributes, AttributeValue, TraceSpan } from './span.js';

/**
 * Spans as one request of the OpenTelemetry protocol in JSON, in which collectors read and write files, one request a
 * line (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
 */
export function otlpJson(spans: readonly TraceSpan[]): object {
  const scope = { name: 'proofline', version: VERSION };
  const resource = { attributes: attributesOf({ 'service.name': 'proofline', 'service.version': VERSION }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(spanOf) }] }] };
}

const SPAN_KIND_INTERNAL = 1;
const STATUS_CODE_ERROR = 2;

function spanOf(span: TraceSpan): object {
  const { traceId, spanId, parentSpanId, name, startedAt, finishedAt, attributes, events, failed } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: SPAN_KIND_INTERNAL,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(finishedAt),
    attributes: attributesOf(attributes),
    events: events.map((event) => ({
      timeUnixNano: nanoseconds(finishedAt),
      name: event.name,
      attributes: attributesOf(event.attributes),
    })),
    status: failed ? { code: STATUS_CODE_ERROR } : {},
  };
}

/** A 64-bit integer is a decimal text in JSON. */
function nanoseconds(ms: number): string {
  return (BigInt(Math.trunc(ms)) * 1_000_000n).toString();
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number')
    return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
