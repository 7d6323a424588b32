import type { Assigner, ISocketFactory, KafkaConfig, RetryOptions } from 'kafkajs';
import type { AbortedTransaction, FetchedRecord } from './read-committed.js';
import type { ProduceAnswer, ProduceRequest } from './wire/produce-request.js';
import type {
  AddOffsetsRequest,
  EndTxnRequest,
  TxnOffsetCommitRequest,
} from './wire/transaction-requests.js';

/** Shapes of the parts of kafkajs 2.2.4 that it does not export, as far as they are used here. */

export interface ClusterOptions {
  readonly logger: object;
  readonly socketFactory: ISocketFactory;
  readonly brokers: KafkaConfig['brokers'];
  readonly ssl?: KafkaConfig['ssl'];
  readonly sasl?: KafkaConfig['sasl'];
  readonly clientId: string;
  readonly connectionTimeout: number;
  readonly requestTimeout: number;
  readonly enforceRequestTimeout: boolean;
  readonly metadataMaxAge: number;
  readonly allowAutoTopicCreation: boolean;
  readonly maxInFlightRequests: number | null;
  readonly isolationLevel: number;
  readonly retry: RetryOptions;
}

export interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  refreshMetadata(): Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  findTopicPartitionMetadata(
    topic: string,
  ): readonly { readonly partitionId: number; readonly leader: number }[];
  findBroker(query: { nodeId: number }): Promise<Broker>;
  /** Of a group, or (type 1) of a transactional id. */
  findGroupCoordinator(query: CoordinatorQuery): Promise<Broker>;
}

export interface CoordinatorQuery {
  readonly groupId: string;
  readonly coordinatorType?: number;
}

/** Partitions that are to belong to a transaction. */
export interface AddPartitionsRequest {
  readonly transactionalId: string;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly topics: readonly { readonly topic: string; readonly partitions: readonly number[] }[];
}

export interface Broker {
  readonly nodeId: number;
  isConnected(): boolean;
  syncGroup(request: object): Promise<{ readonly memberAssignment: Buffer }>;
  initProducerId(request: {
    readonly transactionalId: string;
    readonly transactionTimeout: number;
  }): Promise<{ readonly producerId: string; readonly producerEpoch: number }>;
  addPartitionsToTxn(request: AddPartitionsRequest): Promise<unknown>;
  addOffsetsToTxn(request: AddOffsetsRequest): Promise<unknown>;
  txnOffsetCommit(request: TxnOffsetCommitRequest): Promise<unknown>;
  endTxn(request: EndTxnRequest): Promise<unknown>;
  produce(request: ProduceRequest): Promise<ProduceAnswer>;
  fetch(request: {
    readonly isolationLevel: number;
    readonly maxWaitTime: number;
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly fetchOffset: string;
        readonly maxBytes: number;
      }[];
    }[];
  }): Promise<{
    readonly responses: readonly {
      readonly topicName: string;
      readonly partitions: readonly FetchedPartition[];
    }[];
  }>;
  listOffsets(request: {
    readonly isolationLevel: number;
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly { readonly partition: number; readonly timestamp: number }[];
    }[];
  }): Promise<{
    readonly responses: readonly {
      readonly topic: string;
      readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
    }[];
  }>;
  offsetFetch(request: {
    readonly groupId: string;
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly { readonly partition: number }[];
    }[];
  }): Promise<{
    readonly responses: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly offset: string;
        readonly metadata: string | null;
      }[];
    }[];
  }>;
}

export interface FetchedPartition {
  readonly partition: number;
  readonly highWatermark: string;
  readonly lastStableOffset: string;
  readonly abortedTransactions: readonly AbortedTransaction[] | null;
  readonly messages: readonly FetchedRecord[];
}

export interface ConsumerGroupOptions {
  readonly logger: object;
  readonly instrumentationEmitter: object;
  readonly retry: RetryOptions;
  readonly cluster: Cluster;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly topicConfigurations: object;
  readonly assigners: readonly Assigner[];
  readonly sessionTimeout: number;
  readonly rebalanceTimeout: number;
}

export interface ConsumerGroup {
  connect(): Promise<void>;
  joinAndSync(): Promise<void>;
  /** With an interval of 0 it always asks the coordinator. */
  heartbeat(options: { interval: number }): Promise<void>;
  assigned(): readonly { readonly topic: string; readonly partitions: readonly number[] }[];
  leave(): Promise<void>;
}
