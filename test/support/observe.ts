import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-node';
import type { VerdictStatus } from '../../src/contracts/generated.js';
import { createLog } from '../../src/observe/log.js';
import { createObservability, type Observability } from '../../src/observe/observability.js';
import type { Missing } from '../../src/observe/readiness.js';
import type { Emission } from '../../src/station/station.js';

/** A line's observability, with what it says kept for the test. */
export interface Observed extends Observability {
  /** What was logged, line by line. */
  readonly logged: readonly Record<string, unknown>[];
  /** The spans that have ended; sent by `stop`. */
  readonly exporter: InMemorySpanExporter;
}

const running = new Set<Observed>();

/** Tracing is on when `traced` says so. */
export async function observe(
  options: { readonly traced?: boolean; readonly dependencies?: () => readonly Missing[] } = {},
): Promise<Observed> {
  const { traced = false, ...more } = options;
  const logged: Record<string, unknown>[] = [];
  const log = createLog('debug', (line) => void logged.push(JSON.parse(line) as Record<string, unknown>));
  const exporter = new InMemorySpanExporter();
  // What is exported stays to be looked at when the exporter is shut down.
  exporter.shutdown = () => Promise.resolve();
  const made = await createObservability({ log, env: {}, ...(traced ? { exporter } : {}), ...more });
  const observed = { ...made, logged, exporter };
  running.add(observed);
  return observed;
}

/** For `afterEach`, after the lines are closed. */
export async function stopObserving(): Promise<void> {
  for (const each of running) await each.stop();
  running.clear();
}

/** The value of a series in the text of a scrape; null where there is none. */
export function seriesOf(text: string, series: string): number | null {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

export function verdictOf(status: VerdictStatus, codes: readonly string[]): Emission {
  return {
    topic: 'verdict.v1',
    body: {
      draftId: 'draft-1',
      attempt: 1,
      ruleSets: ['core-20'],
      status,
      draftSha256: null,
      draft: null,
      violations: codes.map((code) => ({ code, path: '', message: '', detailJson: '{}' })),
      violationCount: codes.length,
      lookups: [],
      shown: [],
      analyses: [],
      quotes: [],
      read: [],
      prompt: null,
      generation: null,
      limits: null,
      ext: {},
    },
  };
}

/** A lookup that failed with this code. */
export function projectedOf(code: string): Emission {
  return {
    topic: 'projected.v1',
    body: {
      toolCallId: 'call-1',
      toolName: 'lookup_knowledge',
      requestEventId: 'e',
      state: 'FAILED',
      agentView: null,
      agentViewSha256: null,
      cuts: [],
      noEvidenceBasis: null,
      gain: null,
      repeat: false,
      failure: { code, message: 'It failed.', retryable: true },
      expiresAt: null,
      ext: {},
    },
  };
}
