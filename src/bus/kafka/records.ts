import { ProoflineError } from '../../contracts/errors.js';
import { topics, type TopicName } from '../../contracts/topics.js';
import type { Headers, NewRecord, StoredRecord } from '../bus.js';
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

/** A record in the form in which it is sent. */
export function toMessage({ key, value, headers, partition }: NewRecord): {
  key: Buffer;
  value: Buffer | null;
  headers: Record<string, string>;
  partition: number;
} {
  return { key, value, headers: { ...headers }, partition };
}

export function toStoredRecord(topic: TopicName, partition: number, record: FetchedRecord): StoredRecord {
  return {
    topic,
    partition,
    offset: Number(record.offset),
    key: record.key,
    value: record.value,
    headers: toHeaders(record.headers),
    timestamp: Number(record.timestamp),
  };
}

function toHeaders(headers: FetchedRecord['headers']): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      headerText(Array.isArray(value) ? value.at(-1) : value),
    ]),
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text where the bytes are UTF-8, else latin1: one character a byte, so that nothing is lost. */
function headerText(value: Buffer | string | undefined): string {
  if (value === undefined || typeof value === 'string') return value ?? '';
  try {
    return utf8.decode(value);
  } catch {
    return value.toString('latin1');
  }
}
