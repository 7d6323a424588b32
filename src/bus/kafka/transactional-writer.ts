import { setTimeout as sleep } from 'node:timers/promises';
import { topics, type TopicName } from '../../contracts/topics.js';
import type { NewRecord, NextOffsets } from '../bus.js';
import { recordBytes } from '../record-size.js';
import { both } from './both.js';
import { isConcurrentTransaction, isConnectionLost, isTimeout } from './kafka-errors.js';
import type { PlainProducer } from './plain-producer.js';
import type { PartitionOf, TopicMessages } from './produced-batches.js';
import type { KafkaNames } from './topic-names.js';
import type { BatchOffset } from './send-to-leaders.js';
import type { Transaction, TransactionalProducer, TransactionPlan } from './transactional-producer.js';

/** Offsets of a group that move with the records of a transaction. */
export interface GroupOffsets {
  readonly group: string;
  readonly partition: number;
  readonly next: NextOffsets;
  /** Kept with the offsets. */
  readonly mark?: string | undefined;
}

/**
 * Writes transactions under one transactional id, one after the other. After an error it MUST be closed and never
 * be used again: kafkajs rolls sequence numbers back, and what a used producer sends next can be acknowledged,
 * committed, and not exist.
 */
export interface TransactionalWriter {
  /** Answers with the offsets of the records, in order. The outcome of a commit that failed is unknown. */
  write(records: readonly NewRecord[], offsets?: GroupOffsets): Promise<number[]>;
  close(): Promise<void>;
}

/** Writes without a transaction. */
export interface PlainWriter {
  /** Answers with the offsets of the records, in order. After an error, any of them may have been written. */
  write(records: readonly NewRecord[]): Promise<number[]>;
  close(): Promise<void>;
}

/** kafkajs groups the messages of a send in quadratic time. */
const MAX_MESSAGES = 500;
const MAX_REQUEST_BYTES = 8 * 1024 * 1024;
const FENCE_MS = 30_000;

/** What records are sent with, in a transaction or without. */
type Sender = Pick<PlainProducer, 'sendBatch'>;

/**
 * Takes the transactional id over: whoever had it can write no more, and what it left open is ended. The empty
 * transaction makes the broker do this now and not at the first write.
 */
export async function openTransactionalWriter(
  producer: TransactionalProducer,
  names: KafkaNames,
): Promise<TransactionalWriter> {
  try {
    await producer.connect();
    const transaction = await retryConcurrent(() => producer.transaction(), FENCE_MS);
    await transaction.abort();
  } catch (error) {
    await disconnect(producer);
    throw error;
  }
  return {
    async write(records, offsets) {
      const transaction = await producer.transaction(planOf(records, offsets, names));
      try {
        const written = await sendAll(transaction, records, names, () =>
          offsets === undefined ? Promise.resolve() : sendOffsets(transaction, offsets, names),
        );
        await transaction.commit();
        return written;
      } catch (error) {
        if (transaction.isActive() && !isUnanswered(error)) await transaction.abort().catch(() => undefined);
        throw error;
      }
    },
    close: () => disconnect(producer),
  };
}

export async function openPlainWriter(producer: PlainProducer, names: KafkaNames): Promise<PlainWriter> {
  try {
    await producer.connect();
  } catch (error) {
    await disconnect(producer);
    throw error;
  }
  return {
    write: (records) => sendAll(producer, records, names, () => Promise.resolve()),
    close: () => disconnect(producer),
  };
}

async function disconnect(producer: Pick<PlainProducer, 'disconnect'>): Promise<void> {
  await producer.disconnect().catch(() => undefined);
}

/**
 * What was not answered may be written yet. Behind the marker of an abort, under the same epoch, it would begin a
 * transaction that nobody knows of, and that the next commit covers: the id is left to who takes it over, which
 * raises the epoch first.
 */
function isUnanswered(error: unknown): boolean {
  return isTimeout(error) || isConnectionLost(error);
}

/** While the broker still ends the transaction before. */
async function retryConcurrent<T>(work: () => Promise<T>, withinMs: number): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isConcurrentTransaction(error) || performance.now() > deadline) throw error;
      await sleep(5);
    }
  }
}

async function sendOffsets(
  transaction: Transaction,
  { group, partition, next, mark }: GroupOffsets,
  names: KafkaNames,
): Promise<void> {
  const moved = Object.entries(next) as [TopicName, number][];
  if (moved.length === 0) return;
  const topicOffsets = moved.map(([topic, offset]) => ({
    topic: names.topic(topic),
    partitions: [{ partition, offset: String(offset), metadata: mark ?? null }],
  }));
  await transaction.sendOffsets({ consumerGroupId: names.group(group), topics: topicOffsets });
}

/**
 * The ledger is written, and answered for, before anything else: a client that does not read committed must not
 * see a projection whose entry does not lie in the ledger yet.
 */
async function sendAll(
  sender: Sender,
  records: readonly NewRecord[],
  names: KafkaNames,
  beside: () => Promise<void>,
): Promise<number[]> {
  const offsets = new Array<number>(records.length).fill(-1);
  const numbered = records.map((record, i) => ({ record, i }));
  const inLedger = ({ record }: { record: NewRecord }): boolean => record.topic === 'ledger.v1';
  const [first, rest] = [numbered.filter(inLedger), numbered.filter((each) => !inLedger(each))];
  const chunks = [...chunksOf(first), ...chunksOf(rest)];
  await both(sendInTurn(), beside());
  return offsets;

  async function sendInTurn(): Promise<void> {
    for (const chunk of chunks) {
      const records = chunk.map(({ record }) => record);
      const answers = await sender.sendBatch(toBatch(records, names));
      for (const [k, offset] of offsetsOf(chunk, answers, names).entries()) {
        const at = chunk[k];
        if (at !== undefined) offsets[at.i] = offset;
      }
    }
  }
}

function planOf(
  records: readonly NewRecord[],
  offsets: GroupOffsets | undefined,
  names: KafkaNames,
): TransactionPlan {
  const partitions = new Map<string, PartitionOf>();
  for (const { topic, partition } of records)
    partitions.set(`${topic}/${partition}`, { topic: names.topic(topic), partition });
  const moves = offsets !== undefined && Object.keys(offsets.next).length > 0;
  return { partitions: [...partitions.values()], groupId: moves ? names.group(offsets.group) : null };
}

/** What fits into one request, with no more of a topic and partition than its limit: it becomes one batch there. */
function chunksOf<T extends { readonly record: NewRecord }>(numbered: readonly T[]): T[][] {
  const chunks: T[][] = [];
  let room = createRoom();
  for (const each of numbered) {
    const bytes = recordBytes(each.record);
    const chunk = chunks.at(-1);
    if (chunk !== undefined && chunk.length < MAX_MESSAGES && room.take(each.record, bytes)) {
      chunk.push(each);
      continue;
    }
    chunks.push([each]);
    room = createRoom();
    room.take(each.record, bytes);
  }
  return chunks;
}

/** The room of one request. */
function createRoom(): { take(record: NewRecord, bytes: number): boolean } {
  const batches = new Map<string, number>();
  let total = 0;
  return {
    take({ topic, partition }, bytes) {
      const batch = `${topic}/${partition}`;
      const taken = batches.get(batch) ?? 0;
      if (total > 0 && (total + bytes > MAX_REQUEST_BYTES || taken + bytes > topics[topic].maxBytes))
        return false;
      total += bytes;
      batches.set(batch, taken + bytes);
      return true;
    },
  };
}

function toBatch(records: readonly NewRecord[], names: KafkaNames): { topicMessages: TopicMessages[] } {
  const byTopic = new Map<TopicName, NewRecord[]>();
  for (const record of records) {
    const messages = byTopic.get(record.topic);
    if (messages === undefined) byTopic.set(record.topic, [record]);
    else messages.push(record);
  }
  return {
    topicMessages: [...byTopic].map(([topic, messages]) => ({ topic: names.topic(topic), messages })),
  };
}

/** A send makes one batch a partition, whose records lie one behind the other from its base offset on. */
function offsetsOf(
  chunk: readonly { readonly record: NewRecord }[],
  answers: readonly BatchOffset[],
  names: KafkaNames,
): number[] {
  const next = new Map(
    answers.map(({ topic, partition, baseOffset }) => [`${topic}/${partition}`, baseOffset]),
  );
  return chunk.map(({ record }) => {
    const log = `${names.topic(record.topic)}/${record.partition}`;
    const offset = next.get(log);
    if (offset === undefined || !(offset >= 0))
      throw new Error(`the broker did not say where ${log} was written`);
    next.set(log, offset + 1);
    return offset;
  });
}
