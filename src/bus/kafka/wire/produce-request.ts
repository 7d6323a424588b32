import { sizeOfRecord, withLength, writeRecord, type RecordToEncode } from '../encode-record.js';
import { ask, type AskedBroker } from './ask.js';
import type { BytesReader } from './bytes-reader.js';
import { writeInt64, type BytesWriter } from './bytes-writer.js';
import { crc32c } from './crc32c.js';

/** Records to write, as kafkajs's producer puts them: a batch a partition. */
export interface ProduceRequest {
  readonly acks: number;
  readonly timeout?: number;
  readonly transactionalId?: string | null;
  /** −1, or none, where it is not idempotent. */
  readonly producerId?: string | number | object;
  readonly producerEpoch?: number;
  readonly compression?: number | undefined;
  readonly topicData: readonly ProducedTopic[];
}

export interface ProducedTopic {
  readonly topic: string;
  readonly partitions: readonly ProducedPartition[];
}

export interface ProducedPartition {
  readonly partition: number;
  readonly firstSequence?: number;
  readonly messages: readonly (RecordToEncode & { readonly timestamp?: string | undefined })[];
}

export interface ProduceAnswer {
  readonly topics: readonly { readonly topicName: string; readonly partitions: readonly Written[] }[];
}

export interface Written {
  readonly partition: number;
  readonly errorCode: number;
  readonly baseOffset: string;
}

export const PRODUCE_KEY = 0;
export const PRODUCE_VERSION = 7;
const DEFAULT_TIMEOUT_MS = 30_000;
const NO_PRODUCER = -1;

export function produce(broker: AskedBroker, request: ProduceRequest): Promise<ProduceAnswer> {
  const now = Date.now();
  return ask(broker, {
    ...{ apiKey: PRODUCE_KEY, apiName: 'Produce', apiVersion: PRODUCE_VERSION },
    capacity: capacityFor(request),
    write: (body) => writeProduce(body, request, now),
    read: readAnswer,
  });
}

/** @param now the time of all records, epoch milliseconds */
export function writeProduce(body: BytesWriter, request: ProduceRequest, now: number): void {
  const { transactionalId = null, acks, timeout = DEFAULT_TIMEOUT_MS, topicData } = request;
  body.string(transactionalId);
  body.int16(acks);
  body.int32(timeout);
  body.int32(topicData.length);
  for (const { topic, partitions } of topicData) {
    body.string(topic);
    body.int32(partitions.length);
    for (const each of partitions) {
      body.int32(each.partition);
      writeBatch(body, request, each, now);
    }
  }
}

/** Offset, length, leader epoch, magic byte and checksum; then what the checksum is over, up to the records. */
const BATCH_HEADER_BYTES = 61;
const CHECKED_FROM = 21;
const MAGIC = 2;
const TRANSACTIONAL = 16;

function writeBatch(
  body: BytesWriter,
  { transactionalId = null, producerId, producerEpoch = 0 }: ProduceRequest,
  { messages, firstSequence = 0 }: ProducedPartition,
  now: number,
): void {
  const sizes = messages.map(sizeOfRecord);
  const size = sizes.reduce((sum, each) => sum + withLength(each), BATCH_HEADER_BYTES);
  body.int32(size);
  body.fill(size, (buffer, from) => {
    // The broker gives the first offset.
    let at = writeInt64(buffer, from, 0);
    at = buffer.writeInt32BE(size - 12, at);
    at = buffer.writeInt32BE(0, at);
    at = buffer.writeInt8(MAGIC, at) + 4;
    at = buffer.writeInt16BE(transactionalId === null ? 0 : TRANSACTIONAL, at);
    at = buffer.writeInt32BE(messages.length - 1, at);
    at = writeInt64(buffer, writeInt64(buffer, at, now), now);
    at = writeInt64(buffer, at, producerId === undefined ? NO_PRODUCER : Number(producerId));
    at = buffer.writeInt16BE(producerEpoch, at);
    at = buffer.writeInt32BE(firstSequence, at);
    at = buffer.writeInt32BE(messages.length, at);
    for (const [i, message] of messages.entries())
      at = writeRecord(buffer, at, message, i, sizes[i] as number);
    buffer.writeUInt32BE(crc32c(buffer, from + CHECKED_FROM, at), from + CHECKED_FROM - 4);
    return at;
  });
}

/** About as much as it takes, so that the bytes need not be moved. */
function capacityFor({ topicData }: ProduceRequest): number {
  let bytes = 0;
  for (const { partitions } of topicData) {
    for (const { messages } of partitions) {
      bytes += 300;
      for (const { key, value, headers } of messages) {
        bytes += 32 + (key?.length ?? 0) + (value?.length ?? 0);
        for (const name in headers) bytes += 4 + name.length + (headers[name]?.length ?? 0);
      }
    }
  }
  return bytes;
}

function readAnswer(answer: BytesReader): { value: ProduceAnswer; throttleMs: number } {
  const topics = answer.readArray(() => ({
    topicName: answer.readString(),
    partitions: answer.readArray(() => {
      const written = {
        partition: answer.readInt32(),
        errorCode: answer.readInt16(),
        baseOffset: String(answer.readInt64()),
      };
      // When it was appended, and the first offset of the log.
      answer.readBytes(16);
      return written;
    }),
  }));
  return { value: { topics }, throttleMs: answer.readInt32() };
}
