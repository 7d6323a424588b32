import { ProoflineError } from '../../contracts/errors.js';
import { topics, type TopicName } from '../../contracts/topics.js';
import type { NewRecord, StoredRecord } from '../bus.js';
import { recordBytes } from '../record-size.js';
import type { FetchedRecord } from './read-committed.js';

/** Key of the records that are appended only to learn when a reader has seen all that came before. */
const BARRIER_KEY = Buffer.from('~barrier');

export const barrierMessage = { key: BARRIER_KEY, value: null } as const;

export function isBarrier(record: Pick<StoredRecord, 'key' | 'value'>): boolean {
  return record.value === null && record.key !== null && record.key.equals(BARRIER_KEY);
}

/** @throws ProoflineError PL_RECORD_TOO_LARGE, PL_INVARIANT for a partition that there is not. */
export function refuseUnfit(records: readonly NewRecord[], partitions: number): void {
  for (const record of records) {
    const { topic, partition } = record;
    const limit = topics[topic].maxBytes;
    const bytes = recordBytes(record);
    if (bytes > limit) throw new ProoflineError('PL_RECORD_TOO_LARGE', { bytes, limit });
    if (!Number.isInteger(partition) || partition < 0 || partition >= partitions)
      throw new ProoflineError('PL_INVARIANT', { problem: `${topic} has no partition ${partition}` });
  }
}

export function toStoredRecord(topic: TopicName, partition: number, record: FetchedRecord): StoredRecord {
  return {
    topic,
    partition,
    offset: Number(record.offset),
    key: record.key,
    value: record.value,
    headers: record.headers,
    timestamp: Number(record.timestamp),
  };
}
