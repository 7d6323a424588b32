import { createKafkaClient, type KafkaConnection } from '../bus/kafka/client.js';
import { causesOf, isConnectionLost, isStaleMetadata, isTimeout } from '../bus/kafka/kafka-errors.js';
import { orDown } from '../bus/kafka/kafka-bus.js';
import { ConfigResourceTypes } from '../bus/kafka/load-kafkajs.js';
import { busError, isRefused } from '../bus/kafka/refused.js';
import { createKafkaNames } from '../bus/kafka/topic-names.js';
import { openTransactionalWriter } from '../bus/kafka/transactional-writer.js';
import { ProoflineError } from '../contracts/errors.js';
import type { TopicName } from '../contracts/topics.js';
import { hasError, whileMoving, type SeeingBroker, type SeeingCluster } from './kafka-broker.js';
import { askLogs } from './kafka-log-questions.js';
import type { BrokerSeen, KafkaSight, Settings, TopicSeen } from './kafka-sight.js';

const INIT_PRODUCER_ID = 22;
const GROUP = 0;
const TRANSACTIONAL_ID = 1;
/** No topic has so many: the brokers say who may write before they say that it is not there. */
const NO_PARTITION = 0x7ffffffe;

/** `connect` comes first; `close` ends whatever is under way. */
export function createKafkaSight(connection: KafkaConnection, prefix: string): KafkaSight {
  const client = createKafkaClient(connection);
  const names = createKafkaNames(prefix);
  const reader = client.reader();
  const cluster = reader.cluster as SeeingCluster;
  const doctorId = `${prefix}doctor`;

  const broker = (nodeId: number): Promise<SeeingBroker> => cluster.findBroker({ nodeId });
  const anyBroker = (): Promise<SeeingBroker> => broker(cluster.getNodeIds()[0] ?? -1);

  /** kafkajs's own way says only that there is none, also where the brokers say that this user may not have it. */
  async function coordinator(groupId: string, coordinatorType: number): Promise<SeeingBroker> {
    const found = await (await anyBroker()).findGroupCoordinator({ groupId, coordinatorType });
    return broker(found.coordinator.nodeId);
  }

  async function metadataOf(kafkaName: string): ReturnType<SeeingBroker['metadata']> {
    return (await anyBroker()).metadata([kafkaName]);
  }

  async function brokers(): Promise<readonly BrokerSeen[]> {
    const { brokers: found } = await (await anyBroker()).metadata([]);
    return Promise.all(
      found.map(async ({ nodeId, host, port }) => {
        const asking = await broker(nodeId);
        const versions = await asking.apiVersions();
        const initProducerId = versions[INIT_PRODUCER_ID]?.maxVersion ?? -1;
        const settings = await settingsOf(asking, ConfigResourceTypes.BROKER, String(nodeId));
        return { nodeId, address: `${host}:${port}`, initProducerId, settings };
      }),
    );
  }

  async function topic(name: TopicName): Promise<TopicSeen> {
    const kafkaName = names.topic(name);
    try {
      const { topicMetadata } = await metadataOf(kafkaName);
      const partitions = (topicMetadata[0]?.partitionMetadata ?? []).map((each) => ({
        partition: each.partitionId,
        replicas: each.replicas.length,
        inSync: each.isr.length,
      }));
      const settings = await settingsOf(await anyBroker(), ConfigResourceTypes.TOPIC, kafkaName);
      return { kind: 'there', partitions, settings };
    } catch (error) {
      if (hasError(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return { kind: 'missing' };
      if (hasError(error, 'TOPIC_AUTHORIZATION_FAILED')) return { kind: 'refused' };
      throw error;
    }
  }

  async function internalReplicas(name: string): Promise<number | null> {
    try {
      const { topicMetadata } = await metadataOf(name);
      return topicMetadata[0]?.partitionMetadata[0]?.replicas.length ?? null;
    } catch (error) {
      if (hasError(error, 'UNKNOWN_TOPIC_OR_PARTITION', 'TOPIC_AUTHORIZATION_FAILED')) return null;
      throw error;
    }
  }

  /** One id for all who look: what they do with it is over at once, and the brokers keep no pile of ids. */
  async function tryTransaction(): Promise<void> {
    try {
      await whileMoving(() => coordinator(doctorId, TRANSACTIONAL_ID));
      const writer = await openTransactionalWriter(client.transactionalProducer(doctorId), names);
      await writer.close();
    } catch (error) {
      throw transactionError(error);
    }
  }

  async function mayWrite(name: TopicName): Promise<boolean> {
    const asking = await coordinator(doctorId, TRANSACTIONAL_ID);
    const topics = [{ topic: names.topic(name), partitions: [NO_PARTITION] }];
    const request = { transactionalId: doctorId, producerId: '-1', producerEpoch: 0, topics };
    return isAllowed(() => asking.addPartitionsToTxn(request));
  }

  return {
    connect: () =>
      orDown(async () => {
        await cluster.connect();
        await cluster.refreshMetadata();
      }),
    brokers: () => orDown(brokers),
    topic: (name) => orDown(() => topic(name)),
    internalReplicas: (name) => orDown(() => internalReplicas(name)),
    tryTransaction,
    ...askLogs({
      broker,
      metadata: metadataOf,
      groupCoordinator: (group) => coordinator(group, GROUP),
      names,
    }),
    mayWrite: (name) => orDown(() => whileMoving(() => mayWrite(name))),
    close: () => reader.close(),
  };
}

/** Null where they may not be seen. */
async function settingsOf(asking: SeeingBroker, type: number, name: string): Promise<Settings | null> {
  try {
    const { resources } = await asking.describeConfigs({
      includeSynonyms: false,
      resources: [{ type, name, configNames: [] }],
    });
    const entries = resources[0]?.configEntries ?? [];
    return new Map(entries.map(({ configName, configValue }) => [configName, configValue ?? '']));
  } catch (error) {
    if (isRefused(error)) return null;
    throw error;
  }
}

/** Everything but a no is a yes: what is asked for cannot be done, and is not to be done. */
async function isAllowed(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    if (isConnectionLost(error) || isTimeout(error)) throw error;
    return true;
  }
}

/** The brokers' words for what passes by itself. */
const PASSES = [
  'CONCURRENT_TRANSACTIONS',
  'REQUEST_TIMED_OUT',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
];

/** A no in the brokers' words is one that waiting does not change; all else may pass. */
function transactionError(error: unknown): ProoflineError {
  const spoken = causesOf(error).some(({ type }) => typeof type === 'string');
  const passes = isStaleMetadata(error) || hasError(error, ...PASSES);
  if (!spoken || passes) return busError(error);
  const problem = error instanceof Error ? error.message : String(error);
  return new ProoflineError('PL_BUS_REFUSED', { problem }, { cause: error });
}
