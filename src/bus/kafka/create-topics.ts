import { topicNames } from '../../contracts/topics.js';
import { createKafkaClient, type KafkaConnection } from './client.js';
import { orDown } from './kafka-bus.js';
import { createKafkaNames } from './topic-names.js';
import { ensureTopics } from './topics.js';

export interface TopicsRequest extends KafkaConnection {
  readonly prefix: string;
  /** Of every topic, those that are there already as well. */
  readonly partitions: number;
  readonly replicationFactor: number;
  /** Only tells what would be made. */
  readonly dryRun: boolean;
}

/**
 * Makes the topics of a line that are missing, and checks those that are there; changes none. Answers with the names,
 * in Kafka, of what was missing.
 * @throws ProoflineError PL_PARTITIONS_CHANGED, PL_TOPICS_UNUSABLE, PL_BUS_DOWN, PL_BUS_REFUSED.
 */
export async function createKafkaTopics(request: TopicsRequest): Promise<readonly string[]> {
  const { prefix, partitions, replicationFactor, dryRun } = request;
  const names = createKafkaNames(prefix);
  const admin = createKafkaClient(request).admin();
  try {
    return await orDown(async () => {
      await admin.connect();
      const there = new Set(await admin.listTopics());
      const missing = topicNames.filter((topic) => !there.has(names.topic(topic)));
      if (!dryRun) await ensureTopics(admin, names, { partitions, replicationFactor });
      return missing.map((topic) => names.topic(topic));
    });
  } finally {
    await admin.disconnect();
  }
}

/** Deletes all topics of a line, with all that they hold. For lines that were made for a measurement. */
export async function deleteKafkaTopics(line: KafkaConnection & { readonly prefix: string }): Promise<void> {
  const names = createKafkaNames(line.prefix);
  const admin = createKafkaClient(line).admin();
  try {
    await orDown(async () => {
      await admin.connect();
      const there = new Set(await admin.listTopics());
      const topics = topicNames.map((topic) => names.topic(topic)).filter((name) => there.has(name));
      await admin.deleteTopics({ topics });
    });
  } finally {
    await admin.disconnect();
  }
}
