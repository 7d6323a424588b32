import type { Config, KafkaConfig } from '../config/config.js';
import { kafkaConnectionOf } from '../bus/kafka/connection.js';
import { connectRedis } from '../ledger/redis/connection.js';
import { dataFolder } from '../line/data-folder.js';
import { createRegistryClient } from '../registry/registry-client.js';
import { checkAuditServer, checkAuditTables, lookAtAudit } from './audit.js';
import { looking, type Check, type Patience } from './check.js';
import { checkBrokers, checkBrokerSettings, checkTransactions } from './kafka-brokers.js';
import { checkCopies } from './kafka-copies.js';
import { checkDates, checkOffsets, checkOpenTransactions } from './kafka-logs.js';
import { checkRights } from './kafka-rights.js';
import type { KafkaSight } from './kafka-sight.js';
import { checkTopics } from './kafka-topics.js';
import { checkKeys } from './keys.js';
import { createKafkaSight } from './open-kafka-sight.js';
import { checkRedis, checkRedisMore } from './redis.js';
import { checkCompatibility, checkOtherSchemas, checkSubjects, generalCompatibility } from './registry.js';

/**
 * Looks at all that a line in Kafka needs, at everything at once, each for so long at most. What fails or does not
 * answer is a finding and keeps nothing else from being looked at.
 */

/** `start` is what every process of `up` has to know before it begins, and quick; `all` is what a person wants to know. */
export type Extent = 'start' | 'all';

const KAFKA: Patience = { late: 'PL_BUS_DOWN' };
const REDIS: Patience = { late: 'PL_VIEW_DOWN' };
const AUDIT: Patience = { late: 'PL_AUDIT_DOWN' };
const REGISTRY: Patience = { late: 'PL_REGISTRY_DOWN' };

type Found = Promise<readonly Check[]>;

/** What is not configured is not looked at; `kafkaServices` tells that. Never rejects. */
export async function lookAtLine(
  config: Config,
  extent: Extent,
  now: () => number = Date.now,
): Promise<readonly Check[]> {
  const { kafka, schemaRegistry, redisUrl, auditUrl, keys, data } = config;
  const folder = keys ?? dataFolder(data).keys;
  const found = await Promise.all([
    kafka === null ? [] : lookAtKafka(config, kafka, extent, now),
    schemaRegistry === null ? [] : lookAtRegistry(config, schemaRegistry, extent),
    redisUrl === null ? [] : lookAtRedis(redisUrl, extent, now),
    auditUrl === null ? [] : lookAtPostgres(auditUrl, extent, now),
    looking('keys', () => checkKeys(folder, { madeByLine: false })),
  ]);
  return distinct(found.flat());
}

async function lookAtKafka(config: Config, kafka: KafkaConfig, extent: Extent, now: () => number): Found {
  const { topicPrefix: prefix, partitions } = config;
  const made: KafkaSight[] = [];
  const unusable = await looking('kafka', () => {
    made.push(createKafkaSight(kafkaConnectionOf(kafka), prefix));
    return [];
  });
  const [sight] = made;
  if (sight === undefined) return unusable;
  try {
    const connect = (): Promise<readonly Check[]> => sight.connect().then(() => []);
    const unreachable = await looking('kafka', connect, KAFKA);
    return unreachable.length > 0 ? unreachable : await lookWith(sight, { prefix, partitions, extent, now });
  } finally {
    await sight.close();
  }
}

interface KafkaLooks {
  readonly prefix: string;
  readonly partitions: number | null;
  readonly extent: Extent;
  readonly now: () => number;
}

async function lookWith(sight: KafkaSight, { prefix, partitions, extent, now }: KafkaLooks): Found {
  const look = (name: string, work: () => Promise<Check | readonly Check[]>): Found =>
    looking(name, work, KAFKA);
  const first = [
    look('kafka', () => checkBrokers(sight)),
    look('topics', () => checkTopics(sight, { prefix, partitions })),
    look('writing', () => checkTransactions(sight, prefix)),
  ];
  if (extent === 'start') return (await Promise.all(first)).flat();
  const more = [
    look('brokers', () => checkBrokerSettings(sight)),
    look('copies', () => checkCopies(sight, prefix)),
  ];
  const begun = [...first, ...more];
  // Of logs that are not all there, or may not be seen, nothing can be asked.
  const topics = await begun[1];
  const logs = (topics ?? []).some(({ status }) => status === 'fail')
    ? []
    : [
        look('rights', () => checkRights(sight)),
        look('offsets', () => checkOffsets({ sight })),
        look('open', () => checkOpenTransactions({ sight, now })),
        look('clock', () => checkDates({ sight, now })),
      ];
  return (await Promise.all([...begun, ...logs])).flat();
}

async function lookAtRegistry(
  { topicPrefix }: Config,
  access: NonNullable<Config['schemaRegistry']>,
  extent: Extent,
): Found {
  const client = createRegistryClient(access);
  const subjects = await looking('registry', () => checkSubjects(client, topicPrefix), REGISTRY);
  // Nobody asks a registry that is down twice.
  if (extent === 'start' || subjects.some(({ down }) => down !== undefined)) return subjects;
  const [others, modes] = await Promise.all([
    looking('registry', () => checkOtherSchemas(client, topicPrefix), REGISTRY),
    looking(
      'registry',
      async () => checkCompatibility(client, topicPrefix, await generalCompatibility(access)),
      REGISTRY,
    ),
  ]);
  return [...subjects, ...others, ...modes];
}

async function lookAtRedis(url: string, extent: Extent, now: () => number): Found {
  const client = connectRedis(url);
  try {
    const first = await looking('redis', () => checkRedis({ client }), REDIS);
    if (extent === 'start' || first.some(isNoAnswer)) return first;
    return [...first, ...(await looking('redis', () => checkRedisMore({ client, now }), REDIS))];
  } finally {
    client.close();
  }
}

async function lookAtPostgres(url: string, extent: Extent, now: () => number): Found {
  const tables = await looking('audit', () => lookAtAudit({ url }, checkAuditTables), AUDIT);
  if (extent === 'start' || tables.some(isNoAnswer)) return tables;
  const server = looking('audit', () => lookAtAudit({ url }, (db) => checkAuditServer({ db, now })), AUDIT);
  return [...tables, ...(await server)];
}

/** Several looks may come upon one and the same obstacle. */
function distinct(checks: readonly Check[]): readonly Check[] {
  const seen = new Map(checks.map((check) => [`${check.name} ${check.finding}`, check]));
  return [...seen.values()];
}

function isNoAnswer({ down }: Check): boolean {
  return down !== undefined;
}
