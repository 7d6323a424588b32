import { setTimeout as sleep } from 'node:timers/promises';
import { causesOf, isStaleMetadata } from '../bus/kafka/kafka-errors.js';
import type { Broker, Cluster, CoordinatorQuery } from '../bus/kafka/kafkajs-internals.js';

/** Shapes of further parts of kafkajs 2.2.4 that it does not export: the requests that only looking needs. */

export interface SeeingCluster extends Cluster {
  getNodeIds(): readonly number[];
  findBroker(query: { nodeId: number }): Promise<SeeingBroker>;
}

export interface SeeingBroker extends Broker {
  /** Of all topics without names. Rejects with the first error that it is told of. */
  metadata(topics: readonly string[]): Promise<{
    readonly brokers: readonly { readonly nodeId: number; readonly host: string; readonly port: number }[];
    readonly topicMetadata: readonly {
      readonly topic: string;
      readonly partitionMetadata: readonly {
        readonly partitionId: number;
        readonly leader: number;
        readonly replicas: readonly number[];
        readonly isr: readonly number[];
      }[];
    }[];
  }>;
  /** Of a group (type 0) or of a transactional id (type 1). */
  findGroupCoordinator(query: Required<CoordinatorQuery>): Promise<{
    readonly coordinator: { readonly nodeId: number };
  }>;
  /** By the number of the request. */
  apiVersions(): Promise<Readonly<Record<number, { readonly maxVersion: number }>>>;
  describeConfigs(request: {
    readonly includeSynonyms: boolean;
    readonly resources: readonly {
      readonly type: number;
      readonly name: string;
      readonly configNames: readonly string[];
    }[];
  }): Promise<{
    readonly resources: readonly {
      readonly configEntries: readonly { readonly configName: string; readonly configValue: string | null }[];
    }[];
  }>;
  addPartitionsToTxn(request: {
    readonly transactionalId: string;
    readonly producerId: string;
    readonly producerEpoch: number;
    readonly topics: readonly { readonly topic: string; readonly partitions: readonly number[] }[];
  }): Promise<unknown>;
}

/** True where the error, or a cause of it, is of one of the types, in Kafka's words. */
export function hasError(error: unknown, ...types: readonly string[]): boolean {
  return causesOf(error).some(({ type }) => types.includes(String(type)));
}

const MOVING_MS = 5000;
const LOOK_MS = 50;

/** Brokers may take a while to make the topic that a coordinator keeps its state in, or to read it. */
export async function whileMoving<T>(ask: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + MOVING_MS; ;) {
    try {
      return await ask();
    } catch (error) {
      if (!isStaleMetadata(error) || performance.now() > deadline) throw error;
      await sleep(LOOK_MS);
    }
  }
}
