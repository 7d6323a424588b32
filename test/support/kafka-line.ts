import { randomUUID } from 'node:crypto';
import type { Bus, NewRecord } from '../../src/bus/bus.js';
import type { MemberTimes } from '../../src/bus/kafka/group-member.js';
import { deleteKafkaTopics } from '../../src/bus/kafka/create-topics.js';
import { openKafkaBus } from '../../src/bus/kafka/kafka-bus.js';
import { migratePostgresAudit } from '../../src/audit/postgres-migrations.js';
import { readConfig } from '../../src/config/config.js';
import type { Codec } from '../../src/contracts/codec.js';
import type { TopicMessages, TopicName } from '../../src/contracts/topics.js';
import { createKey, openKeyring, type Keyring } from '../../src/ledger/keyring.js';
import { openCodec } from '../../src/line/kafka-services.js';
import { stationInputs, stationNames, type StationName } from '../../src/line/station-names.js';
import { createRegistryClient } from '../../src/registry/registry-client.js';
import { registerSchemas } from '../../src/registry/subjects.js';
import { encodeRecord, type Emitter } from '../../src/station/envelope.js';
import { connectPostgres } from './audit-postgres.js';
import { checkTopics, type CheckedTopics, type CheckOptions } from './kafka-line-check.js';
import type { CrashPlan } from './kafka-line-crash.js';
import { startStations, type StationProcess } from './kafka-line-process.js';
import { readTopic, type TopicRecord } from './kafka-line-topics.js';
import { tempFolder } from './temp-folder.js';
import { waitUntil } from './wait.js';

/** Sessions of the tests' processes: short, so that one that is gone is soon missed. */
const TIMES: MemberTimes = { sessionTimeoutMs: 3000, heartbeatMs: 300, rebalanceTimeoutMs: 4000 };
export const SESSION_MS = TIMES.sessionTimeoutMs;
const RESTED_MS = 120_000;

/** Where the services of a test file are. Without a registry, schemas have their local ids. */
export interface Addresses {
  readonly kafka: { readonly address: string };
  readonly redis: { readonly url: string };
  readonly postgres: { readonly url: string };
  readonly registry?: { readonly url: string };
}

/** A line with topics and an audit of its own; its stations run in processes of their own. */
export interface KafkaTestLine {
  /** Of its broker, `host:port`. */
  readonly address: string;
  readonly prefix: string;
  readonly partitions: number;
  readonly bus: Bus;
  readonly codec: Codec;
  readonly keyring: Keyring;
  /** What a command or a process of this line is configured with. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts a process; all stations without a list. It may not be up yet. */
  start(options?: { stations?: readonly StationName[]; crash?: CrashPlan }): Promise<StationProcess>;
  /** Starts a process and waits until it is up. */
  run(...stations: readonly StationName[]): Promise<StationProcess>;
  record<T extends TopicName>(topic: T, message: TopicMessages[T]): NewRecord;
  /** Everything that a topic holds, partition by partition. */
  read<T extends TopicName>(topic: T): Promise<TopicRecord<T>[]>;
  messages<T extends TopicName>(topic: T): Promise<TopicMessages[T][]>;
  /** Resolves when these stations (all without a list) have consumed all that there is. */
  rested(...stations: readonly StationName[]): Promise<void>;
  check(options?: Pick<CheckOptions, 'expected' | 'harness'>): Promise<CheckedTopics>;
  /** Ids of the events, and of the lookups' answers, that the audit has. */
  audited(): Promise<{ readonly events: string[]; readonly lookups: string[] }>;
  close(): Promise<void>;
}

/** A folder with a new key, for several lines whose signatures are to be equal. */
export function newKeys(): string {
  const folder = tempFolder();
  createKey(folder);
  return folder;
}

export interface KafkaTestLineOptions {
  readonly partitions?: number;
  /** A folder of keys; one of its own without it. */
  readonly keys?: string;
  /** What is configured besides, as PROOFLINE_*. */
  readonly settings?: Readonly<Record<string, string>>;
}

export async function makeKafkaLine(
  { kafka, redis, postgres, registry }: Addresses,
  { partitions = 3, keys = newKeys(), settings = {} }: KafkaTestLineOptions = {},
): Promise<KafkaTestLine> {
  const name = `t${randomUUID().slice(0, 8)}`;
  const prefix = `${name}.`;
  const auditUrl = await makeDatabase(postgres.url, name);
  const env = {
    PROOFLINE_KAFKA_BROKERS: kafka.address,
    PROOFLINE_REDIS_URL: redis.url,
    PROOFLINE_AUDIT_URL: auditUrl,
    PROOFLINE_TOPIC_PREFIX: prefix,
    PROOFLINE_KEYS: keys,
    PROOFLINE_DATA: tempFolder(),
    ...settings,
    ...(registry === undefined ? {} : { PROOFLINE_SCHEMA_REGISTRY_URL: registry.url }),
  };
  const { config } = readConfig(env);
  if (registry !== undefined) {
    const client = createRegistryClient({ url: registry.url, username: null, password: null });
    await registerSchemas(client, prefix, { dryRun: false, compatibility: null });
  }
  const bus = await openKafkaBus({ brokers: [kafka.address], prefix, partitions, replicationFactor: 1 });
  const codec = await openCodec(config);
  const keyring = openKeyring(keys, { create: false });
  const emitter: Emitter = { station: 'agent', codec, partitions, prefix, now: Date.now };

  const start: KafkaTestLine['start'] = ({ stations = stationNames, crash } = {}) =>
    startStations({ stations, times: TIMES, ...(crash === undefined ? {} : { crash }) }, env);

  async function hasRested(station: StationName): Promise<boolean> {
    for (const topic of stationInputs[station]) {
      for (let p = 0; p < partitions; p++) {
        const next = (await bus.committed(station, topic, p)) ?? 0;
        if ((await bus.read(topic, p, next, 1)).length > 0) return false;
      }
    }
    return true;
  }

  const line: KafkaTestLine = {
    address: kafka.address,
    prefix,
    partitions,
    bus,
    codec,
    keyring,
    env,
    start,
    async run(...stations) {
      const started = await start(stations.length === 0 ? {} : { stations });
      await started.printed('up');
      return started;
    },
    record: (topic, message) => encodeRecord(emitter, topic, message),
    async read(topic) {
      const all = await Promise.all(
        Array.from({ length: partitions }, (_, p) => readTopic(bus, codec, topic, p)),
      );
      return all.flat();
    },
    messages: async (topic) => (await line.read(topic)).flatMap(({ message }) => message ?? []),
    async rested(...stations) {
      // Upstream first: what one that is done has written is there when the next one is looked at.
      const names = DOWNSTREAM.filter((each) => stations.length === 0 || stations.includes(each));
      for (const station of names)
        await waitUntil(
          `${station} has consumed all`,
          () => hasRested(station).catch(() => false),
          RESTED_MS,
        );
    },
    check: (options) => checkTopics({ reader: bus, codec, keyring, ...options }),
    audited: () => readAudit(auditUrl),
    async close() {
      await bus.close();
      await deleteKafkaTopics({ brokers: [kafka.address], prefix });
    },
  };
  return line;
}

/** In the order in which a lookup and its draft pass them. */
const DOWNSTREAM: readonly StationName[] = [
  'retrieve',
  'postprocess',
  'project',
  'ledger-view',
  'guard',
  'review',
  'harness',
  'audit-sink',
];

async function makeDatabase(url: string, name: string): Promise<string> {
  const db = await connectPostgres(url);
  await db.run(`CREATE DATABASE ${name}`);
  await db.close();
  const made = new URL(url);
  made.pathname = `/${name}`;
  await migratePostgresAudit({ url: made.href });
  return made.href;
}

async function readAudit(url: string): Promise<{ events: string[]; lookups: string[] }> {
  const db = await connectPostgres(url);
  try {
    const events = await db.run('SELECT event_id AS id FROM tool_invocation');
    const lookups = await db.run("SELECT id FROM answer WHERE kind = 'LOOKUP'");
    return { events: events.map(({ id }) => String(id)), lookups: lookups.map(({ id }) => String(id)) };
  } finally {
    await db.close();
  }
}
