import { readConfig } from '../../../src/config/config.js';
import { openAuditReader } from '../../../src/audit/open-audit.js';
import { makeKafkaLine, type KafkaTestLine } from '../kafka-line.js';
import { endStations, removeBundle } from '../kafka-line-process.js';
import { startLineServices, type LineServices } from '../kafka-line-services.js';
import { removeTempFolders } from '../temp-folder.js';
import { waitUntil } from '../wait.js';
import { startChaos } from './chaos.js';
import { chaosPlan } from './chaos-plan.js';
import { checkAll } from './final-check.js';
import { createFleet } from './fleet.js';
import { latenciesOf } from './latencies.js';
import { startLoad } from './load.js';
import type { SoakOptions } from './options.js';
import { startProgress } from './progress.js';
import type { SoakReport } from './report.js';
import { soakRuns } from './runs.js';

/** Longest time that the line gets for what it was asked, after the last was asked. */
const DRAIN_MS = 180_000;
/** Lookups of a run, at least. */
const LOOKUPS_A_RUN = 4;
/** So that people have drafts to decide about. */
const SETTINGS = { PROOFLINE_REVIEW_SAMPLE: '0.25' };
/** Longest time until a run is given up whose deadline has passed. */
const GIVEN_UP_MS = 60_000;
/** What Redis keeps, as a line that is served by it should have it: the last second may be lost. */
const REDIS = { config: { appendonly: 'yes', appendfsync: 'everysec' } };

export interface SoakEnvironment {
  readonly tell: (line: string) => void;
  /** Ends it early, with its reason. */
  readonly signal: AbortSignal;
}

export function startSoakServices(): Promise<LineServices> {
  return startLineServices({ redis: REDIS });
}

/** Soaks a line in these services, and ends everything, the services as well. */
export async function soak(
  services: LineServices,
  options: SoakOptions,
  environment: SoakEnvironment,
): Promise<SoakReport> {
  let keepLogs = true;
  try {
    const { partitions } = options;
    const line = await makeKafkaLine(services, { partitions, settings: SETTINGS });
    try {
      const report = await soakLine(line, services, options, environment);
      keepLogs = report.findings.length > 0;
      return report;
    } finally {
      if (environment.signal.aborted) keepLogs = false;
      await endStations();
      await line.close().catch(() => undefined);
    }
  } finally {
    await removeBundle();
    await services.stop({ keepLogs });
    removeTempFolders();
  }
}

async function soakLine(
  line: KafkaTestLine,
  services: LineServices,
  options: SoakOptions,
  { tell, signal }: SoakEnvironment,
): Promise<SoakReport> {
  const { minutes, rate, processes, seed } = options;
  const durationMs = minutes * 60_000;
  const fleet = createFleet(line, processes);
  await fleet.start();
  const audit = await openAuditReader(readConfig(line.env).config);
  const runs = soakRuns(Math.ceil((durationMs / 1000) * (rate / LOOKUPS_A_RUN)) + 2, Date.now());
  tell(`asking ${rate} lookups/s for ${minutes} minutes; seed ${seed}`);
  const began = performance.now();
  const load = startLoad({ line, audit, runs, rate, durationMs });
  const chaos = startChaos(chaosPlan(seed, durationMs), { line, services, fleet }, signal);
  const progress = startProgress({ bus: line.bus, load, chaos, fleet }, tell);
  try {
    await untilAborted(Promise.all([load.ended, chaos.ended]), signal);
    tell('no more is asked; waiting for the rest');
    const [drainMs, unanswered] = await untilAborted(drain(line, load), signal);
    await fleet.sample();
    tell('checking the topics, the audit and the ledger view');
    const checked = await untilAborted(checkAll(line), signal);
    const relative = chaos.done.map((event) => ({
      ...event,
      from: event.from - began,
      to: event.to - began,
    }));
    return {
      ...checked,
      options,
      findings: [
        ...chaos.findings,
        ...fleet.findings(),
        ...load.surprises,
        ...unanswered,
        ...checked.findings,
      ],
      load: load.counts,
      retriedFor: load.retriedFor,
      lookups: latenciesOf(load.lookupSpans, chaos.done),
      drafts: latenciesOf(load.draftSpans, chaos.done),
      chaos: relative,
      drainMs,
      restarts: fleet.restarts(),
      fences: fleet.fences(),
      incidents: fleet.incidents(),
      lives: fleet.lives(),
    };
  } finally {
    await progress.stop();
    await load.stop();
    await fleet.end();
    await audit.close();
  }
}

/** How long it took until all was answered and every station had come to rest, and what did not by then. */
async function drain(
  line: KafkaTestLine,
  load: ReturnType<typeof startLoad>,
): Promise<readonly [ms: number, unanswered: readonly string[]]> {
  const began = performance.now();
  const inTime = await load.finished(DRAIN_MS);
  const unanswered = inTime ? [] : load.open().map((runId) => `${runId} is not done after ${DRAIN_MS} ms`);
  try {
    await waitUntil('silent runs are given up', () => areGivenUp(line, load.silent()), GIVEN_UP_MS);
    await line.rested();
  } catch (error) {
    unanswered.push(String(error));
  }
  return [performance.now() - began, unanswered];
}

async function areGivenUp(line: KafkaTestLine, runIds: readonly string[]): Promise<boolean> {
  const drafts = await line.messages('draft-submitted.v1').catch(() => []);
  const givenUp = new Set(drafts.flatMap((draft) => (draft.givenUp === null ? [] : draft.runId)));
  return runIds.every((runId) => givenUp.has(runId));
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
    work.catch(() => undefined);
  }
}
