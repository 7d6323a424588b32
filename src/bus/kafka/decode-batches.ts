/** The parts of kafkajs that decoding a fetched record set needs. */
export interface DecodeParts {
  readonly newDecoder: (buffer: Buffer) => KafkaDecoder;
  readonly decodeMessageSet: (decoder: KafkaDecoder, size: number) => unknown[];
  readonly decodeRecordBatch: (decoder: KafkaDecoder) => Promise<RecordBatch>;
}

export interface KafkaDecoder {
  readInt32(): number;
  readBytes(size: number): Buffer;
  canReadBytes(size: number): boolean;
}

interface RecordBatch {
  readonly firstOffset: string;
  readonly lastOffsetDelta: number;
  readonly records: readonly { readonly offset: string }[];
}

const MAGIC_AT = 16;
const MAGIC_OF_BATCHES = 2;
const BATCH_OVERHEAD = 49;

/**
 * Decodes a fetched record set. Unlike kafkajs 2.2.4, a batch that compaction emptied, in whole or at its end,
 * leaves a place holder at its last offset: without one a reader asks for the same batch again for ever. And
 * a set of more than 120,000 records is not a RangeError.
 */
export function createDecodeMessages(parts: DecodeParts): (decoder: KafkaDecoder) => Promise<unknown[]> {
  return async (decoder) => {
    const size = decoder.readInt32();
    if (size <= 0 || !decoder.canReadBytes(size)) return [];
    const buffer = decoder.readBytes(size);
    const inner = parts.newDecoder(buffer);
    if (buffer.readInt8(MAGIC_AT) !== MAGIC_OF_BATCHES) return parts.decodeMessageSet(inner, size);
    const records: unknown[] = [];
    while (inner.canReadBytes(BATCH_OVERHEAD)) {
      const batch = await decodeWhole(parts, inner);
      if (batch === null) break;
      for (const record of batch.records) records.push(record);
      const last = String(BigInt(batch.firstOffset) + BigInt(batch.lastOffsetDelta));
      if (batch.records.at(-1)?.offset !== last) records.push(placeHolder(last, batch));
    }
    return records;
  };
}

/** Null for the batch that the answer's size limit cut off. */
async function decodeWhole(parts: DecodeParts, decoder: KafkaDecoder): Promise<RecordBatch | null> {
  try {
    return await parts.decodeRecordBatch(decoder);
  } catch (error) {
    if (error instanceof Error && error.name === 'KafkaJSPartialMessageError') return null;
    throw error;
  }
}

function placeHolder(offset: string, batchContext: RecordBatch): unknown {
  return { offset, key: null, value: null, headers: {}, timestamp: '0', isControlRecord: true, batchContext };
}
