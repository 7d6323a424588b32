import { SpanKind, SpanStatusCode, TraceFlags, type SpanContext } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { ProoflineError } from '../contracts/errors.js';
import type { TraceSpan } from '../trace/span.js';
import { VERSION } from '../version.js';
import { spanDestination } from './tracing.js';

/**
 * Sends the spans of a trace to the collector that the OTEL_EXPORTER_OTLP_… variables name, and says how many it took.
 * @throws ProoflineError PL_CONFIG_INVALID where they name none; PL_COLLECTOR_DOWN where it did not take them
 */
export async function pushSpans(
  spans: readonly TraceSpan[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const destination = await spanDestination(env);
  if (destination === null) {
    const problem = 'OTEL_EXPORTER_OTLP_ENDPOINT: it is not set, so there is nowhere to push to';
    throw new ProoflineError('PL_CONFIG_INVALID', { problems: `\n  ${problem}` });
  }
  const { exporter, resource } = destination;
  try {
    await new Promise<void>((resolve, reject) => {
      exporter.export(
        spans.map((span) => readableSpan(span, resource)),
        (result) => {
          const code: number = result.code;
          if (code === TAKEN) resolve();
          else reject(notTaken(result.error));
        },
      );
    });
    return spans.length;
  } finally {
    await exporter.shutdown().catch(() => undefined);
  }
}

/** The one good answer of an exporter. */
const TAKEN = 0;

function notTaken(cause: Error | undefined): ProoflineError {
  const problem = cause?.message ?? 'it did not take them';
  return new ProoflineError('PL_COLLECTOR_DOWN', { problem }, { cause });
}

function readableSpan(span: TraceSpan, resource: Resource): ReadableSpan {
  const { traceId, spanId, parentSpanId, startedAt, finishedAt } = span;
  const contextOf = (id: string): SpanContext => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
  const endTime = time(finishedAt);
  return {
    name: span.name,
    kind: SpanKind.INTERNAL,
    spanContext: () => contextOf(spanId),
    ...(parentSpanId === null ? {} : { parentSpanContext: contextOf(parentSpanId) }),
    startTime: time(startedAt),
    endTime,
    duration: time(finishedAt - startedAt),
    ended: true,
    status: { code: span.failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: mutable(span.attributes),
    events: span.events.map(({ name, attributes }) => ({
      name,
      time: endTime,
      attributes: mutable(attributes),
    })),
    links: [],
    resource,
    instrumentationScope: { name: 'proofline', version: VERSION },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds, and nanoseconds of the last one. */
function time(ms: number): [number, number] {
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
}

function mutable(attributes: TraceSpan['attributes']): ReadableSpan['attributes'] {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );
}
