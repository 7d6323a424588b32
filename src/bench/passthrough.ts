import { Kafka, logLevel } from '../bus/kafka/load-kafkajs.js';
import type { KafkaConnection } from '../bus/kafka/client.js';
import { percentile } from './measure.js';

/**
 * The baseline of the line in Kafka: kafkajs alone, its own consumers and transactional producers, passing records
 * through as many topics exactly once. It does not survive what the line survives; it shows what the client can do.
 */

export interface PassthroughLoad {
  readonly connection: KafkaConnection;
  /** Begins the names of its topics and groups. */
  readonly prefix: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly hops: number;
  readonly records: number;
  readonly recordBytes: number;
  /** Records that are sent one at a time, for the latency. */
  readonly alone: number;
}

export interface PassthroughFigures {
  readonly recordsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of processor time a record. */
  readonly processorMs: number;
}

type Client = InstanceType<typeof Kafka>;
type Producer = ReturnType<Client['producer']>;
type Consumer = ReturnType<Client['consumer']>;

const MAX_WAIT_MS = 100;
const SEND_BYTES = 512 * 1024;
const MOST_A_TRANSACTION = 1000;

export async function passthrough(load: PassthroughLoad): Promise<PassthroughFigures> {
  const { brokers, ssl, sasl } = load.connection;
  const kafka = new Kafka({
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
    brokers: [...brokers],
    clientId: 'passthrough',
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 20, retries: 8 },
  });
  const clients = createClients();
  const topic = (hop: number): string => `${load.prefix}${hop}`;
  try {
    const admin = await clients.keep(kafka.admin());
    await admin.createTopics({
      topics: Array.from({ length: load.hops + 1 }, (_, hop) => ({
        topic: topic(hop),
        numPartitions: load.partitions,
        replicationFactor: load.replicationFactor,
      })),
    });
    const source = await clients.keep(kafka.producer());
    const value = Buffer.alloc(load.recordBytes, 97);
    await fill(source, topic(0), load, value);
    const sink = createSink();
    const last = await clients.keep(kafka.consumer({ groupId: `${load.prefix}sink`, maxWaitTimeInMs: 50 }));
    await last.subscribe({ topics: [topic(load.hops)], fromBeginning: true });
    const [start, before] = [performance.now(), process.cpuUsage()];
    await last.run({
      eachBatch({ batch }) {
        sink.came(batch.messages.length);
        return Promise.resolve();
      },
    });
    const hops = Array.from({ length: load.hops }, (_, hop) => hop);
    await Promise.all(hops.map((hop) => runHop(kafka, clients, load, topic(hop), topic(hop + 1))));
    await sink.until(load.records);
    const { user, system } = process.cpuUsage(before);
    const recordsPerSecond = (load.records * 1000) / (performance.now() - start);
    const times = await oneAtATime(source, topic(0), load, value, sink);
    return {
      recordsPerSecond,
      p50: percentile(times, 50),
      p99: percentile(times, 99),
      processorMs: (user + system) / 1000 / load.records,
    };
  } finally {
    await clients.close();
    const cleaning = kafka.admin();
    await cleaning.connect();
    const topics = Array.from({ length: load.hops + 1 }, (_, hop) => topic(hop));
    await cleaning.deleteTopics({ topics }).catch(() => undefined);
    await cleaning.disconnect();
  }
}

async function fill(source: Producer, topic: string, load: PassthroughLoad, value: Buffer): Promise<void> {
  const most = Math.max(1, Math.floor(SEND_BYTES / load.recordBytes));
  for (let i = 0; i < load.records; i += most) {
    const count = Math.min(most, load.records - i);
    const messages = Array.from({ length: count }, (_, j) => ({
      key: `k${i + j}`,
      partition: (i + j) % load.partitions,
      value,
    }));
    await source.send({ topic, messages });
  }
}

/** Everything that a fetch brought goes on in one transaction. */
async function runHop(
  kafka: Client,
  clients: Clients,
  { partitions }: PassthroughLoad,
  from: string,
  to: string,
): Promise<void> {
  const groupId = `${from}-group`;
  const producers = new Map<number, Producer>();
  async function producerOf(partition: number): Promise<Producer> {
    const transactionalId = `${groupId}-${partition}`;
    const producer =
      producers.get(partition) ??
      (await clients.keep(
        kafka.producer({ transactionalId, maxInFlightRequests: 1, transactionTimeout: 15_000 }),
      ));
    producers.set(partition, producer);
    return producer;
  }
  const consumer = await clients.keep(kafka.consumer({ groupId, maxWaitTimeInMs: MAX_WAIT_MS }));
  await consumer.subscribe({ topics: [from], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: partitions,
    async eachBatch(payload) {
      const { batch } = payload;
      const { partition } = batch;
      const producer = await producerOf(partition);
      for (let i = 0; i < batch.messages.length; i += MOST_A_TRANSACTION) {
        const messages = batch.messages.slice(i, i + MOST_A_TRANSACTION);
        const last = messages.at(-1)?.offset ?? batch.lastOffset();
        const transaction = await producer.transaction();
        await transaction.send({
          topic: to,
          messages: messages.map(({ key, value }) => ({ key, value, partition })),
        });
        const offset = String(Number(last) + 1);
        const topics = [{ topic: from, partitions: [{ partition, offset }] }];
        await transaction.sendOffsets({ consumerGroupId: groupId, topics });
        await transaction.commit();
        payload.resolveOffset(last);
        await payload.heartbeat();
      }
    },
  });
}

async function oneAtATime(
  source: Producer,
  topic: string,
  load: PassthroughLoad,
  value: Buffer,
  sink: Sink,
): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < load.alone; i++) {
    const [start, seen] = [performance.now(), sink.count()];
    await source.send({ topic, messages: [{ key: 'alone', partition: i % load.partitions, value }] });
    await sink.until(seen + 1);
    times.push(performance.now() - start);
  }
  return times.slice(Math.floor(load.alone / 10));
}

interface Sink {
  came(records: number): void;
  count(): number;
  until(records: number): Promise<void>;
}

function createSink(): Sink {
  let [count, wanted, tell] = [0, 0, (): void => undefined];
  return {
    came(records) {
      count += records;
      if (count >= wanted) tell();
    },
    count: () => count,
    until(records) {
      wanted = records;
      return new Promise((resolve) => {
        tell = resolve;
        if (count >= wanted) resolve();
      });
    },
  };
}

interface Clients {
  keep<T extends Producer | Consumer | ReturnType<Client['admin']>>(client: T): Promise<T>;
  close(): Promise<void>;
}

function createClients(): Clients {
  const open: { disconnect(): Promise<void> }[] = [];
  return {
    async keep(client) {
      await client.connect();
      open.push(client);
      return client;
    },
    async close() {
      await Promise.all(open.map((client) => client.disconnect()));
    },
  };
}
