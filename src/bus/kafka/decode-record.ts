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
  /** Where the record ends. */
  end: number;
}

/**
 * Decodes the records of a batch, one behind the other from `start` on. kafkajs 2.2.4 copies all headers for each
 * header, so that one record with some hundred thousand of them stops the process; and what ends in the middle is
 * shorter there, and no error.
 * @throws Error where they are no records.
 */
export function decodeRecords(
  bytes: Buffer,
  start: number,
  count: number,
  batchContext: RecordContext,
): FetchedRecord[] {
  const cursor = { bytes, at: start, end: bytes.length };
  const records: FetchedRecord[] = [];
  for (let i = 0; i < count; i++) {
    cursor.end = bytes.length;
    const size = readVarint(cursor);
    cursor.end = cursor.at + size;
    if (size < 0 || cursor.end > bytes.length) throw cutOff();
    const { end } = cursor;
    records.push(decodeAt(cursor, batchContext));
    // What may lie behind the headers some day is passed over.
    cursor.at = end;
  }
  return records;
}

function decodeAt(cursor: Cursor, batchContext: RecordContext): FetchedRecord {
  const { firstOffset, firstTimestamp, maxTimestamp, timestampType, isControlBatch } = batchContext;
  // The first byte has no meaning yet.
  cursor.at += 1;
  const time = Number(firstTimestamp) + readVarint(cursor);
  const offset = String(Number(firstOffset) + readVarint(cursor));
  const timestamp = timestampType === LOG_APPEND_TIME ? maxTimestamp : String(time);
  const key = readBytes(cursor);
  const value = readBytes(cursor);
  const headers = readHeaders(cursor);
  return { offset, key, value, headers, timestamp, isControlRecord: isControlBatch, batchContext };
}

/** Of a name that comes twice the last value counts; a value that is null is no text, and an empty one here. */
function readHeaders(cursor: Cursor): FetchedRecord['headers'] {
  const headers: Record<string, string> = {};
  const count = readVarint(cursor);
  for (let i = 0; i < count; i++) {
    const size = readLength(cursor);
    const name = cursor.bytes.toString('utf8', cursor.at, (cursor.at += size));
    const bytes = readLength(cursor);
    const value = textOf(cursor.bytes, cursor.at, (cursor.at += bytes));
    // A name may be anything, and this one is no property like others.
    if (name === '__proto__') Object.defineProperty(headers, name, { value, ...PLAIN });
    else headers[name] = value;
  }
  return headers;
}

const PLAIN = { enumerable: true, configurable: true, writable: true } as const;
const REPLACED = '\ufffd';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text where the bytes are UTF-8, else latin1: one character a byte, so that nothing is lost. */
function textOf(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from, to);
  // Only what may be no UTF-8 is looked at more closely, which takes ten times as long.
  if (!text.includes(REPLACED)) return text;
  try {
    return utf8.decode(bytes.subarray(from, to));
  } catch {
    return bytes.toString('latin1', from, to);
  }
}

/** A length of −1 is null. */
function readBytes(cursor: Cursor): Buffer | null {
  const length = readVarint(cursor);
  if (length === -1) return null;
  const end = cursor.at + length;
  if (length < 0 || end > cursor.end) throw cutOff();
  const bytes = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return bytes;
}

/** Of a text, where null is as long as none. */
function readLength(cursor: Cursor): number {
  const length = readVarint(cursor);
  if (length === -1) return 0;
  if (length < 0 || cursor.at + length > cursor.end) throw cutOff();
  return length;
}

function cutOff(): Error {
  return new Error('a record ends in the middle');
}

const LONGEST_VARINT = 10;

/** A zigzag number. Beyond 2^53 it is not exact; nothing that is right is so large. */
function readVarint(cursor: Cursor): number {
  let value = 0;
  let scale = 1;
  for (let i = 0; i < LONGEST_VARINT; i++) {
    const byte = cursor.at < cursor.end ? cursor.bytes[cursor.at++] : undefined;
    if (byte === undefined) throw cutOff();
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    scale *= 128;
  }
  throw new Error('a number of a record is longer than ten bytes');
}
