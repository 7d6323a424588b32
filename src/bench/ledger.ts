import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteAuditStore } from '../audit/sqlite-audit-store.js';
import type { NewRecord } from '../bus/bus.js';
import { kafkaConnectionOf } from '../bus/kafka/connection.js';
import { createKafkaTopics, deleteKafkaTopics } from '../bus/kafka/create-topics.js';
import type { Config, KafkaConfig } from '../config/config.js';
import { sha256 } from '../contracts/digest.js';
import { createKey, openKeyring, type Signer } from '../ledger/keyring.js';
import { ledgerKey } from '../ledger/ledger-view.js';
import { newEntry } from '../ledger/new-entry.js';
import { removeRedisLedgerView } from '../ledger/redis/remove.js';
import { openKafkaLine, type KafkaLine, type KafkaLineOptions } from '../line/kafka-line.js';
import { createLog } from '../observe/log.js';
import { createObservability } from '../observe/observability.js';
import { memorySearch } from '../retrieval/memory.js';
import { encodeRecord } from '../station/envelope.js';
import type { Figure } from './measure.js';
import { sampleText } from './sample-evidence.js';

/**
 * How soon a line serves again that has many entries in its ledger: after a restart, and after Redis has lost all of
 * them. In topics and under Redis keys of its own; the entries are gone with the topics, those in Redis are removed.
 */

export interface LedgerLoad {
  readonly config: Config;
  readonly kafka: KafkaConfig;
  readonly redisUrl: string;
  readonly entries: number;
  readonly partitions: number;
}

/** Bytes of an entry's record, about. */
const ENTRY_BYTES = 1000;
const CALLS_A_RUN = 5;
const APPEND = 500;
/** Appends that are under way at a time. */
const AHEAD = 8;
const LOOK_MS = 20;

export async function benchLedger(load: LedgerLoad, onStage: (stage: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'proofline-bench-'));
  const prefix = `bench-${randomUUID().slice(0, 8)}.`;
  const connection = kafkaConnectionOf(load.kafka);
  const { entries, partitions } = load;
  const { replication: replicationFactor } = load.kafka;
  const keys = join(folder, 'keys');
  const config: Config = { ...load.config, topicPrefix: prefix, keys, schemaRegistry: null };
  try {
    onStage('making topics');
    await createKafkaTopics({ ...connection, prefix, partitions, replicationFactor, dryRun: false });
    createKey(keys);
    await write(config, folder, entries, onStage);
    onStage('starting with a view that is empty');
    const empty = await timeToServe(config, folder);
    onStage('starting with the view as it was left');
    const whole = await timeToServe(config, folder);
    const seconds = (name: string, value: number): Figure => ({ name, value: value / 1000, unit: 's' });
    return [
      seconds(`${entries} entries: serves after a restart`, whole.ms),
      seconds(`${entries} entries: serves after Redis was emptied`, empty.ms),
      { name: 'entries read again', value: (entries * 1000) / empty.ms, unit: 'per s' },
      { name: 'processor time of an entry', value: (empty.processorMs * 1000) / entries, unit: 'µs' },
      { name: 'resident memory', value: process.memoryUsage.rss() / 1048576, unit: 'MiB' },
    ];
  } finally {
    onStage('cleaning up');
    await deleteKafkaTopics({ ...connection, prefix }).catch(() => undefined);
    await removeRedisLedgerView(load.redisUrl, prefix, partitions).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function open(
  config: Config,
  folder: string,
  stations: KafkaLineOptions['stations'],
): Promise<KafkaLine> {
  return openKafkaLine({
    config,
    stations,
    search: memorySearch([]),
    observe: await createObservability({ log: createLog('silent'), env: {} }),
    audit: openSqliteAuditStore(join(folder, 'audit.db')),
  });
}

/** Entries as project writes them, but for the signature: it is that of the first, since no view checks it. */
async function write(
  config: Config,
  folder: string,
  entries: number,
  onStage: (stage: string) => void,
): Promise<void> {
  const { signer } = openKeyring(join(folder, 'keys'), { create: false });
  if (signer === null) throw new Error('a new key signs nothing');
  const line = await open(config, folder, []);
  try {
    const body = sampleEntry(signer);
    const { bus, codec } = line;
    const emitter = { station: 'bench', codec, partitions: bus.partitions, prefix: config.topicPrefix };
    const now = Date.now();
    const recordOf = (i: number): NewRecord => {
      const [runId, toolCallId] = [`run-${Math.floor(i / CALLS_A_RUN)}`, `call-${i % CALLS_A_RUN}`];
      const envelope = { eventId: i.toString(16).padStart(32, '0'), causedBy: null, runId, occurredAt: now };
      const key = ledgerKey(runId, toolCallId);
      const entry = { ...envelope, ...body, toolCallId };
      return encodeRecord({ ...emitter, now: () => now }, 'ledger.v1', entry, {}, key);
    };
    let under: Promise<unknown>[] = [];
    for (let i = 0; i < entries; i += APPEND) {
      if (i % (100 * APPEND) === 0) onStage(`writing entries: ${i} of ${entries}`);
      under.push(
        bus.append(Array.from({ length: Math.min(APPEND, entries - i) }, (_, k) => recordOf(i + k))),
      );
      if (under.length < AHEAD) continue;
      await Promise.all(under);
      under = [];
    }
    await Promise.all(under);
  } finally {
    await line.stop();
  }
}

function sampleEntry(signer: Signer): ReturnType<typeof newEntry>['body'] {
  const text = sampleText(1, (ENTRY_BYTES - 350) / 2);
  const frame = {
    toolCallId: 'call-0',
    toolName: 'lookup_knowledge',
    requestEventId: '0'.repeat(32),
    requestSha256: sha256(text),
    requestOffset: 0,
    expiresAt: Date.now() + 86_400_000,
  };
  const blocks = [{ documentId: 'runbook-1#chunk-0', content: text }];
  const ready = { state: 'READY' as const, agentView: text, agentViewSha256: sha256(text), blocks };
  return newEntry('run-0', frame, ready, signer).body;
}

/** From nothing to a view of every partition that may be believed. */
async function timeToServe(config: Config, folder: string): Promise<{ ms: number; processorMs: number }> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const line = await open(config, folder, ['ledger-view']);
  try {
    for (let partition = 0; partition < line.bus.partitions; partition++)
      while ((await line.ledger.position(partition)) === null) await pause(LOOK_MS);
    const { user, system } = process.cpuUsage(before);
    return { ms: performance.now() - start, processorMs: (user + system) / 1000 };
  } finally {
    await line.stop();
  }
}
