import { topicConfig } from '../../src/bus/kafka/topics.js';
import { topicNames, type TopicName } from '../../src/contracts/topics.js';
import type { KafkaSight, LogSeen, TopicSeen } from '../../src/doctor/kafka-sight.js';

type There = Extract<TopicSeen, { kind: 'there' }>;

export const BROKER_SETTINGS = {
  'offsets.retention.minutes': '43200',
  'replica.fetch.max.bytes': '20000000',
};

/** A topic as it should be, three replicas each. */
export function topicSeen(
  name: TopicName,
  change: {
    partitions?: number;
    replicas?: number;
    inSync?: number;

    settings?: object;
  } = {},
): There {
  const { partitions = 2, replicas = 3, inSync = replicas, settings = {} } = change;
  const all = { ...topicConfig(name), 'min.insync.replicas': '2', ...settings };
  return {
    kind: 'there',
    partitions: Array.from({ length: partitions }, (_, partition) => ({
      partition,
      replicas,
      inSync,
    })),
    settings: new Map(Object.entries(all)),
  };
}

/** An empty log a partition. */
export function logsSeen(names: readonly TopicName[] = topicNames): LogSeen[] {
  return names.flatMap((topic) =>
    [0, 1].map((partition) => ({ topic, partition, low: 0, stable: 0, end: 0 })),
  );
}

/** A Kafka in which all is well, but for what is given. */
export function kafkaSight(change: Partial<KafkaSight> = {}): KafkaSight {
  const settings = new Map(Object.entries(BROKER_SETTINGS));
  const brokers = [1, 2, 3].map((nodeId) => ({
    nodeId,
    address: `b${nodeId}:9092`,
    initProducerId: 5,
    settings,
  }));
  return {
    connect: () => Promise.resolve(),
    brokers: () => Promise.resolve(brokers),
    topic: (name) => Promise.resolve(topicSeen(name)),
    internalReplicas: () => Promise.resolve(3),
    tryTransaction: () => Promise.resolve(),
    logs: (names) => Promise.resolve(logsSeen(names)),
    writtenAt: () => Promise.resolve(null),
    datedFrom: () => Promise.resolve(0),
    committed: () => Promise.resolve([]),
    mayRead: () => Promise.resolve(true),
    mayWrite: () => Promise.resolve(true),
    close: () => Promise.resolve(),
    ...change,
  };
}
