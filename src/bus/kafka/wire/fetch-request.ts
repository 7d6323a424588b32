import type { AbortedTransaction } from '../read-committed.js';
import { ask, type AskedBroker } from './ask.js';
import { BytesReader } from './bytes-reader.js';

export interface FetchRequest {
  readonly isolationLevel: number;
  readonly maxWaitTime: number;
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly fetchOffset: string;
      readonly maxBytes: number;
    }[];
  }[];
}

/** Of a partition. The set of records is yet to be decoded. */
export interface FetchedSet {
  readonly partition: number;
  readonly errorCode: number;
  readonly highWatermark: string;
  readonly lastStableOffset: string;
  readonly abortedTransactions: readonly AbortedTransaction[];
  /** With the length before it. */
  readonly records: BytesReader;
}

export interface FetchAnswer {
  readonly errorCode: number;
  readonly responses: readonly { readonly topicName: string; readonly partitions: readonly FetchedSet[] }[];
}

export const FETCH_KEY = 1;
export const FETCH_VERSION = 11;
const CONSUMER = -1;
const NO_SESSION = 0;
const FINAL_EPOCH = -1;
const UNKNOWN = -1;
const NETWORK_MS = 100;
const BYTES_A_POSITION = 96;
const LENGTH_BYTES = 4;

export function fetch(broker: AskedBroker, request: FetchRequest): Promise<FetchAnswer> {
  const { maxWaitTime, minBytes, maxBytes, isolationLevel, topics } = request;
  return ask(broker, {
    ...{ apiKey: FETCH_KEY, apiName: 'Fetch', apiVersion: FETCH_VERSION },
    capacity: 64 + BYTES_A_POSITION * topics.length,
    timeoutMs: maxWaitTime + NETWORK_MS,
    write(body) {
      for (const number of [CONSUMER, maxWaitTime, minBytes, maxBytes]) body.int32(number);
      body.int8(isolationLevel);
      body.int32(NO_SESSION);
      body.int32(FINAL_EPOCH);
      body.int32(topics.length);
      for (const { topic, partitions } of topics) {
        body.string(topic);
        body.int32(partitions.length);
        for (const { partition, fetchOffset, maxBytes: most } of partitions) {
          body.int32(partition);
          body.int32(UNKNOWN);
          body.int64(Number(fetchOffset));
          body.int64(UNKNOWN);
          body.int32(most);
        }
      }
      // No topics are forgotten, and the client is in no rack.
      body.int32(0);
      body.string('');
    },
    read: readAnswer,
  });
}

function readAnswer(answer: BytesReader): { value: FetchAnswer; throttleMs: number } {
  const throttleMs = answer.readInt32();
  const errorCode = answer.readInt16();
  // The session.
  answer.readInt32();
  const responses = answer.readArray(() => ({
    topicName: answer.readString(),
    partitions: answer.readArray(() => readPartition(answer)),
  }));
  return { throttleMs, value: { errorCode, responses } };
}

function readPartition(answer: BytesReader): FetchedSet {
  const partition = answer.readInt32();
  const errorCode = answer.readInt16();
  const highWatermark = String(answer.readInt64());
  const lastStableOffset = String(answer.readInt64());
  // The first offset of the log.
  answer.readInt64();
  const abortedTransactions = answer.readArray(() => ({
    producerId: String(answer.readInt64()),
    firstOffset: String(answer.readInt64()),
  }));
  // The replica that it would rather be read from.
  answer.readInt32();
  const records = new BytesReader(answer.readBytes(LENGTH_BYTES + Math.max(0, answer.peekInt32())));
  return { partition, errorCode, highWatermark, lastStableOffset, abortedTransactions, records };
}
