import type { FetchedRecord } from './read-committed.js';

/** What a record needs of its batch. */
export interface RecordContext {
  readonly firstOffset: string;
  readonly firstTimestamp: string;
  readonly maxTimestamp: string;
  /** 1 where the broker set the time: then all records of the batch have it. */
  readonly timestampType: number;
  readonly isControlBatch: boolean;
  readonly producerId: string;
  readonly inTransaction: boolean;
}

const LOG_APPEND_TIME = 1;

interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

/**
 * Decodes a record of a batch. kafkajs 2.2.4 copies all headers for each header, so that one record with some
 * hundred thousand of them stops the process; and what ends in the middle is shorter there, and no error.
 * @throws Error where it is no record.
 */
export function decodeRecord(
  { buffer }: { readonly buffer: Buffer },
  batchContext: RecordContext,
): FetchedRecord {
  const { firstOffset, firstTimestamp, maxTimestamp, timestampType, isControlBatch } = batchContext;
  // The first byte has no meaning yet.
  const cursor = { bytes: buffer, at: 1 };
  const time = Number(firstTimestamp) + readVarint(cursor);
  const offset = String(Number(firstOffset) + readVarint(cursor));
  const timestamp = timestampType === LOG_APPEND_TIME ? maxTimestamp : String(time);
  const key = readBytes(cursor);
  const value = readBytes(cursor);
  const headers = readHeaders(cursor);
  return { offset, key, value, headers, timestamp, isControlRecord: isControlBatch, batchContext };
}

/** A name may be anything, `__proto__` too. A value that is null is no text: it is left undefined. */
function readHeaders(cursor: Cursor): FetchedRecord['headers'] {
  const headers = Object.create(null) as Record<string, Buffer | (Buffer | string)[] | undefined>;
  const count = readVarint(cursor);
  for (let i = 0; i < count; i++) {
    const name = (readBytes(cursor) ?? Buffer.alloc(0)).toString('utf8');
    const value = readBytes(cursor) ?? undefined;
    const before = headers[name];
    if (Array.isArray(before)) before.push(value ?? '');
    else headers[name] = name in headers ? [before ?? '', value ?? ''] : value;
  }
  return headers;
}

/** A length of −1 is null. */
function readBytes(cursor: Cursor): Buffer | null {
  const length = readVarint(cursor);
  if (length === -1) return null;
  const end = cursor.at + length;
  if (length < 0 || end > cursor.bytes.length) throw new Error('a record ends in the middle');
  const bytes = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return bytes;
}

const LONGEST_VARINT = 10;

/** A zigzag number. Beyond 2^53 it is not exact; nothing that is right is so large. */
function readVarint(cursor: Cursor): number {
  let value = 0;
  let scale = 1;
  for (let i = 0; i < LONGEST_VARINT; i++) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) throw new Error('a record ends in the middle');
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    scale *= 128;
  }
  throw new Error('a number of a record is longer than ten bytes');
}
