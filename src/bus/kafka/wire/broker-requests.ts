import type { AddPartitionsRequest } from '../kafkajs-internals.js';
import type { KafkaDecoder } from '../decode-batches.js';
import type { AskedBroker } from './ask.js';
import { fetch, FETCH_KEY, FETCH_VERSION, type FetchAnswer, type FetchRequest } from './fetch-request.js';
import {
  produce,
  PRODUCE_KEY,
  PRODUCE_VERSION,
  type ProduceAnswer,
  type ProduceRequest,
} from './produce-request.js';
import {
  addOffsetsToTxn,
  addPartitionsToTxn,
  endTxn,
  TXN_VERSION,
  txnOffsetCommit,
  type AddOffsetsRequest,
  type EndTxnRequest,
  type TxnOffsetCommitRequest,
} from './transaction-requests.js';

/** The requests of kafkajs's broker that ours stand in the place of: what they are given and answer is the same. */
export interface BrokerRequests {
  readonly produce: (request: ProduceRequest) => Promise<unknown>;
  readonly fetch: (request: FetchRequest) => Promise<unknown>;
  readonly addPartitionsToTxn: (request: AddPartitionsRequest) => Promise<unknown>;
  readonly addOffsetsToTxn: (request: AddOffsetsRequest) => Promise<unknown>;
  readonly txnOffsetCommit: (request: TxnOffsetCommitRequest) => Promise<unknown>;
  readonly endTxn: (request: EndTxnRequest) => Promise<unknown>;
}

export type RequestedBroker = AskedBroker & BrokerRequests;

export interface RequestParts {
  createErrorFromCode(code: number): Error;
  decodeMessages(decoder: KafkaDecoder): Promise<unknown[]>;
}

/**
 * The requests, to be made methods of kafkajs's broker. A broker that is too old for them, and what they do not know
 * (records that bring their own time or are to be packed, writing without an answer), is left to `kafkajs`.
 */
export function brokerRequests(kafkajs: BrokerRequests, parts: RequestParts): BrokerRequests {
  const theirs = methodsOf(kafkajs);

  function refuse(code: number): void {
    if (code !== 0) throw parts.createErrorFromCode(code);
  }

  async function decoded({ responses }: FetchAnswer): Promise<unknown> {
    const all = responses.map(async ({ topicName, partitions }) => ({
      topicName,
      partitions: await Promise.all(
        partitions.map(async ({ records, ...partition }) => ({
          ...partition,
          messages: await parts.decodeMessages(records),
        })),
      ),
    }));
    return { responses: await Promise.all(all) };
  }

  /** Of the methods whose answer is a code, and nothing else. */
  function answeredByCode<R>(
    apiKey: number,
    original: (request: R) => Promise<unknown>,
    request: (broker: AskedBroker, request: R) => Promise<number>,
  ): (this: AskedBroker, asked: R) => Promise<unknown> {
    return async function (this: AskedBroker, asked: R) {
      if (!speaks(this, apiKey, TXN_VERSION)) return original.call(this, asked);
      refuse(await request(this, asked));
      return {};
    };
  }

  return {
    async produce(this: AskedBroker, request: ProduceRequest) {
      if (!isPlain(request) || !speaks(this, PRODUCE_KEY, PRODUCE_VERSION))
        return theirs.produce.call(this, request);
      const answer = await produce(this, request);
      for (const code of codesOfProduce(answer)) refuse(code);
      return answer;
    },
    async fetch(this: AskedBroker, request: FetchRequest) {
      if (!speaks(this, FETCH_KEY, FETCH_VERSION)) return theirs.fetch.call(this, request);
      const answer = await fetch(this, request);
      refuse(answer.errorCode);
      for (const { partitions } of answer.responses)
        for (const { errorCode } of partitions) refuse(errorCode);
      return decoded(answer);
    },
    addPartitionsToTxn: answeredByCode(24, theirs.addPartitionsToTxn, addPartitionsToTxn),
    addOffsetsToTxn: answeredByCode(25, theirs.addOffsetsToTxn, addOffsetsToTxn),
    endTxn: answeredByCode(26, theirs.endTxn, endTxn),
    txnOffsetCommit: answeredByCode(28, theirs.txnOffsetCommit, txnOffsetCommit),
  };
}

type Method<R> = (this: unknown, request: R) => Promise<unknown>;

/** The methods of a class are not among what a spread copies. */
function methodsOf(broker: BrokerRequests): {
  [Name in keyof BrokerRequests]: Method<Parameters<BrokerRequests[Name]>[0]>;
} {
  const { produce, fetch, addPartitionsToTxn, addOffsetsToTxn, txnOffsetCommit, endTxn } = broker;
  return { produce, fetch, addPartitionsToTxn, addOffsetsToTxn, txnOffsetCommit, endTxn };
}

function speaks({ versions }: AskedBroker, apiKey: number, version: number): boolean {
  return (versions?.[apiKey]?.maxVersion ?? -1) >= version;
}

function isPlain({ acks, compression, topicData }: ProduceRequest): boolean {
  if (acks === 0 || (compression ?? 0) !== 0) return false;
  return topicData.every(({ partitions }) =>
    partitions.every(({ messages }) => messages.every(({ timestamp }) => timestamp === undefined)),
  );
}

function codesOfProduce({ topics }: ProduceAnswer): number[] {
  return topics.flatMap(({ partitions }) => partitions.map(({ errorCode }) => errorCode));
}
