import { setTimeout as sleep } from 'node:timers/promises';
import { both } from './both.js';
import type { CuttableCluster } from './client.js';
import { isConcurrentTransaction } from './kafka-errors.js';
import type { Broker } from './kafkajs-internals.js';
import { createPartitionBrokers, type PartitionBrokers } from './partition-brokers.js';
import { sendToLeaders, type BatchOffset } from './send-to-leaders.js';
import { nextSequence, toTopicData, type PartitionOf, type TopicMessages } from './produced-batches.js';
import type { TransactionOwner, TxnOffsetCommitRequest } from './wire/transaction-requests.js';
import type { ProducedTopic } from './wire/produce-request.js';

/** What a transaction will write to, so that it can be told at once: a round trip less for each that is not. */
export interface TransactionPlan {
  readonly partitions: readonly PartitionOf[];
  /** The group whose offsets move with it. */
  readonly groupId: string | null;
}

/** Writes transactions under one transactional id, one after the other. */
export interface TransactionalProducer {
  connect(): Promise<void>;
  /**
   * Begins one. The first takes the id over: whoever had it can write no more, and what it left open is ended. After
   * an error of a transaction there is no other: what was written is unknown to a producer, its sequence numbers too.
   * @throws CONCURRENT_TRANSACTIONS while the broker still ends what was left open
   */
  transaction(plan?: TransactionPlan): Promise<Transaction>;
  disconnect(): Promise<void>;
}

export interface Transaction {
  send(records: TopicMessages): Promise<BatchOffset[]>;
  /** One batch a partition, one after the other. Answers with where each was written. */
  sendBatch(records: { readonly topicMessages: readonly TopicMessages[] }): Promise<BatchOffset[]>;
  sendOffsets(offsets: {
    readonly consumerGroupId: string;
    readonly topics: TxnOffsetCommitRequest['topics'];
  }): Promise<void>;
  /** The outcome of one that failed is unknown. */
  commit(): Promise<void>;
  abort(): Promise<void>;
  /** True until it is committed or aborted, whether that goes well or not. */
  isActive(): boolean;
}

const NO_PLAN: TransactionPlan = { partitions: [], groupId: null };
const CONCURRENT_MS = 30_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 10;

/**
 * A producer of the protocol that a lane needs, and no more (KIP-98): it repeats nothing that may have been done, and
 * what can be asked at the same moment goes out together. kafkajs's own would ask one after the other, take locks, and
 * go on after errors in which it loses records.
 */
export function createTransactionalProducer(
  connection: CuttableCluster,
  transactionalId: string,
  transactionTimeout: number,
): TransactionalProducer {
  const brokers = createPartitionBrokers(connection.cluster);
  const sequences = new Map<string, number>();
  let owner: TransactionOwner | null = null;
  let last: Transaction | null = null;
  let failed = false;

  async function takeOver(): Promise<TransactionOwner> {
    const { producerId, producerEpoch } = await brokers.whileMoving(async () => {
      const coordinator = await brokers.coordinator('transaction', transactionalId);
      return coordinator.initProducerId({ transactionalId, transactionTimeout });
    });
    return { transactionalId, producerId, producerEpoch };
  }

  async function orFail<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      failed = true;
      throw error;
    }
  }

  return {
    connect: () => connection.cluster.connect(),
    async transaction(plan = NO_PLAN) {
      if (failed) throw new Error('a producer is not used again after an error');
      if (last?.isActive() === true) throw new Error('a producer has one transaction at a time');
      owner ??= await takeOver();
      last = beginTransaction({ owner, brokers, sequences, orFail }, plan);
      return last;
    },
    disconnect: () => connection.close(),
  };
}

interface Beginning {
  readonly owner: TransactionOwner;
  readonly brokers: PartitionBrokers;
  /** The number of the next record, by `topic/partition`. */
  readonly sequences: Map<string, number>;
  readonly orFail: <T>(work: () => Promise<T>) => Promise<T>;
}

function beginTransaction(
  { owner, brokers, sequences, orFail }: Beginning,
  plan: TransactionPlan,
): Transaction {
  const told = new Set<string>();
  let toldGroup: string | null = null;
  let isActive = true;
  let isThere = false;
  let planTold: Promise<unknown> | null = null;
  let isSending = false;

  const coordinator = (): Promise<Broker> => brokers.coordinator('transaction', owner.transactionalId);

  async function addPartitions(partitions: readonly PartitionOf[]): Promise<void> {
    const missing = partitions.filter((each) => !told.has(keyOf(each)));
    if (missing.length === 0) return;
    isThere = true;
    await whileConcurrent(() =>
      brokers.whileMoving(async () =>
        (await coordinator()).addPartitionsToTxn({ ...owner, topics: byTopic(missing) }),
      ),
    );
    for (const each of missing) told.add(keyOf(each));
  }

  async function addOffsets(groupId: string | null): Promise<void> {
    if (groupId === null || groupId === toldGroup) return;
    isThere = true;
    await whileConcurrent(() =>
      brokers.whileMoving(async () => (await coordinator()).addOffsetsToTxn({ ...owner, groupId })),
    );
    toldGroup = groupId;
  }

  /** The plan first, for all who ask: they go on at the same moment. */
  async function tell(partitions: readonly PartitionOf[], groupId: string | null): Promise<void> {
    if (!isActive) throw new Error('the transaction has ended');
    planTold ??= both(addPartitions(plan.partitions), addOffsets(plan.groupId));
    await planTold;
    await addPartitions(partitions);
    await addOffsets(groupId);
  }

  async function sendBatch(topicMessages: readonly TopicMessages[]): Promise<BatchOffset[]> {
    // Two at once would have the same numbers: the second is taken for the first, and lost.
    if (isSending) throw new Error('a transaction sends one batch at a time');
    isSending = true;
    try {
      return await sendNumbered(topicMessages);
    } finally {
      isSending = false;
    }
  }

  async function sendNumbered(topicMessages: readonly TopicMessages[]): Promise<BatchOffset[]> {
    const topicData = toTopicData(topicMessages, (each) => sequences.get(keyOf(each)) ?? 0);
    await tell(topicData.flatMap(partitionsOf), null);
    // A batch that was written and is sent again has the same numbers: it is not written twice.
    const offsets = await brokers.whileMoving(() => sendToLeaders(brokers, owner, topicData));
    for (const { topic, partitions } of topicData) {
      for (const { partition, firstSequence = 0, messages } of partitions)
        sequences.set(keyOf({ topic, partition }), nextSequence(firstSequence, messages.length));
    }
    return offsets;
  }

  async function end(transactionResult: boolean): Promise<void> {
    if (!isActive) throw new Error('the transaction has ended');
    isActive = false;
    if (isThere)
      await brokers.whileMoving(async () => (await coordinator()).endTxn({ ...owner, transactionResult }));
  }

  return {
    send: (records) => orFail(() => sendBatch([records])),
    sendBatch: ({ topicMessages }) => orFail(() => sendBatch(topicMessages)),
    sendOffsets: ({ consumerGroupId: groupId, topics }) =>
      orFail(async () => {
        await tell([], groupId);
        await whileConcurrent(() =>
          brokers.whileMoving(async () =>
            (await brokers.coordinator('group', groupId)).txnOffsetCommit({ ...owner, groupId, topics }),
          ),
        );
      }),
    commit: () => orFail(() => end(true)),
    abort: () => orFail(() => end(false)),
    isActive: () => isActive,
  };
}

/** The broker answers a commit before it has ended the transaction: what follows at once may have to wait. */
async function whileConcurrent(work: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + CONCURRENT_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isConcurrentTransaction(error) || performance.now() > deadline) throw error;
      await sleep(pause);
    }
  }
}

function partitionsOf({ topic, partitions }: ProducedTopic): PartitionOf[] {
  return partitions.map(({ partition }) => ({ topic, partition }));
}

function byTopic(all: readonly PartitionOf[]): { topic: string; partitions: number[] }[] {
  const topics = new Map<string, Set<number>>();
  for (const { topic, partition } of all) topics.set(topic, (topics.get(topic) ?? new Set()).add(partition));
  return [...topics].map(([topic, partitions]) => ({ topic, partitions: [...partitions] }));
}

function keyOf({ topic, partition }: PartitionOf): string {
  return `${topic}/${partition}`;
}
