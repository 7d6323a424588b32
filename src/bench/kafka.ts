import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteAuditStore } from '../audit/sqlite-audit-store.js';
import { kafkaConnectionOf } from '../bus/kafka/connection.js';
import { createKafkaTopics, deleteKafkaTopics } from '../bus/kafka/create-topics.js';
import { createKafkaNames } from '../bus/kafka/topic-names.js';
import type { Config, KafkaConfig } from '../config/config.js';
import { createKey } from '../ledger/keyring.js';
import { removeRedisLedgerView } from '../ledger/redis/remove.js';
import { followAnswers } from '../line/answers.js';
import { openKafkaLine } from '../line/kafka-line.js';
import { stationNames } from '../line/station-names.js';
import { createLog } from '../observe/log.js';
import { createObservability } from '../observe/observability.js';
import { memorySearch } from '../retrieval/memory.js';
import {
  draftsAlone,
  lookupsAlone,
  lookupsAtOnce,
  lookupsAtRate,
  madeBy,
  untilRested,
  type AskedLine,
} from './asked-line.js';
import { untilJoined } from './joined-groups.js';
import { kafkaFigures, type AtRate, type MeasuredLine } from './kafka-figures.js';
import type { LineTask } from './line-process.js';
import { lookupWork } from './lookup-work.js';
import type { Figure } from './measure.js';
import { passthrough } from './passthrough.js';
import { startProcesses, type MeasuredProcesses } from './processes.js';
import { boundless } from './runs.js';

/**
 * The line in Kafka, all stations in each of some processes of their own, with topics of its own that are deleted
 * afterwards. This process asks and measures, and is in no figure. Baseline: the same bytes through as many topics by
 * kafkajs alone, in as many processes. Beside both: the same work without Kafka.
 */

export interface KafkaLoad {
  readonly config: Config;
  readonly kafka: KafkaConfig;
  readonly redisUrl: string;
  readonly lookups: number;
  /** Lookups and drafts that are sent one at a time. */
  readonly alone: number;
  readonly partitions: number;
  /** Of the line, each with all stations; not more than partitions. */
  readonly processes: number;
  /** Ends it; what it made is deleted all the same. */
  readonly signal: AbortSignal;
}

const SIZE = { hits: 5, chars: 200 };
/** lookup-requested, raw-hits, postprocessed, projected. */
const HOPS = 3;
const IDLE_SECONDS = 5;
/** Lookups of each process that nothing is measured of. */
const WARM_UP = 1000;
const STEADY = { count: 1000, perSecond: 100 };
const WORK_MS = 3000;

/** @throws ProoflineError as what it opens does; PL_PROCESS_ENDED where one of the processes does; PL_TIMEOUT */
export async function benchKafka(load: KafkaLoad, onStage: (stage: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'proofline-bench-'));
  const prefix = `bench-${randomUUID().slice(0, 8)}.`;
  const connection = kafkaConnectionOf(load.kafka);
  const { partitions, processes } = load;
  const replicationFactor = load.kafka.replication;
  const keys = join(folder, 'keys');
  const warmUp = WARM_UP * processes;
  try {
    onStage('making topics');
    await createKafkaTopics({ ...connection, prefix, partitions, replicationFactor, dryRun: false });
    createKey(keys);
    const line = await measureLine(load, { prefix, folder, keys, warmUp }, onStage);
    onStage('passing the same bytes through kafkajs alone');
    const bareLoad = {
      connection,
      prefix: `${prefix}bare-`,
      partitions,
      processes,
      replicationFactor,
      warmUp,
    };
    const recordBytes = Math.round(line.bytes / HOPS);
    const bare = await passthrough(
      { ...bareLoad, hops: HOPS, records: load.lookups, recordBytes, alone: load.alone },
      load.signal,
    );
    onStage('the same work without Kafka');
    const work = await lookupWork(keys, SIZE, WORK_MS);
    return kafkaFigures({ line, bare, work, size: SIZE, hops: HOPS, processes });
  } finally {
    await deleteKafkaTopics({ ...connection, prefix }).catch(() => undefined);
    await removeRedisLedgerView(load.redisUrl, prefix, partitions).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is this run's own. */
interface Own {
  readonly prefix: string;
  readonly folder: string;
  readonly keys: string;
  readonly warmUp: number;
}

async function measureLine(
  load: KafkaLoad,
  own: Own,
  onStage: (stage: string) => void,
): Promise<MeasuredLine> {
  const { prefix, folder, keys } = own;
  const harness = boundless(load.config.harness);
  const config: Config = { ...load.config, topicPrefix: prefix, keys, schemaRegistry: null, harness };
  onStage(`starting ${load.processes === 1 ? 'a process' : `${load.processes} processes`} of the line`);
  const tasks = Array.from({ length: load.processes }, (_, i): LineTask => {
    return { config, audit: join(folder, `audit-${i}.db`), evidence: SIZE };
  });
  const processes = await startProcesses({ file: FILE, tasks, signal: load.signal });
  try {
    return await withAskedLine(config, folder, processes.signal, (asked) =>
      measure(asked, processes, load, own, onStage),
    );
  } finally {
    await processes.stop();
  }
}

const FILE = new URL(`./line-process${extname(import.meta.url)}`, import.meta.url);

/** A line of no station: the doors of the line, as a process has them that only asks. */
async function withAskedLine<T>(
  config: Config,
  folder: string,
  signal: AbortSignal,
  work: (asked: AskedLine) => Promise<T>,
): Promise<T> {
  const line = await openKafkaLine({
    config,
    stations: [],
    search: memorySearch([]),
    observe: await createObservability({ log: createLog('silent'), env: {} }),
    audit: openSqliteAuditStore(join(folder, 'audit.db')),
  });
  const { bus, codec } = line;
  const answers = followAnswers(bus, codec);
  const emitter = {
    station: 'door',
    codec,
    partitions: bus.partitions,
    prefix: config.topicPrefix,
    now: Date.now,
  };
  try {
    return await work({ line, answers, emitter, signal });
  } finally {
    await answers.stop();
    await line.stop();
  }
}

/** What is alone is measured last, on a line that is warm and has nothing else to do: as of kafkajs. */
async function measure(
  asked: AskedLine,
  processes: MeasuredProcesses,
  { kafka, lookups, alone, processes: members }: KafkaLoad,
  { prefix, warmUp }: Own,
  onStage: (stage: string) => void,
): Promise<MeasuredLine> {
  onStage('warming up');
  const names = createKafkaNames(prefix);
  const groups = stationNames.map((station) => names.group(station));
  await untilJoined(kafkaConnectionOf(kafka), { groups, members }, processes.signal);
  // Answers from all partitions: their lanes are open, whoever has them.
  await lookupsAtOnce(asked, 'warm', warmUp);
  await untilRested(asked);
  onStage(`${lookups} lookups at once`);
  const before = await processes.usage();
  const lookupsPerSecond = await lookupsAtOnce(asked, 'run', lookups);
  await untilRested(asked);
  const after = await processes.usage();
  onStage('counting what they made');
  const { records, bytes } = await madeBy(asked, 'run');
  onStage(`lookups at ${STEADY.perSecond} a second`);
  const steady = await atRate(asked, processes, 'steady', STEADY);
  onStage('lookups at half of what they reached at once');
  const half = lookupsPerSecond / 2;
  const count = Math.min(lookups, Math.ceil(5 * half));
  const loaded = await atRate(asked, processes, 'loaded', { count, perSecond: half });
  onStage('idle');
  await untilRested(asked);
  const idleShare = await shareOf(processes, () =>
    pause(1000 * IDLE_SECONDS, undefined, { signal: asked.signal }),
  );
  onStage('one lookup at a time');
  const lookupAlone = await lookupsAlone(asked, alone);
  onStage('one draft at a time');
  const draftAlone = await draftsAlone(asked, Math.min(alone, 100));
  return {
    lookupAlone,
    draftAlone,
    lookupsPerSecond,
    processorMs: (after.cpuMs - before.cpuMs) / lookups,
    steady,
    loaded,
    idleShare: idleShare.share,
    records: records / lookups,
    bytes: bytes / lookups,
    residentBytes: (await processes.usage()).residentBytes,
  };
}

async function atRate(
  asked: AskedLine,
  processes: MeasuredProcesses,
  name: string,
  load: { readonly count: number; readonly perSecond: number },
): Promise<AtRate> {
  const { result: times, share } = await shareOf(processes, () => lookupsAtRate(asked, name, load));
  return { perSecond: load.perSecond, times, share };
}

/** The share of one core that the processes take meanwhile. */
async function shareOf<T>(
  processes: MeasuredProcesses,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly share: number }> {
  const [before, start] = [await processes.usage(), performance.now()];
  const result = await work();
  const ms = performance.now() - start;
  const after = await processes.usage();
  return { result, share: (after.cpuMs - before.cpuMs) / ms };
}
