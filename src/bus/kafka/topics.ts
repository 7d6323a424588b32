import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { ProoflineError } from '../../contracts/errors.js';
import { topicNames, topics, type TopicName } from '../../contracts/topics.js';
import { ConfigResourceTypes } from './load-kafkajs.js';
import { isStaleMetadata } from './kafka-errors.js';
import type { KafkaNames } from './topic-names.js';

/** Room for what Kafka adds to a record inside a batch: the limit of a topic is about key, value and headers. */
export const BATCH_OVERHEAD_BYTES = 64 * 1024;
const DAY_MS = 86_400_000;

export interface TopicCreation {
  /** Number of partitions of each topic; null takes what the topics have, and creates none. */
  readonly partitions: number | null;
  readonly replicationFactor: number;
}

/** What Kafka is told about a topic when it is made. */
export function topicConfig(topic: TopicName): Readonly<Record<string, string>> {
  const { cleanup, retentionDays, maxBytes } = topics[topic];
  return {
    'cleanup.policy': cleanup,
    ...(cleanup === 'compact'
      ? {}
      : { 'retention.ms': retentionDays === null ? '-1' : String(retentionDays * DAY_MS) }),
    'max.message.bytes': String(maxBytes + BATCH_OVERHEAD_BYTES),
    // The broker unpacks what other clients compress: readers need no codec of theirs.
    'compression.type': 'uncompressed',
  };
}

/**
 * Creates the topics that are missing and checks those that are there, but never changes one: answers with the
 * number of partitions that all of them have. Brokers may need a moment until they know a topic that was made.
 * @throws ProoflineError PL_PARTITIONS_CHANGED, PL_TOPICS_UNUSABLE.
 */
export async function ensureTopics(
  admin: Admin,
  names: KafkaNames,
  creation: TopicCreation,
): Promise<number> {
  const existing = new Set(await admin.listTopics());
  const missing = topicNames.filter((topic) => !existing.has(names.topic(topic)));
  if (creation.partitions === null) refuseMissing(missing, names);
  else if (missing.length > 0)
    await createTopics(admin, names, missing, creation.partitions, creation.replicationFactor);
  const partitions = await countPartitions(admin, names, creation.partitions);
  await checkConfigs(admin, names);
  return partitions;
}

function refuseMissing(missing: readonly TopicName[], names: KafkaNames): void {
  if (missing.length > 0)
    throw unusable([`missing: ${missing.map((topic) => names.topic(topic)).join(', ')}`]);
}

async function createTopics(
  admin: Admin,
  names: KafkaNames,
  missing: readonly TopicName[],
  numPartitions: number,
  replicationFactor: number,
): Promise<void> {
  // False when another process has just made one of them: the check that follows looks at what there is.
  await admin.createTopics({
    // Its wait gives up while the brokers have not all heard of the topics.
    waitForLeaders: false,
    topics: missing.map((topic) => ({
      topic: names.topic(topic),
      numPartitions,
      replicationFactor,
      configEntries: Object.entries(topicConfig(topic)).map(([name, value]) => ({ name, value })),
    })),
  });
  // Only the leaders of the partitions can answer this.
  for (const topic of missing) await whenKnown(() => admin.fetchTopicOffsets(names.topic(topic)));
}

async function countPartitions(admin: Admin, names: KafkaNames, expected: number | null): Promise<number> {
  const query = { topics: topicNames.map((topic) => names.topic(topic)) };
  const { topics: found } = await whenKnown(() => admin.fetchTopicMetadata(query));
  const wanted = expected ?? found[0]?.partitions.length ?? 0;
  for (const { partitions } of found) {
    if (partitions.length !== wanted)
      throw new ProoflineError('PL_PARTITIONS_CHANGED', { found: partitions.length, expected: wanted });
  }
  return wanted;
}

const KNOWN_MS = 30_000;
const LOOK_MS = 50;

/** A topic that was just made is unknown to a broker, or to its own leader, for a moment. */
async function whenKnown<T>(question: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + KNOWN_MS; ;) {
    try {
      return await question();
    } catch (error) {
      if (!isStaleMetadata(error) || performance.now() > deadline) throw error;
      await sleep(LOOK_MS);
    }
  }
}

async function checkConfigs(admin: Admin, names: KafkaNames): Promise<void> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topicNames.map((topic) => ({ type: ConfigResourceTypes.TOPIC, name: names.topic(topic) })),
  });
  const problems = resources.flatMap(({ resourceName, configEntries }) => {
    const topic = names.topicOf(resourceName);
    const has = new Map(configEntries.map(({ configName, configValue }) => [configName, configValue]));
    return topic === null
      ? []
      : configProblems(topic, (name) => has.get(name) ?? '').map((problem) => `${resourceName} ${problem}`);
  });
  if (problems.length > 0) throw unusable(problems);
}

/** What would lose records or refuse them. Keeping more, or larger ones, is the operator's choice. */
export function configProblems(topic: TopicName, has: (name: string) => string): string[] {
  const wanted = topicConfig(topic);
  const problems: string[] = [];
  const complain = (name: string, atLeast: boolean): void => {
    problems.push(`has ${name}=${has(name)}, but needs ${atLeast ? 'at least ' : ''}${wanted[name] ?? ''}`);
  };
  if (has('cleanup.policy') !== wanted['cleanup.policy']) complain('cleanup.policy', false);
  if (Number(has('max.message.bytes')) < Number(wanted['max.message.bytes']))
    complain('max.message.bytes', true);
  if (isShorter(has('retention.ms'), wanted['retention.ms'])) complain('retention.ms', true);
  return problems;
}

/** −1 is for ever. */
function isShorter(has: string, wanted: string | undefined): boolean {
  if (wanted === undefined || has === '-1') return false;
  return wanted === '-1' || Number(has) < Number(wanted);
}

function unusable(problems: readonly string[]): ProoflineError {
  return new ProoflineError('PL_TOPICS_UNUSABLE', { problems: problems.join('; ') });
}
