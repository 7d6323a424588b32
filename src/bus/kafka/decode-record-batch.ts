import { kafkaCodecs } from './compression.js';
import { decodeRecords, type RecordContext } from './decode-record.js';
import type { FetchedRecord } from './read-committed.js';
import { readInt64 } from './wire/bytes-writer.js';

export interface DecodedBatch extends RecordContext {
  readonly lastOffsetDelta: number;
  readonly records: readonly FetchedRecord[];
}

/** Where a batch is read from, and how far. */
export interface BatchCursor {
  readonly buffer: Buffer;
  offset: number;
}

const PROLOGUE_BYTES = 12;
const RECORDS_AT = 61;
const CODEC_MASK = 7;
const LOG_APPEND_TIME = 8;
const TRANSACTIONAL = 16;
const CONTROL = 32;
const codecs = kafkaCodecs();

/**
 * The batch at the cursor, in record format v2, which must lie there whole; moves the cursor behind it. What is not
 * packed is decoded at once: kafkajs makes a promise and five buffers a batch.
 */
export function decodeRecordBatch(cursor: BatchCursor): DecodedBatch | Promise<DecodedBatch> {
  const end = cursor.offset + PROLOGUE_BYTES + cursor.buffer.readInt32BE(cursor.offset + 8);
  const batch = cursor.buffer.subarray(cursor.offset, end);
  cursor.offset = end;
  const attributes = batch.readInt16BE(21);
  const count = batch.readInt32BE(57);
  const context = contextOf(batch, attributes);
  const codec = codecs[attributes & CODEC_MASK];
  if (codec === undefined) return { ...context, records: decodeRecords(batch, RECORDS_AT, count, context) };
  return unpacked(codec().decompress(batch.subarray(RECORDS_AT)), count, context);
}

type Context = Omit<DecodedBatch, 'records'>;

async function unpacked(packed: Promise<Buffer>, count: number, context: Context): Promise<DecodedBatch> {
  return { ...context, records: decodeRecords(await packed, 0, count, context) };
}

function contextOf(batch: Buffer, attributes: number): Context {
  return {
    firstOffset: String(readInt64(batch, 0)),
    lastOffsetDelta: batch.readInt32BE(23),
    firstTimestamp: String(readInt64(batch, 27)),
    maxTimestamp: String(readInt64(batch, 35)),
    producerId: String(readInt64(batch, 43)),
    timestampType: (attributes & LOG_APPEND_TIME) === 0 ? 0 : 1,
    inTransaction: (attributes & TRANSACTIONAL) !== 0,
    isControlBatch: (attributes & CONTROL) !== 0,
  };
}
