import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicName } from '../../contracts/topics.js';
import type { NewRecord } from '../bus.js';
import { recordBytes } from '../record-size.js';
import type { PlainWriter, TransactionalWriter } from './transactional-writer.js';

/** Appends of one process, whose callers do not wait for each other: what has piled up shares a transaction. */
export interface AppendQueue {
  /** All or nothing. Resolves once the records are durable and readers can see them. */
  append(records: readonly NewRecord[]): Promise<readonly number[]>;
  /** Lets what was asked for end. */
  close(): Promise<void>;
}

export interface AppendQueueOptions {
  openWriter(): Promise<TransactionalWriter>;
  /**
   * Writes without a transaction, two round trips less: one record is written whole or not at all. After an answer
   * that was lost it may be written twice; readers drop an equal event under the same id.
   */
  openPlainWriter(): Promise<PlainWriter>;
  /** Up to where readers can see the partition. */
  stableEnd(topic: TopicName, partition: number): Promise<number>;
}

interface Waiting {
  readonly records: readonly NewRecord[];
  readonly resolve: (offsets: readonly number[]) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_TRANSACTION_BYTES = 8 * 1024 * 1024;
/** Somebody else's open transaction may hide the records for longer than it is worth waiting. */
const VISIBLE_MS = 500;

export function createAppendQueue(options: AppendQueueOptions): AppendQueue {
  const queue: Waiting[] = [];
  const transactional = reopening(() => options.openWriter());
  const plain = reopening(() => options.openPlainWriter());
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    for (let batch = takeBatch(queue); batch.length > 0; batch = takeBatch(queue)) {
      const writer = batch.every(({ records }) => records.length === 1) ? plain : transactional;
      try {
        answer(batch, await writer.write(batch.flatMap(({ records }) => records)));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    working = null;
  }

  return {
    async append(records) {
      if (records.length === 0) return [];
      const offsets = await new Promise<readonly number[]>((resolve, reject) => {
        queue.push({ records, resolve, reject });
        working ??= work();
      });
      // What is written without a transaction is visible with its answer.
      if (records.length > 1) await whenVisible(options, records, offsets);
      return offsets;
    },
    async close() {
      await working;
      await Promise.all([transactional.close(), plain.close()]);
    },
  };
}

/** A writer that is opened when it is first needed, and anew after an error. */
function reopening(open: () => Promise<PlainWriter>): PlainWriter {
  let writer: PlainWriter | null = null;
  return {
    async write(records) {
      try {
        writer ??= await open();
        return await writer.write(records);
      } catch (error) {
        await writer?.close();
        writer = null;
        throw error;
      }
    },
    async close() {
      await writer?.close();
    },
  };
}

function takeBatch(queue: Waiting[]): Waiting[] {
  const batch: Waiting[] = [];
  for (let bytes = 0; queue[0] !== undefined && bytes < MAX_TRANSACTION_BYTES;) {
    bytes += queue[0].records.reduce((sum, record) => sum + recordBytes(record), 0);
    batch.push(...queue.splice(0, 1));
  }
  return batch;
}

function answer(batch: readonly Waiting[], offsets: readonly number[]): void {
  let at = 0;
  for (const { records, resolve } of batch) {
    resolve(offsets.slice(at, at + records.length));
    at += records.length;
  }
}

/** The broker answers a commit before it has shown it: who appends and then reads is to find the records. */
async function whenVisible(
  options: AppendQueueOptions,
  records: readonly NewRecord[],
  offsets: readonly number[],
): Promise<void> {
  const lasts = new Map<string, { topic: TopicName; partition: number; offset: number }>();
  for (const [i, { topic, partition }] of records.entries())
    lasts.set(`${topic}/${partition}`, { topic, partition, offset: offsets[i] ?? -1 });
  const deadline = performance.now() + VISIBLE_MS;
  const wait = async ({
    topic,
    partition,
    offset,
  }: {
    topic: TopicName;
    partition: number;
    offset: number;
  }): Promise<void> => {
    while (performance.now() < deadline && (await options.stableEnd(topic, partition)) <= offset)
      await sleep(2);
  };
  // The records are durable whether or not this can be found out.
  await Promise.all([...lasts.values()].map((last) => wait(last).catch(() => undefined)));
}
