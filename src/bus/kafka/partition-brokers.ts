import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionLost, isShortOfReplicas, isStaleMetadata, isTimeout } from './kafka-errors.js';
import type { Broker, Cluster } from './kafkajs-internals.js';

/** Which broker is to be asked about what. It is remembered as long as it holds. */
export interface PartitionBrokers {
  coordinator(type: CoordinatorType, id: string): Promise<Broker>;
  /** The leader of a partition, by the topic's name in Kafka. Its connection is made. */
  leader(topic: string, partition: number): Promise<Broker>;
  /** Does it again, with what is known anew, while leaders and coordinators move. For what does no harm twice. */
  whileMoving<T>(work: () => Promise<T>): Promise<T>;
  /** The same, and where an answer did not come: the work may have been done. */
  whileUnanswered<T>(work: () => Promise<T>): Promise<T>;
}

/** Of a group, or of a transactional id. */
export const coordinatorTypes = { group: 0, transaction: 1 } as const;
export type CoordinatorType = keyof typeof coordinatorTypes;

const MOVING_MS = 5000;
const PAUSE_MS = 50;

/** kafkajs asks for the coordinators four times a transaction, which is half of its round trips. */
export function createPartitionBrokers(cluster: Cluster): PartitionBrokers {
  const coordinators = new Map<string, Broker>();
  const topics = new Set<string>();

  async function connected(broker: Broker): Promise<Broker> {
    return broker.isConnected() ? broker : cluster.findBroker({ nodeId: broker.nodeId });
  }

  async function again<T>(work: () => Promise<T>, may: (error: unknown) => boolean): Promise<T> {
    for (const deadline = performance.now() + MOVING_MS; ;) {
      try {
        return await work();
      } catch (error) {
        if (!may(error) || performance.now() > deadline) throw error;
        coordinators.clear();
        await sleep(PAUSE_MS);
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
    whileUnanswered: (work) =>
      again(work, (error) => isMoving(error) || isConnectionLost(error) || isTimeout(error)),
  };
}

function isMoving(error: unknown): boolean {
  return isStaleMetadata(error) || isShortOfReplicas(error);
}

function withoutLeader(topic: string, partition: number): Error {
  return Object.assign(new Error(`${topic}/${partition} has no leader`), { type: 'LEADER_NOT_AVAILABLE' });
}
