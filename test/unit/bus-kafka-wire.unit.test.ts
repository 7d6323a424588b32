import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { AskedBroker, Connection } from '../../src/bus/kafka/wire/ask.js';
import { fetch } from '../../src/bus/kafka/wire/fetch-request.js';
import { produce } from '../../src/bus/kafka/wire/produce-request.js';
import type { Answered, PushedRequest } from '../../src/bus/kafka/wire/request-queue.js';
import {
  addOffsetsToTxn,
  addPartitionsToTxn,
  endTxn,
  txnOffsetCommit,
} from '../../src/bus/kafka/wire/transaction-requests.js';

// In this file nothing else loads kafkajs, so these are its own encoders.
const kafkajs = createRequire(import.meta.url);
const requestOf = (path: string): ((request: object) => object) =>
  kafkajs(`kafkajs/src/protocol/requests/${path}/request`) as (request: object) => object;
const createRequest = kafkajs('kafkajs/src/protocol/request') as (
  options: object,
) => Promise<{ buffer: Buffer }>;
interface Encoder {
  readonly buffer: Buffer;
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeInt64(value: number): Encoder;
  writeString(value: string): Encoder;
}
const Encoder = kafkajs('kafkajs/src/protocol/encoder') as new () => Encoder;

const CLIENT = 'proofline ü';
const CORRELATION = 41;

interface FakeBroker extends AskedBroker {
  /** What went to the socket, write by write. */
  readonly written: Buffer[];
  readonly pushed: PushedRequest[];
  readonly throttled: number[];
  readonly disconnected: () => boolean;
}

/** Answers each request with the payload, or fails it with the error. */
function fakeBroker(answer: Buffer | Error): FakeBroker {
  const written: Buffer[] = [];
  const pushed: PushedRequest[] = [];
  const throttled: number[] = [];
  let disconnected = false;
  let corked: Buffer[] | null = null;
  const socket = {
    get writableCorked() {
      return corked === null ? 0 : 1;
    },
    cork: () => void (corked = []),
    uncork() {
      written.push(Buffer.concat(corked ?? []));
      corked = null;
    },
    write: (bytes: Buffer) => void corked?.push(bytes),
  } as unknown as Socket;
  const connection: Connection = {
    clientId: CLIENT,
    sasl: null,
    socket,
    isConnected: () => true,
    isAuthenticated: () => false,
    authenticate: () => Promise.reject(new Error('without sasl nobody authenticates')),
    nextCorrelationId: () => CORRELATION,
    failIfNotConnected: () => undefined,
    requestQueue: {
      push(request) {
        pushed.push(request);
        request.sendRequest();
        if (answer instanceof Error) request.entry.reject(answer);
        else request.entry.resolve({ payload: answer } as Answered);
      },
      maybeThrottle: (ms) => void throttled.push(ms),
    },
  };
  return {
    ...{ versions: {}, written, pushed, throttled },
    disconnected: () => disconnected,
    connectionPool: { getConnection: () => Promise.resolve(connection) },
    disconnect: () => Promise.resolve(void (disconnected = true)),
  };
}

const owner = { transactionalId: 'proofline.läne-0', producerId: '1099511627776', producerEpoch: 7 };
const topics = [
  { topic: 'a.v1', partitions: [0, 3] },
  { topic: 'b.v1', partitions: [2] },
];
const offsets = [
  {
    topic: 'a.v1',
    partitions: [
      { partition: 0, offset: '9007199254740991', metadata: 'märk' },
      { partition: 1, offset: '0', metadata: null },
    ],
  },
];

/** What is written together is written once all who ask have asked. */
const writtenOut = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function expectSame(sent: FakeBroker, path: string, request: object): Promise<void> {
  await writtenOut();
  const theirs = await createRequest({
    correlationId: CORRELATION,
    clientId: CLIENT,
    request: requestOf(path)(request),
  });
  expect(sent.written).toHaveLength(1);
  expect(sent.written[0]!.toString('hex')).toBe(theirs.buffer.toString('hex'));
}

describe('the requests of a transaction', () => {
  const ok = new Encoder().writeInt32(0).writeInt16(0).buffer;
  const perPartition = (throttle: number, ...codes: number[]): Buffer => {
    const answer = new Encoder()
      .writeInt32(throttle)
      .writeInt32(1)
      .writeString('a.v1')
      .writeInt32(codes.length);
    for (const [partition, code] of codes.entries()) answer.writeInt32(partition).writeInt16(code);
    return answer.buffer;
  };

  test('have the bytes that kafkajs writes', async () => {
    const [adds, groups, ends, commits] = [perPartition(0, 0), ok, ok, perPartition(0, 0)].map(fakeBroker);
    await addPartitionsToTxn(adds!, { ...owner, topics });
    await expectSame(adds!, 'addPartitionsToTxn/v1', { ...owner, topics });
    await addOffsetsToTxn(groups!, { ...owner, groupId: 'g' });
    await expectSame(groups!, 'addOffsetsToTxn/v1', { ...owner, groupId: 'g' });
    await endTxn(ends!, { ...owner, transactionResult: true });
    await expectSame(ends!, 'endTxn/v1', { ...owner, transactionResult: true });
    await txnOffsetCommit(commits!, { ...owner, groupId: 'g', topics: offsets });
    await expectSame(commits!, 'txnOffsetCommit/v1', { ...owner, groupId: 'g', topics: offsets });
  });

  test('answer with the first code that says no, and what the broker throttles is told', async () => {
    const adding = fakeBroker(perPartition(30, 0, 51, 3));
    expect(await addPartitionsToTxn(adding, { ...owner, topics })).toBe(51);
    expect(adding.throttled).toEqual([30]);
    const ending = fakeBroker(new Encoder().writeInt32(0).writeInt16(90).buffer);
    expect(await endTxn(ending, { ...owner, transactionResult: false })).toBe(90);
    expect(
      await txnOffsetCommit(fakeBroker(perPartition(0, 0, 0)), { ...owner, groupId: 'g', topics: [] }),
    ).toBe(0);
  });

  test('that are asked at the same moment go out in one write', async () => {
    const sent = fakeBroker(ok);
    await Promise.all([
      addOffsetsToTxn(sent, { ...owner, groupId: 'g' }),
      endTxn(sent, { ...owner, transactionResult: true }),
    ]);
    await writtenOut();
    expect(sent.pushed).toHaveLength(2);
    expect(sent.written).toHaveLength(1);
  });

  test('whose answer is cut off are an error', async () => {
    await expect(
      endTxn(fakeBroker(ok.subarray(0, 5)), { ...owner, transactionResult: true }),
    ).rejects.toThrow();
  });

  test('whose connection closes make the broker be connected to anew', async () => {
    const closed = Object.assign(new Error('closed'), { name: 'KafkaJSConnectionClosedError' });
    const broker = fakeBroker(closed);
    await expect(endTxn(broker, { ...owner, transactionResult: true })).rejects.toBe(closed);
    expect(broker.disconnected()).toBe(true);
    const refused = fakeBroker(new Error('other'));
    await expect(endTxn(refused, { ...owner, transactionResult: true })).rejects.toThrow('other');
    expect(refused.disconnected()).toBe(false);
  });
});

describe('a fetch', () => {
  const request = {
    ...{ isolationLevel: 1, maxWaitTime: 1000, minBytes: 1, maxBytes: 8_388_608 },
    topics: topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map((partition) => ({ partition, fetchOffset: '4294967297', maxBytes: 65_536 })),
    })),
  };
  const partition = (at: Encoder, records: Buffer | null): Encoder => {
    at.writeInt32(3).writeInt16(0).writeInt64(12).writeInt64(11).writeInt64(0);
    at.writeInt32(1).writeInt64(77).writeInt64(10).writeInt32(-1);
    return at.writeInt32(records === null ? -1 : records.length);
  };

  test('has the bytes that kafkajs writes, and may take as long as it waits', async () => {
    const empty = new Encoder().writeInt32(0).writeInt16(0).writeInt32(0).writeInt32(0).buffer;
    const sent = fakeBroker(empty);
    expect(await fetch(sent, request)).toEqual({ errorCode: 0, responses: [] });
    await expectSame(sent, 'fetch/v11', { replicaId: -1, ...request });
    expect(sent.pushed[0]?.requestTimeout).toBe(1100);
  });

  test('is answered with the records of each partition, yet to be decoded', async () => {
    const records = Buffer.from('records');
    const head = new Encoder().writeInt32(5).writeInt16(0).writeInt32(0);
    const first = partition(head.writeInt32(2).writeString('a.v1').writeInt32(1), records).buffer;
    const second = partition(new Encoder().writeString('b.v1').writeInt32(1), null).buffer;
    const broker = fakeBroker(Buffer.concat([first, records, second]));
    const { responses } = await fetch(broker, request);
    expect(responses.map(({ topicName }) => topicName)).toEqual(['a.v1', 'b.v1']);
    const [full, none] = responses.map(({ partitions }) => partitions[0]!);
    expect(full).toMatchObject({
      ...{ partition: 3, errorCode: 0, highWatermark: '12', lastStableOffset: '11' },
      abortedTransactions: [{ producerId: '77', firstOffset: '10' }],
    });
    expect(full!.records.readInt32()).toBe(records.length);
    expect(full!.records.readBytes(records.length)).toEqual(records);
    expect(none!.records.readInt32()).toBe(-1);
    expect(broker.throttled).toEqual([5]);
  });
});

test('what is produced is answered with where it was written', async () => {
  const answer = new Encoder().writeInt32(1).writeString('a.v1').writeInt32(2);
  for (const [partition, code] of [0, 10].entries())
    answer.writeInt32(partition).writeInt16(code).writeInt64(1000).writeInt64(-1).writeInt64(0);
  const broker = fakeBroker(answer.writeInt32(20).buffer);
  expect(await produce(broker, { acks: -1, topicData: [] })).toEqual({
    topics: [
      {
        topicName: 'a.v1',
        partitions: [
          { partition: 0, errorCode: 0, baseOffset: '1000' },
          { partition: 1, errorCode: 10, baseOffset: '1000' },
        ],
      },
    ],
  });
  expect(broker.throttled).toEqual([20]);
});
