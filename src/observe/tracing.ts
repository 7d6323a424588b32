import type { Tracer } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import { ProoflineError } from '../contracts/errors.js';
import { VERSION } from '../version.js';
import { createTraceIds, type TraceIds } from './trace-ids.js';

export interface Tracing {
  readonly tracer: Tracer;
  readonly ids: TraceIds;
  /** Sends what is left, for a few seconds at most. Never rejects. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  /** The standard OTEL_* variables. The SDK reads those of the process; these here decide whether it is asked to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes the place of the one that the variables describe. */
  readonly exporter?: SpanExporter | undefined;
  readonly scope: () => string;
  readonly onExported: (spans: number, taken: boolean) => void;
}

const STOP_MS = 3000;

/**
 * Spans go to a collector in the background; where it does not keep up they are dropped, and nothing waits. Null
 * where no collector is named: then nothing of the SDK is even loaded.
 * @throws ProoflineError PL_CONFIG_INVALID where the variables describe no exporter
 */
export async function startTracing(options: TracingOptions): Promise<Tracing | null> {
  if (options.exporter === undefined && !isAsked(options.env)) return null;
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const exporter = options.exporter ?? (await otlpExporter());
  const ids = createTraceIds(options.scope);
  const processor = new BatchSpanProcessor(counted(exporter, options.onExported));
  const provider = new NodeTracerProvider({
    idGenerator: ids,
    resource: await resource(),
    spanProcessors: [processor],
  });
  return {
    tracer: provider.getTracer('proofline', VERSION),
    ids,
    stop: () => withinMs(STOP_MS, provider.shutdown()),
  };
}

/** Where spans that were made elsewhere are sent, and as whose. */
export interface SpanDestination {
  readonly exporter: SpanExporter;
  readonly resource: Resource;
}

/**
 * The collector that the variables name; null where they name none.
 * @throws ProoflineError PL_CONFIG_INVALID where they describe no exporter
 */
export async function spanDestination(env: TracingOptions['env']): Promise<SpanDestination | null> {
  if (!isAsked(env)) return null;
  return { exporter: await otlpExporter(), resource: await resource() };
}

function isAsked(env: TracingOptions['env']): boolean {
  const value = (name: string): string => env[name]?.trim() ?? '';
  const endpoint = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || value('OTEL_EXPORTER_OTLP_ENDPOINT');
  const off = value('OTEL_SDK_DISABLED').toLowerCase() === 'true' || value('OTEL_TRACES_EXPORTER') === 'none';
  return endpoint !== '' && !off;
}

async function otlpExporter(): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  try {
    return new OTLPTraceExporter();
  } catch (error) {
    const problem = 'OTEL_EXPORTER_OTLP_…: they describe no collector that can be spoken to';
    throw new ProoflineError('PL_CONFIG_INVALID', { problems: `\n  ${problem}` }, { cause: error });
  }
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win over our own name. */
async function resource() {
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } =
    await import('@opentelemetry/resources');
  const own = resourceFromAttributes({ 'service.name': 'proofline', 'service.version': VERSION });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** The one good answer of an exporter. */
const TAKEN = 0;

function counted(exporter: SpanExporter, onExported: TracingOptions['onExported']): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const code: number = result.code;
        onExported(spans.length, code === TAKEN);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

async function withinMs(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
