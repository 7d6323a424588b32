import { topicNames, type TopicName } from '../../contracts/topics.js';

/** Names in Kafka: all topics, groups and transactional ids of one line begin with its prefix. */
export interface KafkaNames {
  readonly prefix: string;
  topic(name: TopicName): string;
  /** The name without the prefix; null for a topic that is none of the line's. */
  topicOf(kafkaName: string): TopicName | null;
  group(group: string): string;
  /** The same after a restart: the epoch behind this id is what fences the predecessor of a lane. */
  laneTransactionalId(group: string, partition: number): string;
}

export function createKafkaNames(prefix: string): KafkaNames {
  const byKafkaName = new Map(topicNames.map((name) => [prefix + name, name] as const));
  return {
    prefix,
    topic: (name) => prefix + name,
    topicOf: (kafkaName) => byKafkaName.get(kafkaName) ?? null,
    group: (group) => prefix + group,
    laneTransactionalId: (group, partition) => `${prefix}${group}-${partition}`,
  };
}
