import { setTimeout as sleep } from 'node:timers/promises';
import {
  isAppended,
  isConnectionLost,
  isShortOfReplicas,
  isStaleMetadata,
  isTimeout,
} from './kafka-errors.js';
import type { Broker, Cluster } from './kafkajs-internals.js';

/** Which broker is to be asked about what. It is remembered as long as it holds. */
export interface PartitionBrokers {
  coordinator(type: CoordinatorType, id: string): Promise<Broker>;
  /** The leader of a partition, by the topic's name in Kafka. Its connection is made. */
  leader(topic: string, partition: number): Promise<Broker>;
  /** Does it again, with what is known anew, while leaders and coordinators move. For what does no harm twice. */
  whileMoving<T>(work: () => Promise<T>): Promise<T>;
  /** The same, and where a connection broke before the answer came: the work may have been done. */
  whileUnanswered<T>(work: () => Promise<T>): Promise<T>;
  /** What `whileUnanswered` does again. */
  mayBeRepeated(error: unknown): boolean;
}

/** Of a group, or of a transactional id. */
export const coordinatorTypes = { group: 0, transaction: 1 } as const;
export type CoordinatorType = keyof typeof coordinatorTypes;

const MOVING_MS = 5000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** kafkajs asks for the coordinators four times a transaction, which is half of its round trips. */
export function createPartitionBrokers(cluster: Cluster): PartitionBrokers {
  const coordinators = new Map<string, Broker>();
  const topics = new Set<string>();

  async function connected(broker: Broker): Promise<Broker> {
    return broker.isConnected() ? broker : cluster.findBroker({ nodeId: broker.nodeId });
  }

  async function again<T>(work: () => Promise<T>, may: (error: unknown) => boolean): Promise<T> {
    const deadline = performance.now() + MOVING_MS;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!may(error) || performance.now() > deadline) throw error;
        coordinators.clear();
        await sleep(pause);
        await cluster.refreshMetadata().catch(() => undefined);
      }
    }
  }

  return {
    async coordinator(type, groupId) {
      const key = `${type}/${groupId}`;
      const known = coordinators.get(key);
      if (known !== undefined) return connected(known);
      const found = await cluster.findGroupCoordinator({ groupId, coordinatorType: coordinatorTypes[type] });
      coordinators.set(key, found);
      return found;
    },
    async leader(topic, partition) {
      if (!topics.has(topic)) await cluster.addMultipleTargetTopics([topic]);
      topics.add(topic);
      const found = cluster
        .findTopicPartitionMetadata(topic)
        .find(({ partitionId }) => partitionId === partition);
      if (found === undefined || found.leader < 0) throw withoutLeader(topic, partition);
      return cluster.findBroker({ nodeId: found.leader });
    },
    whileMoving: (work) => again(work, isMoving),
    whileUnanswered: (work) => again(work, mayBeRepeated),
    mayBeRepeated,
  };
}

/** What was written, but not by enough replicas, may stay: without numbers it would be there once more each time. */
function mayBeRepeated(error: unknown): boolean {
  return !isAppended(error) && (isMoving(error) || isConnectionLost(error) || isTimeout(error));
}

function isMoving(error: unknown): boolean {
  return isStaleMetadata(error) || isShortOfReplicas(error);
}

function withoutLeader(topic: string, partition: number): Error {
  const error = new Error(`${topic}/${partition} has no leader`);
  // As kafkajs names what the brokers say: its kind decides what a lane makes of it.
  return Object.assign(error, { name: 'KafkaJSProtocolError', type: 'LEADER_NOT_AVAILABLE' });
}
