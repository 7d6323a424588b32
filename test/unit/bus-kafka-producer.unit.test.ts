import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NewRecord } from '../../src/bus/bus.js';
import { both } from '../../src/bus/kafka/both.js';
import type { Cluster } from '../../src/bus/kafka/kafkajs-internals.js';
import { createPlainProducer } from '../../src/bus/kafka/plain-producer.js';
import { nextSequence } from '../../src/bus/kafka/produced-batches.js';
import { createKafkaNames } from '../../src/bus/kafka/topic-names.js';
import { createTransactionalProducer } from '../../src/bus/kafka/transactional-producer.js';
import { openTransactionalWriter } from '../../src/bus/kafka/transactional-writer.js';
import type { ProduceRequest } from '../../src/bus/kafka/wire/produce-request.js';

interface Call {
  readonly name: string;
  readonly request: Record<string, unknown>;
}

/** Answers what a broker would; the errors of a request are thrown first, one a call. */
function fakeCluster(errors: Partial<Record<string, (Error & { type?: string })[]>> = {}) {
  const calls: Call[] = [];
  const began: string[] = [];
  let underWay = 0;
  const together: number[] = [];
  const lengths = new Map<string, number>();

  async function answer(name: string, request: Record<string, unknown>, value: unknown): Promise<unknown> {
    began.push(name);
    together.push(++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    calls.push({ name, request });
    const error = errors[name]?.shift();
    if (error !== undefined) throw error;
    return value;
  }

  function written({ topicData }: ProduceRequest): unknown {
    return {
      topics: topicData.map(({ topic, partitions }) => ({
        topicName: topic,
        partitions: partitions.map(({ partition, messages }) => {
          const end = lengths.get(`${topic}/${partition}`) ?? 0;
          lengths.set(`${topic}/${partition}`, end + messages.length);
          return { partition, errorCode: 0, baseOffset: String(end) };
        }),
      })),
    };
  }

  const names = ['addPartitionsToTxn', 'addOffsetsToTxn', 'txnOffsetCommit', 'endTxn'];
  const brokerOf = (nodeId: number): object => ({
    nodeId,
    isConnected: () => true,
    ...Object.fromEntries(names.map((name) => [name, (request: never) => answer(name, request, {})])),
    initProducerId: (request: never) =>
      answer('initProducerId', request, { producerId: '7', producerEpoch: 3 }),
    produce: (request: ProduceRequest) => answer('produce', { ...request, nodeId }, written(request)),
  });
  const brokers = [1, 2].map(brokerOf);
  const cluster = {
    connect: () => Promise.resolve(),
    addMultipleTargetTopics: () => Promise.resolve(),
    refreshMetadata: () => answer('refreshMetadata', {}, undefined),
    findBroker: ({ nodeId }: { nodeId: number }) => Promise.resolve(brokers[nodeId - 1]),
    findGroupCoordinator: (query: never) => answer('findGroupCoordinator', query, brokers[0]),
    findTopicPartitionMetadata: () => [0, 1].map((partitionId) => ({ partitionId, leader: partitionId + 1 })),
  } as unknown as Cluster;
  let closed = false;
  return {
    connection: { cluster, close: () => Promise.resolve(void (closed = true)) },
    calls,
    began,
    isClosed: () => closed,
    of: (name: string) => calls.filter((call) => call.name === name).map(({ request }) => request),
    mostTogether: () => Math.max(...together),
  };
}

const typed = (type: string): Error & { type: string } => Object.assign(new Error(type), { type });
const message = (partition = 0, key = 'k') => ({ partition, key, value: 'v' });
const batch = (...partitions: number[]) => ({
  topicMessages: [{ topic: 't', messages: partitions.map((partition) => message(partition)) }],
});
const offsets = {
  consumerGroupId: 'g',
  topics: [{ topic: 'in', partitions: [{ partition: 0, offset: '5' }] }],
};
const plan = { partitions: [{ topic: 't', partition: 0 }], groupId: 'g' };
const producerOn = ({ connection }: ReturnType<typeof fakeCluster>) =>
  createTransactionalProducer(connection, 'lane-0', 15_000);
const sequencesOf = (produced: readonly Record<string, unknown>[]): unknown[] =>
  produced.flatMap(({ topicData }) =>
    (topicData as ProduceRequest['topicData']).flatMap(({ partitions }) =>
      partitions.map(({ partition, firstSequence }) => [partition, firstSequence]),
    ),
  );

describe('a transaction', () => {
  test('takes the id over first, tells what it writes to before it writes, and ends last', async () => {
    const kafka = fakeCluster();
    const transaction = await producerOn(kafka).transaction(plan);
    expect(kafka.of('initProducerId')).toEqual([{ transactionalId: 'lane-0', transactionTimeout: 15_000 }]);
    await Promise.all([transaction.sendBatch(batch(0, 0)), transaction.sendOffsets(offsets)]);
    await transaction.commit();
    const order = kafka.calls.map(({ name }) => name).filter((name) => name !== 'findGroupCoordinator');
    expect(order.slice(1, 3).toSorted()).toEqual(['addOffsetsToTxn', 'addPartitionsToTxn']);
    expect(order.slice(3, 5).toSorted()).toEqual(['produce', 'txnOffsetCommit']);
    expect(order.slice(5)).toEqual(['endTxn']);
    expect(kafka.mostTogether()).toBe(2);
    const owner = { transactionalId: 'lane-0', producerId: '7', producerEpoch: 3 };
    expect(kafka.of('addPartitionsToTxn')).toEqual([{ ...owner, topics: [{ topic: 't', partitions: [0] }] }]);
    expect(kafka.of('addOffsetsToTxn')).toEqual([{ ...owner, groupId: 'g' }]);
    expect(kafka.of('txnOffsetCommit')).toEqual([{ ...owner, groupId: 'g', topics: offsets.topics }]);
    expect(kafka.of('endTxn')).toEqual([{ ...owner, transactionResult: true }]);
  });

  test('tells of what the plan did not know when it comes to it, and of nothing twice', async () => {
    const kafka = fakeCluster();
    const transaction = await producerOn(kafka).transaction(plan);
    await transaction.sendBatch(batch(0));
    await transaction.sendBatch(batch(0, 1));
    await transaction.abort();
    const told = kafka.of('addPartitionsToTxn').map(({ topics }) => topics);
    expect(told).toEqual([[{ topic: 't', partitions: [0] }], [{ topic: 't', partitions: [1] }]]);
    expect(kafka.of('endTxn')).toMatchObject([{ transactionResult: false }]);
  });

  test('numbers the records of each partition on, sends each batch to its leader, and says where it lies', async () => {
    const kafka = fakeCluster();
    const producer = producerOn(kafka);
    for (let i = 0; i < 2; i++) {
      const transaction = await producer.transaction();
      await transaction.sendBatch(batch(0, 1, 0));
      if (i === 1)
        expect(await transaction.sendBatch(batch(1))).toEqual([{ topic: 't', partition: 1, baseOffset: 2 }]);
      await transaction.commit();
    }
    expect(sequencesOf(kafka.of('produce')).toSorted()).toEqual([
      ...[
        [0, 0],
        [0, 2],
      ],
      ...[
        [1, 0],
        [1, 1],
        [1, 2],
      ],
    ]);
    expect(new Set(kafka.of('produce').map(({ nodeId }) => nodeId))).toEqual(new Set([1, 2]));
    expect(kafka.of('initProducerId')).toHaveLength(1);
  });

  test('that wrote nothing costs no request', async () => {
    const kafka = fakeCluster();
    await (await producerOn(kafka).transaction(plan)).abort();
    expect(kafka.of('endTxn')).toEqual([]);
  });

  test('waits while the broker still ends the one before', async () => {
    const concurrent = () => typed('CONCURRENT_TRANSACTIONS');
    const kafka = fakeCluster({
      addPartitionsToTxn: [concurrent(), concurrent()],
      addOffsetsToTxn: [concurrent()],
      txnOffsetCommit: [concurrent(), typed('NOT_COORDINATOR_FOR_GROUP')],
    });
    const transaction = await producerOn(kafka).transaction(plan);
    await transaction.sendBatch(batch(0));
    await transaction.sendOffsets(offsets);
    await transaction.commit();
    expect(kafka.of('txnOffsetCommit')).toHaveLength(3);
    expect(kafka.of('addPartitionsToTxn')).toHaveLength(3);
    expect(kafka.of('produce')).toHaveLength(1);
  });

  test.each(['NOT_LEADER_FOR_PARTITION', 'NOT_ENOUGH_REPLICAS'])(
    'given %s, sends the batch again under the same numbers',
    async (type) => {
      const kafka = fakeCluster({ produce: [typed(type)] });
      const transaction = await producerOn(kafka).transaction(plan);
      await transaction.sendBatch(batch(0, 0));
      await transaction.sendBatch(batch(0));
      expect(sequencesOf(kafka.of('produce'))).toEqual([
        [0, 0],
        [0, 0],
        [0, 2],
      ]);
      expect(kafka.of('refreshMetadata')).toHaveLength(1);
    },
  );

  test.each(['produce', 'addPartitionsToTxn', 'addOffsetsToTxn', 'txnOffsetCommit', 'endTxn'])(
    'given an error of %s, it can be aborted, and its producer writes no other',
    async (name) => {
      const kafka = fakeCluster({ [name]: [typed('MESSAGE_TOO_LARGE')] });
      const producer = producerOn(kafka);
      const transaction = await producer.transaction(plan);
      const work = async (): Promise<void> => {
        await Promise.all([transaction.sendBatch(batch(0)), transaction.sendOffsets(offsets)]);
        await transaction.commit();
      };
      await expect(work()).rejects.toThrow('MESSAGE_TOO_LARGE');
      // What became of a commit that failed is unknown: it is not to be aborted.
      expect(transaction.isActive()).toBe(name !== 'endTxn');
      if (transaction.isActive()) await transaction.abort();
      await expect(producer.transaction()).rejects.toThrow('not used again');
      expect(kafka.of('endTxn').map(({ transactionResult }) => transactionResult)).toEqual([
        name === 'endTxn',
      ]);
    },
  );

  test('fails only when all that it asked has ended', async () => {
    const kafka = fakeCluster({ addOffsetsToTxn: [typed('GROUP_AUTHORIZATION_FAILED')] });
    const transaction = await producerOn(kafka).transaction(plan);
    await expect(transaction.sendBatch(batch(0))).rejects.toThrow('GROUP_AUTHORIZATION_FAILED');
    expect(kafka.calls).toHaveLength(kafka.began.length);
    expect(kafka.of('produce')).toEqual([]);
  });

  test('sends one batch at a time: two at once would have the same numbers', async () => {
    const transaction = await producerOn(fakeCluster()).transaction(plan);
    const first = transaction.sendBatch(batch(0));
    await expect(transaction.sendBatch(batch(0))).rejects.toThrow('one batch at a time');
    await first;
  });

  test('given a coordinator that moved, it is ended where the coordinator is', async () => {
    const kafka = fakeCluster({ endTxn: [typed('NOT_COORDINATOR_FOR_GROUP')] });
    const transaction = await producerOn(kafka).transaction(plan);
    await transaction.sendBatch(batch(0));
    await transaction.commit();
    expect(kafka.of('endTxn')).toHaveLength(2);
  });

  test('is the only one of its producer, and over when it has ended', async () => {
    const producer = producerOn(fakeCluster());
    const transaction = await producer.transaction(plan);
    await expect(producer.transaction()).rejects.toThrow('one transaction at a time');
    await transaction.commit();
    await expect(transaction.commit()).rejects.toThrow('has ended');
    await expect(transaction.sendBatch(batch(0))).rejects.toThrow('has ended');
  });
});

describe('a writer of transactions', () => {
  const record: NewRecord = {
    ...{ topic: 'raw-hits.v1', partition: 0, headers: {} },
    ...{ key: Buffer.from('k'), value: Buffer.from('v') },
  };
  const named = (name: string): Error => Object.assign(new Error(name), { name });

  test.each([
    ['KafkaJSRequestTimeoutError', 0],
    ['KafkaJSConnectionClosedError', 0],
    ['KafkaJSProtocolError', 1],
  ])(
    'given a produce that ends with %s, it aborts %i times: what was not answered may be written yet',
    async (name, aborts) => {
      const kafka = fakeCluster({ produce: [named(name)] });
      const writer = await openTransactionalWriter(producerOn(kafka), createKafkaNames('p.'));
      await expect(writer.write([record])).rejects.toThrow(name);
      expect(kafka.of('endTxn')).toHaveLength(aborts);
    },
  );
});

test('of two of which one fails, the other is waited for', async () => {
  let end: () => void = () => undefined;
  let settled = false;
  const other = new Promise<void>((resolve) => (end = resolve));
  const ended = both(Promise.reject(new Error('failed')), other).finally(() => (settled = true));
  ended.catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect(settled).toBe(false);
  end();
  await expect(ended).rejects.toThrow('failed');
});

test('sequence numbers go on at 0 behind the largest', () => {
  const largest = 2n ** 31n - 1n;
  fc.assert(
    fc.property(fc.nat(Number(largest)), fc.integer({ min: 1, max: 10_000 }), (first, records) => {
      expect(nextSequence(first, records)).toBe(Number((BigInt(first) + BigInt(records)) % (largest + 1n)));
    }),
  );
});

describe('what is written without a transaction', () => {
  test('has no numbers, and is sent again when it was not answered', async () => {
    const lost = Object.assign(new Error('closed'), { name: 'KafkaJSConnectionClosedError' });
    const kafka = fakeCluster({ produce: [lost] });
    const producer = createPlainProducer(kafka.connection);
    await producer.connect();
    expect(await producer.sendBatch(batch(0))).toHaveLength(1);
    expect(kafka.of('produce')).toHaveLength(2);
    expect(kafka.of('produce')[0]).not.toHaveProperty('producerId');
    await producer.disconnect();
    expect(kafka.isClosed()).toBe(true);
  });

  test('given several partitions of which one has no leader, none is written more than twice', async () => {
    const moved = () => typed('NOT_LEADER_FOR_PARTITION');
    const kafka = fakeCluster({ produce: [moved(), moved(), moved()] });
    const written = await createPlainProducer(kafka.connection).sendBatch(batch(0, 1));
    expect(written.map(({ partition }) => partition)).toEqual([0, 1]);
    const asked = kafka.of('produce').map(({ nodeId }) => nodeId);
    expect([1, 2].map((id) => asked.filter((nodeId) => nodeId === id).length).toSorted()).toEqual([2, 3]);
  });

  test('is not sent again where the leader has written it', async () => {
    const kafka = fakeCluster({ produce: [typed('NOT_ENOUGH_REPLICAS_AFTER_APPEND')] });
    const producer = createPlainProducer(kafka.connection);
    await expect(producer.sendBatch(batch(0))).rejects.toThrow('AFTER_APPEND');
    expect(kafka.of('produce')).toHaveLength(1);
  });

  test('is refused for good where the broker says so', async () => {
    const kafka = fakeCluster({ produce: [typed('MESSAGE_TOO_LARGE')] });
    await expect(createPlainProducer(kafka.connection).sendBatch(batch(0))).rejects.toThrow(
      'MESSAGE_TOO_LARGE',
    );
    expect(kafka.of('produce')).toHaveLength(1);
  });
});
