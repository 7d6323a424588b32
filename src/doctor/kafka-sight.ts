import type { TopicName } from '../contracts/topics.js';

/**
 * What can be seen of a Kafka without changing anything of it but the epoch of one transactional id. Each rejects with
 * PL_BUS_DOWN when there is no answer; what the user may not see is told apart from what is not there.
 */
export interface KafkaSight {
  /** Rejects with PL_BUS_REFUSED as well. */
  connect(): Promise<void>;
  brokers(): Promise<readonly BrokerSeen[]>;
  topic(name: TopicName): Promise<TopicSeen>;
  /** Replicas of a topic of the brokers' own; null where it is not there, or may not be seen. */
  internalReplicas(name: '__transaction_state' | '__consumer_offsets'): Promise<number | null>;
  /** Begins a transaction as a station does, and ends it: nothing is written. Rejects with PL_BUS_REFUSED as well. */
  tryTransaction(): Promise<void>;
  /** Every partition of the topics, which must be there. */
  logs(names: readonly TopicName[]): Promise<readonly LogSeen[]>;
  /** When the record at the offset, committed or not, or the first one behind it, was written; null where none is. */
  writtenAt(at: LogPlace): Promise<number | null>;
  /** How many partitions of the topics have a record that is dated at or after the instant, epoch milliseconds. */
  datedFrom(names: readonly TopicName[], instant: number): Promise<number>;
  /** The offsets that the group has committed; null where it may not be asked for. */
  committed(group: string, logs: readonly LogSeen[]): Promise<readonly LogPlace[] | null>;
  mayRead(name: TopicName): Promise<boolean>;
  /** Under a transactional id of the line. */
  mayWrite(name: TopicName): Promise<boolean>;
  close(): Promise<void>;
}

export interface BrokerSeen {
  readonly nodeId: number;
  /** `host:port`, as it is advertised. */
  readonly address: string;
  /** The newest InitProducerId that it speaks; −1 where it speaks none. */
  readonly initProducerId: number;
  /** Null where they may not be seen. */
  readonly settings: Settings | null;
}

export type Settings = ReadonlyMap<string, string>;

export type TopicSeen =
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'there';
      readonly partitions: readonly PartitionSeen[];
      /** Null where they may not be seen. */
      readonly settings: Settings | null;
    };

export interface PartitionSeen {
  readonly partition: number;
  readonly replicas: number;
  readonly inSync: number;
}

export interface LogPlace {
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: number;
}

export interface LogSeen {
  readonly topic: TopicName;
  readonly partition: number;
  /** The first offset that is kept. */
  readonly low: number;
  /** Behind the last record that is not hidden by an open transaction. */
  readonly stable: number;
  /** Behind the last record, committed or not. */
  readonly end: number;
}
