import { isKnownCodec } from './compression.js';

/** The parts of kafkajs that decoding a fetched record set needs. */
export interface DecodeParts {
  readonly newDecoder: (buffer: Buffer) => KafkaDecoder;
  readonly decodeMessageSet: (decoder: KafkaDecoder, size: number) => unknown[] | Promise<unknown[]>;
  readonly decodeRecordBatch: (decoder: KafkaDecoder) => RecordBatch | Promise<RecordBatch>;
}

export interface KafkaDecoder {
  readonly buffer: Buffer;
  offset: number;
  readInt32(): number;
  readBytes(size: number): Buffer;
  canReadBytes(size: number): boolean;
}

interface RecordBatch {
  readonly firstOffset: string;
  readonly lastOffsetDelta: number;
  readonly records: readonly DecodedRecord[];
}

interface DecodedRecord {
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** Stands where a batch lies that cannot be read. */
export interface UnreadableBatch {
  /** First and last offset of the batch. */
  readonly from: string;
  readonly offset: string;
  readonly unreadable: string;
}

const MAGIC_AT = 16;
const MAGIC_OF_BATCHES = 2;
const BATCH_OVERHEAD = 49;
/** A batch's offset and length. */
const PROLOGUE_BYTES = 12;
const HEADER_BYTES = 61;
const CODEC_MASK = 7;
/** A record costs more in memory than its bytes, and a packed batch can hold millions. */
const MOST_PACKED_RECORDS = 250_000;
const RECORD_COST_BYTES = 512;
const MOST_SET_BYTES = 64 * 1024 * 1024;

/**
 * Decodes a fetched record set. Unlike kafkajs 2.2.4, a batch that compaction emptied, in whole or at its end,
 * leaves a place holder at its last offset: without one a reader asks for the same batch again for ever. And
 * a set of more than 120,000 records is not a RangeError.
 *
 * It ends before a batch that cannot be read; where that is the first, it is an `UnreadableBatch` alone. And it ends
 * once it is large: what is packed can be many times the size of the answer.
 */
export function createDecodeMessages(parts: DecodeParts): (decoder: KafkaDecoder) => Promise<unknown[]> {
  return async (decoder) => {
    const size = decoder.readInt32();
    if (size <= 0 || !decoder.canReadBytes(size)) return [];
    const buffer = decoder.readBytes(size);
    const inner = parts.newDecoder(buffer);
    if (buffer.readInt8(MAGIC_AT) !== MAGIC_OF_BATCHES) return parts.decodeMessageSet(inner, size);
    return decodeBatches(parts, inner, buffer);
  };
}

async function decodeBatches(parts: DecodeParts, decoder: KafkaDecoder, buffer: Buffer): Promise<unknown[]> {
  const records: unknown[] = [];
  let cost = 0;
  while (cost < MOST_SET_BYTES && decoder.canReadBytes(BATCH_OVERHEAD)) {
    const header = buffer.subarray(decoder.offset);
    if (isCutOff(header)) break;
    const batch = await decodeOne(parts, decoder, header);
    if ('unreadable' in batch) return records.length > 0 ? records : [batch];
    for (const record of batch.records) {
      records.push(record);
      cost += RECORD_COST_BYTES + (record.key?.length ?? 0) + (record.value?.length ?? 0);
    }
    const last = lastOffset(batch.firstOffset, batch.lastOffsetDelta);
    if (batch.records.at(-1)?.offset !== last) records.push(placeHolder(last, batch));
  }
  return records;
}

/** The answer's size limit cuts the last batch off. */
function isCutOff(header: Buffer): boolean {
  return header.length < HEADER_BYTES || header.length < PROLOGUE_BYTES + header.readInt32BE(8);
}

async function decodeOne(
  parts: DecodeParts,
  decoder: KafkaDecoder,
  header: Buffer,
): Promise<RecordBatch | UnreadableBatch> {
  const problem = problemOf(header);
  if (problem !== null) return unreadableBatch(header, problem);
  try {
    return await parts.decodeRecordBatch(decoder);
  } catch (error) {
    return unreadableBatch(header, error instanceof Error ? error.message : String(error));
  }
}

function problemOf(header: Buffer): string | null {
  // kafkajs would go backwards.
  if (header.readInt32BE(8) < BATCH_OVERHEAD) return 'its length is less than its header';
  const codec = header.readInt16BE(21) & CODEC_MASK;
  // kafkajs would take what is packed for the records.
  if (!isKnownCodec(codec)) return `it is compressed with codec ${codec}, which is none of Kafka's`;
  const count = header.readInt32BE(57);
  if (codec !== 0 && count > MOST_PACKED_RECORDS)
    return `it packs ${count} records, over ${MOST_PACKED_RECORDS}`;
  return null;
}

const MOST_PROBLEM_CHARS = 300;

function unreadableBatch(header: Buffer, problem: string): UnreadableBatch {
  const from = String(header.readBigInt64BE(0));
  const offset = lastOffset(from, header.readInt32BE(23));
  const noContext = { producerId: '-1', inTransaction: false };
  return {
    ...emptyRecord(offset, noContext),
    from,
    offset,
    unreadable: problem.slice(0, MOST_PROBLEM_CHARS),
  };
}

function lastOffset(first: string, delta: number): string {
  return String(BigInt(first) + BigInt(delta));
}

function placeHolder(offset: string, batchContext: RecordBatch): unknown {
  return emptyRecord(offset, batchContext);
}

function emptyRecord(offset: string, batchContext: object): object {
  return { offset, key: null, value: null, headers: {}, timestamp: '0', isControlRecord: true, batchContext };
}

/** The batch that a decoded set consists of alone, where it cannot be read. */
export function unreadableIn(messages: readonly object[]): UnreadableBatch | null {
  const [first] = messages;
  return first !== undefined && 'unreadable' in first ? (first as UnreadableBatch) : null;
}
