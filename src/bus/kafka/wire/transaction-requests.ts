import type { AddPartitionsRequest } from '../kafkajs-internals.js';
import { ask, type AskedBroker } from './ask.js';
import type { BytesReader } from './bytes-reader.js';
import type { BytesWriter } from './bytes-writer.js';

/** Who writes a transaction. */
export interface TransactionOwner {
  readonly transactionalId: string;
  readonly producerId: string;
  readonly producerEpoch: number;
}

export interface AddOffsetsRequest extends TransactionOwner {
  readonly groupId: string;
}

export interface TxnOffsetCommitRequest extends AddOffsetsRequest {
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly offset: string;
      readonly metadata?: string | null;
    }[];
  }[];
}

export interface EndTxnRequest extends TransactionOwner {
  /** True commits. */
  readonly transactionResult: boolean;
}

/** The first code that is none of success; 0 where there is none. */
export type ErrorCode = number;

/** Version 1 of each: what a broker throttles, it answers first. */
export const TXN_VERSION = 1;

export function addPartitionsToTxn(broker: AskedBroker, request: AddPartitionsRequest): Promise<ErrorCode> {
  return askCode(broker, 24, 'AddPartitionsToTxn', partitionCodes, (body) => {
    writeOwner(body, request);
    body.int32(request.topics.length);
    for (const { topic, partitions } of request.topics) {
      body.string(topic);
      body.int32(partitions.length);
      for (const partition of partitions) body.int32(partition);
    }
  });
}

export function addOffsetsToTxn(broker: AskedBroker, request: AddOffsetsRequest): Promise<ErrorCode> {
  return askCode(broker, 25, 'AddOffsetsToTxn', oneCode, (body) => {
    writeOwner(body, request);
    body.string(request.groupId);
  });
}

export function endTxn(broker: AskedBroker, request: EndTxnRequest): Promise<ErrorCode> {
  return askCode(broker, 26, 'EndTxn', oneCode, (body) => {
    writeOwner(body, request);
    body.int8(request.transactionResult ? 1 : 0);
  });
}

export function txnOffsetCommit(broker: AskedBroker, request: TxnOffsetCommitRequest): Promise<ErrorCode> {
  return askCode(broker, 28, 'TxnOffsetCommit', partitionCodes, (body) => {
    body.string(request.transactionalId);
    body.string(request.groupId);
    body.int64(Number(request.producerId));
    body.int16(request.producerEpoch);
    body.int32(request.topics.length);
    for (const { topic, partitions } of request.topics) {
      body.string(topic);
      body.int32(partitions.length);
      for (const { partition, offset, metadata } of partitions) {
        body.int32(partition);
        body.int64(Number(offset));
        body.string(metadata ?? null);
      }
    }
  });
}

function askCode(
  broker: AskedBroker,
  apiKey: number,
  apiName: string,
  codeIn: (answer: BytesReader) => ErrorCode,
  write: (body: BytesWriter) => void,
): Promise<ErrorCode> {
  return ask(broker, {
    ...{ apiKey, apiName, apiVersion: TXN_VERSION, write },
    read(answer) {
      const throttleMs = answer.readInt32();
      return { throttleMs, value: codeIn(answer) };
    },
  });
}

function writeOwner(
  body: BytesWriter,
  { transactionalId, producerId, producerEpoch }: TransactionOwner,
): void {
  body.string(transactionalId);
  body.int64(Number(producerId));
  body.int16(producerEpoch);
}

function oneCode(answer: BytesReader): ErrorCode {
  return answer.readInt16();
}

/** Said of partitions that are not to blame. */
const NOT_ATTEMPTED = 55;

/** A code for each partition of each topic. */
function partitionCodes(answer: BytesReader): ErrorCode {
  const codes = answer.readArray(() => {
    answer.readString();
    return answer.readArray(() => {
      answer.readInt32();
      return answer.readInt16();
    });
  });
  const wrong = codes.flat().filter((code) => code !== 0);
  return wrong.find((code) => code !== NOT_ATTEMPTED) ?? wrong[0] ?? 0;
}
