import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { draftSubmitted } from '../../producers/drafts.js';
import { lookupRequested } from '../../producers/lookups.js';
import { openSqliteAuditStore } from '../audit/sqlite-audit-store.js';
import { kafkaConnectionOf } from '../bus/kafka/connection.js';
import { createKafkaTopics, deleteKafkaTopics } from '../bus/kafka/create-topics.js';
import { recordBytes } from '../bus/record-size.js';
import type { Config, KafkaConfig } from '../config/config.js';
import { topicNames } from '../contracts/topics.js';
import { createKey } from '../ledger/keyring.js';
import { removeRedisLedgerView } from '../ledger/redis/remove.js';
import { followAnswers, type Answers } from '../line/answers.js';
import { openKafkaLine, type KafkaLine } from '../line/kafka-line.js';
import { stationNames } from '../line/station-names.js';
import { createLog } from '../observe/log.js';
import { createObservability } from '../observe/observability.js';
import { memorySearch } from '../retrieval/memory.js';
import { encodeRecord, type Emitter } from '../station/envelope.js';
import { percentile, type Figure } from './measure.js';
import { passthrough } from './passthrough.js';
import { boundless } from './runs.js';
import { sampleDraft, sampleHits } from './sample-evidence.js';

/**
 * The line in Kafka, all stations in this process, with topics of its own that are deleted afterwards. Baseline: the
 * same bytes through as many topics by kafkajs alone.
 */

export interface KafkaLoad {
  readonly config: Config;
  readonly kafka: KafkaConfig;
  readonly redisUrl: string;
  readonly lookups: number;
  /** Lookups and drafts that are sent one at a time. */
  readonly alone: number;
  readonly partitions: number;
}

const HITS = 5;
const CHARS = 200;
/** lookup-requested, raw-hits, postprocessed, projected. */
const HOPS = 3;
const ANSWER_MS = 120_000;
/** Lookups that are appended together. */
const APPEND = 500;
const IDLE_SECONDS = 5;
/** Lookups that nothing is measured of. */
const WARM_UP = 1000;

/** A line under test, and how it is asked. */
interface Bench {
  readonly line: KafkaLine;
  readonly answers: Answers;
  readonly emitter: Emitter;
}

export async function benchKafka(load: KafkaLoad, onStage: (stage: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'proofline-bench-'));
  const prefix = `bench-${randomUUID().slice(0, 8)}.`;
  const connection = kafkaConnectionOf(load.kafka);
  const { partitions } = load;
  const replicationFactor = load.kafka.replication;
  try {
    onStage('making topics');
    await createKafkaTopics({ ...connection, prefix, partitions, replicationFactor, dryRun: false });
    createKey(join(folder, 'keys'));
    const bench = await open(load, prefix, folder);
    let measured: Measured;
    try {
      measured = await measure(bench, load, onStage);
    } finally {
      await bench.answers.stop();
      await bench.line.stop();
    }
    onStage('passing the same bytes through kafkajs alone');
    const bare = await passthrough({
      connection,
      prefix: `${prefix}bare-`,
      partitions,
      replicationFactor,
      hops: HOPS,
      records: load.lookups,
      recordBytes: Math.round(measured.bytes / HOPS),
      alone: load.alone,
    });
    return figuresOf(measured, bare);
  } finally {
    await deleteKafkaTopics({ ...connection, prefix }).catch(() => undefined);
    await removeRedisLedgerView(load.redisUrl, prefix, partitions).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function open({ config }: KafkaLoad, prefix: string, folder: string): Promise<Bench> {
  const observe = await createObservability({ log: createLog('silent'), env: {} });
  const line = await openKafkaLine({
    config: {
      ...config,
      topicPrefix: prefix,
      keys: join(folder, 'keys'),
      schemaRegistry: null,
      harness: boundless(config.harness),
    },
    stations: stationNames,
    search: memorySearch(sampleHits(1, HITS, CHARS)),
    observe,
    audit: openSqliteAuditStore(join(folder, 'audit.db')),
  });
  const { bus, codec } = line;
  const emitter = { station: 'door', codec, partitions: bus.partitions, prefix, now: Date.now };
  return { line, answers: followAnswers(bus, codec), emitter };
}

interface Measured {
  readonly lookupAlone: readonly number[];
  readonly draftAlone: readonly number[];
  readonly lookupsPerSecond: number;
  readonly processorMs: number;
  readonly loaded: readonly number[];
  readonly loadedRate: number;
  readonly idleShare: number;
  readonly records: number;
  /** Bytes of keys, values and headers that a lookup makes, in all topics. */
  readonly bytes: number;
  /** Before kafkajs alone takes memory of its own. */
  readonly residentMiB: number;
}

/** What is alone is measured last, on a line that is warm and has nothing else to do: as of kafkajs. */
async function measure(bench: Bench, load: KafkaLoad, onStage: (stage: string) => void): Promise<Measured> {
  onStage('warming up');
  await atOnce(bench, 'warm', WARM_UP);
  onStage(`${load.lookups} lookups at once`);
  const before = process.cpuUsage();
  const lookupsPerSecond = await atOnce(bench, 'run', load.lookups);
  const { user, system } = process.cpuUsage(before);
  onStage('counting what they made');
  const { records, bytes } = await made(bench, load.lookups);
  onStage('lookups at half of that rate');
  const loadedRate = lookupsPerSecond / 2;
  const loaded = await atRate(bench, Math.min(load.lookups, Math.ceil(5 * loadedRate)), loadedRate);
  onStage('idle');
  const idleShare = await idle();
  onStage('one lookup at a time');
  const lookupAlone = await lookupsAlone(bench, load.alone);
  onStage('one draft at a time');
  const draftAlone = await draftsAlone(bench, Math.min(load.alone, 100));
  const processorMs = (user + system) / 1000 / load.lookups;
  return {
    lookupAlone,
    draftAlone,
    lookupsPerSecond,
    processorMs,
    loaded,
    loadedRate,
    idleShare,
    records,
    bytes,
    residentMiB: process.memoryUsage.rss() / 1048576,
  };
}

/** Hands one lookup in and waits for its projection; milliseconds. */
async function ask({ line, answers, emitter }: Bench, runId: string, toolCallId: string) {
  const request = lookupRequested({ runId, toolCallId, query: 'gateway timeout' }, Date.now());
  const start = performance.now();
  const answer = answers.wait('projected.v1', request.eventId, ANSWER_MS);
  await Promise.all([answer, line.bus.append([encodeRecord(emitter, 'lookup-requested.v1', request)])]);
  return { ms: performance.now() - start, projected: await answer };
}

async function lookupsAlone(bench: Bench, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push((await ask(bench, `alone-${i % 7}`, `call-${i}`)).ms);
  return times.slice(Math.floor(count / 10));
}

/** The view has a lookup's evidence before its draft is handed in. */
async function draftsAlone(bench: Bench, count: number): Promise<number[]> {
  const { line, answers, emitter } = bench;
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const runId = `drafts-${i}`;
    const { projected } = await ask(bench, runId, 'call-1');
    const view = JSON.parse(projected.agentView ?? '{"evidence":[]}') as {
      evidence: readonly { document_id: string }[];
    };
    const documentId = view.evidence[0]?.document_id ?? '';
    const draftJson = sampleDraft([{ toolCallId: 'call-1', documentId }]);
    const draft = draftSubmitted({ runId, draftId: 'draft-1', draftJson }, Date.now());
    const record = encodeRecord(emitter, 'draft-submitted.v1', draft);
    const barrier = await line.bus.exclusively('bench', (w) => w.barrier('ledger.v1', record.partition));
    await line.ledger.whenPast(record.partition, barrier, ANSWER_MS);
    const start = performance.now();
    const verdict = answers.wait('verdict.v1', draft.eventId, ANSWER_MS);
    await Promise.all([verdict, line.bus.append([record])]);
    times.push(performance.now() - start);
  }
  return times.slice(Math.floor(count / 10));
}

/** Hands all of them in before any is waited for. */
async function atOnce({ line, answers, emitter }: Bench, name: string, count: number): Promise<number> {
  const start = performance.now();
  const waits: Promise<unknown>[] = [];
  for (let i = 0; i < count; i += APPEND) {
    const requests = Array.from({ length: Math.min(APPEND, count - i) }, (_, j) => requestOf(name, i + j));
    for (const { eventId } of requests) waits.push(answers.wait('projected.v1', eventId, ANSWER_MS));
    await line.bus.append(requests.map((request) => encodeRecord(emitter, 'lookup-requested.v1', request)));
  }
  await Promise.all(waits);
  return (count * 1000) / (performance.now() - start);
}

function requestOf(name: string, i: number) {
  const lookup = {
    runId: `${name}-${Math.floor(i / 5)}`,
    toolCallId: `call-${i % 5}`,
    query: 'gateway timeout',
  };
  return lookupRequested(lookup, Date.now());
}

async function atRate(bench: Bench, count: number, perSecond: number): Promise<number[]> {
  const start = performance.now();
  const asked: Promise<{ ms: number }>[] = [];
  for (let i = 0; i < count; i++) {
    const due = start + (i * 1000) / perSecond;
    if (due > performance.now()) await pause(due - performance.now());
    asked.push(ask(bench, `loaded-${Math.floor(i / 5)}`, `call-${i % 5}`));
  }
  return (await Promise.all(asked)).map(({ ms }) => ms);
}

/** The share of one core that a line without work takes. */
async function idle(): Promise<number> {
  const before = process.cpuUsage();
  await pause(1000 * IDLE_SECONDS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / IDLE_SECONDS;
}

const PAGE = 500;
const NO_KEY = Buffer.alloc(0);

/** Records and bytes of a lookup, over all topics, from the runs that were handed in at once. */
async function made({ line: { bus } }: Bench, lookups: number): Promise<{ records: number; bytes: number }> {
  let [records, bytes] = [0, 0];
  for (const topic of topicNames) {
    for (let partition = 0; partition < bus.partitions; partition++) {
      for (let from = 0; ;) {
        const page = await bus.read(topic, partition, from, PAGE);
        const last = page.at(-1);
        if (last === undefined) break;
        from = last.offset + 1;
        const own = page.filter(({ key }) => key?.toString().startsWith('run-') === true);
        records += own.length;
        for (const { key, ...record } of own) bytes += recordBytes({ ...record, key: key ?? NO_KEY });
      }
    }
  }
  return { records: records / lookups, bytes: bytes / lookups };
}

function figuresOf(measured: Measured, bare: Awaited<ReturnType<typeof passthrough>>): Figure[] {
  const alone = 'kafkajs alone';
  const { lookupAlone, draftAlone, loaded } = measured;
  const ms = (name: string, value: number, baseline?: number): Figure => ({
    name,
    value,
    unit: 'ms',
    ...(baseline === undefined ? {} : { baseline: { name: alone, value: baseline } }),
  });
  return [
    ms('lookup alone, to its projection, p50', percentile(lookupAlone, 50), bare.p50),
    ms('lookup alone, to its projection, p99', percentile(lookupAlone, 99), bare.p99),
    ms('draft alone, to its verdict, p50', percentile(draftAlone, 50)),
    ms('draft alone, to its verdict, p99', percentile(draftAlone, 99)),
    {
      name: `lookups to the projection, ${HITS} × ${CHARS}`,
      value: measured.lookupsPerSecond,
      unit: 'per s',
      baseline: { name: `${alone}, the same bytes through ${HOPS} topics`, value: bare.recordsPerSecond },
    },
    ms('processor time of a lookup, audit included', measured.processorMs, bare.processorMs),
    ms(`lookup at ${Math.round(measured.loadedRate)} per s, p50`, percentile(loaded, 50)),
    ms(`lookup at ${Math.round(measured.loadedRate)} per s, p99`, percentile(loaded, 99)),
    { name: 'records that a lookup makes', value: measured.records, unit: '' },
    { name: 'bytes that a lookup makes', value: measured.bytes, unit: '' },
    { name: 'idle, share of one core', value: 100 * measured.idleShare, unit: '%' },
    { name: 'resident memory', value: measured.residentMiB, unit: 'MiB' },
  ];
}
