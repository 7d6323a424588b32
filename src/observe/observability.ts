import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { FastifyPluginCallback } from 'fastify';
import type { BusReader } from '../bus/bus.js';
import type { KafkaEvents } from '../bus/kafka/events.js';
import type { LedgerView } from '../ledger/ledger-view.js';
import type { Health } from '../station/health.js';
import type { Incident } from '../station/lane-environment.js';
import type { StationObserver } from '../station/observer.js';
import { VERSION } from '../version.js';
import { createBusProbe, type Progress } from './bus-probe.js';
import { countFromZero } from './count-decisions.js';
import { countKafkaEvents } from './kafka-events.js';
import { createGatewayMetrics, type GatewayMetrics } from './gateway-metrics.js';
import { createLanes } from './lanes.js';
import { watchLifecycle } from './lifecycle.js';
import type { Log } from './log.js';
import { createMetrics } from './metrics.js';
import { createProcessMetrics } from './process-metrics.js';
import { readinessOf, type Missing, type ProcessState, type Readiness } from './readiness.js';
import { observeRoutes } from './routes.js';
import { createScrape } from './scrape.js';
import { createStationObserver } from './station-observer.js';
import { startTracing } from './tracing.js';

/** Everything that is seen of a running line from outside: metrics, readiness, traces and the log. */
export interface Observability {
  /** For the environment of every station. */
  readonly observer: StationObserver;
  /** For the options of the Kafka bus. */
  readonly kafkaEvents: KafkaEvents;
  /** For the gateway, where there is one. */
  readonly gateway: GatewayMetrics;
  /** `/livez`, `/readyz` and `/metrics`. */
  readonly routes: FastifyPluginCallback;
  /** The line that is to be watched. Called once, before its stations run. */
  attach(line: ObservedLine): void;
  onIncident(incident: Incident): void;
  /** After it `/livez` answers 503. */
  onFatal(error: unknown): void;
  readiness(): Readiness;
  /** In Prometheus's text format. */
  metrics(): Promise<string>;
  /** The line takes no more work: `/readyz` answers 503 from now on. */
  drain(): void;
  /** After the line has stopped: sends the spans that are left, for a few seconds at most. Idempotent. */
  stop(): Promise<void>;
}

export interface ObservedLine {
  readonly bus: BusReader;
  /** Null where this process has none. */
  readonly ledger: LedgerView | null;
  readonly health: Health;
}

export interface ObservabilityOptions {
  readonly log: Log;
  /** The standard OTEL_* variables switch tracing on. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Spans go here, whatever the variables say. */
  readonly exporter?: SpanExporter;
  /** What else the process needs and does not have, asked at each look. MUST NOT throw. */
  readonly dependencies?: () => readonly Missing[];
  readonly now?: () => number;
}

interface Watched extends ObservedLine {
  progress(): Promise<Progress>;
}

/** @throws ProoflineError PL_CONFIG_INVALID where the OTEL_* variables describe no exporter. */
export async function createObservability(options: ObservabilityOptions): Promise<Observability> {
  const { log, env = process.env, now = Date.now, dependencies = () => [] } = options;
  let line: Watched | null = null;
  let state: ProcessState = 'starting';
  let alive = true;
  let stopped: Promise<void> | null = null;

  const metrics = createMetrics();
  metrics.set('proofline_build_info', { version: VERSION }, 1);
  countFromZero(metrics);
  const tracing = await startTracing({
    env,
    exporter: options.exporter,
    scope: () => line?.bus.epoch ?? '',
    onExported: (spans, taken) =>
      metrics.count('proofline_spans_total', { outcome: taken ? 'exported' : 'failed' }, spans),
  });
  const lanes = createLanes(now);
  const observer = createStationObserver({ metrics, lanes, tracing });
  const processMetrics = createProcessMetrics(metrics);
  const readiness = (): Readiness =>
    readinessOf({ lanes, state: () => state, health: () => line?.health ?? null, dependencies });
  const scrape = createScrape({
    metrics,
    lanes,
    now,
    sample: () => processMetrics.sample(),
    isReady: () => readiness().ready,
    line: () => line,
  });
  const lifecycle = watchLifecycle(log, lanes, readiness);

  function onIncident(incident: Incident): void {
    metrics.count('proofline_incidents_total', { station: incident.station, code: incident.code });
    log.incident(incident, line?.bus ?? null);
  }

  async function stop(): Promise<void> {
    lifecycle.stop();
    lifecycle.look();
    processMetrics.close();
    await tracing?.stop();
    log.stopped();
  }

  return {
    observer,
    kafkaEvents: countKafkaEvents(metrics, onIncident),
    gateway: createGatewayMetrics(metrics),
    routes: observeRoutes({
      isAlive: () => alive,
      readiness,
      metrics: scrape,
      metricsContentType: metrics.contentType,
    }),
    attach(observed) {
      line = { ...observed, progress: createBusProbe(observed, () => lanes.stations()) };
      state = 'running';
      log.started({ version: VERSION, partitions: observed.bus.partitions });
    },
    onIncident,
    onFatal(error) {
      alive = false;
      log.fatal(error);
    },
    readiness,
    metrics: scrape,
    drain() {
      if (state === 'stopping') return;
      state = 'stopping';
      log.draining();
    },
    stop: () => (stopped ??= stop()),
  };
}
