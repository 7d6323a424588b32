import { extname } from 'node:path';
import type { KafkaConnection } from '../bus/kafka/client.js';
import { createSink, type Sink } from './arrivals.js';
import { untilJoined } from './joined-groups.js';
import { percentile } from './measure.js';
import {
  createClients,
  passthroughKafka,
  type Client,
  type Clients,
  type Producer,
} from './passthrough-clients.js';
import { groupOf, type PassthroughTask } from './passthrough-task.js';
import { startProcesses, type MeasuredProcesses } from './processes.js';

/**
 * The baseline of the line in Kafka: kafkajs alone, its own consumers and transactional producers, passing records
 * through as many topics exactly once, in as many processes. It does not survive what the line survives; it shows what
 * the client can do.
 */

export interface PassthroughLoad {
  readonly connection: KafkaConnection;
  /** Begins the names of its topics and groups. */
  readonly prefix: string;
  readonly partitions: number;
  readonly processes: number;
  readonly replicationFactor: number;
  readonly hops: number;
  readonly records: number;
  readonly recordBytes: number;
  /** Records that nothing is measured of. */
  readonly warmUp: number;
  /** Records that are sent one at a time, for the latency. */
  readonly alone: number;
}

export interface PassthroughFigures {
  readonly recordsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of processor time a record, of the processes that pass it on. */
  readonly processorMs: number;
}

const SEND_BYTES = 512 * 1024;

export async function passthrough(load: PassthroughLoad, signal: AbortSignal): Promise<PassthroughFigures> {
  const kafka = passthroughKafka(load.connection);
  const clients = createClients();
  const topics = Array.from({ length: load.hops + 1 }, (_, hop) => `${load.prefix}${hop}`);
  let processes: MeasuredProcesses | null = null;
  try {
    await makeTopics(kafka, clients, load, topics);
    const { connection, partitions } = load;
    const task: PassthroughTask = { connection, partitions, topics };
    processes = await startProcesses({
      file: FILE,
      tasks: Array<PassthroughTask>(load.processes).fill(task),
      signal,
    });
    const groups = topics.slice(0, -1).map(groupOf);
    await untilJoined(connection, { groups, members: load.processes }, processes.signal);
    return await measure(await openEnds(kafka, clients, load, topics), load, processes);
  } finally {
    await processes?.stop();
    await clients.close();
    await deleteTopics(kafka, topics);
  }
}

const FILE = new URL(`./passthrough-process${extname(import.meta.url)}`, import.meta.url);

async function makeTopics(
  kafka: Client,
  clients: Clients,
  { partitions, replicationFactor }: PassthroughLoad,
  topics: readonly string[],
): Promise<void> {
  const admin = await clients.keep(kafka.admin());
  await admin.createTopics({
    topics: topics.map((topic) => ({ topic, numPartitions: partitions, replicationFactor })),
  });
}

async function deleteTopics(kafka: Client, topics: readonly string[]): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  await admin.deleteTopics({ topics: [...topics] }).catch(() => undefined);
  await admin.disconnect();
}

/** Both ends of the chain: they are this process's, as the asking of the line is. */
interface Ends {
  readonly source: Producer;
  readonly first: string;
  readonly sink: Sink;
  readonly value: Buffer;
}

async function openEnds(
  kafka: Client,
  clients: Clients,
  { prefix, hops, recordBytes }: PassthroughLoad,
  topics: readonly string[],
): Promise<Ends> {
  const source = await clients.keep(kafka.producer());
  const sink = createSink();
  const last = await clients.keep(kafka.consumer({ groupId: `${prefix}sink`, maxWaitTimeInMs: 50 }));
  await last.subscribe({ topics: [topics[hops] ?? ''], fromBeginning: true });
  await last.run({
    eachBatch({ batch }) {
      sink.came(batch.messages.length);
      return Promise.resolve();
    },
  });
  return { source, first: topics[0] ?? '', sink, value: Buffer.alloc(recordBytes, 97) };
}

/**
 * The clock holds no connecting, no joining of groups and no filling of the first topic: it begins when the first batch
 * is with one of the consumers, which are warm, and ends when the last record has come out of the last topic.
 */
async function measure(
  ends: Ends,
  { records, warmUp, alone, partitions }: PassthroughLoad,
  processes: MeasuredProcesses,
): Promise<PassthroughFigures> {
  const { sink } = ends;
  const { signal } = processes;
  await fill(ends, warmUp, partitions);
  await sink.until(warmUp, signal);
  await processes.tell('hold');
  await fill(ends, records, partitions);
  const before = await processes.usage();
  await processes.tell('release', 'first');
  const start = performance.now();
  await sink.until(warmUp + records, signal);
  const seconds = (performance.now() - start) / 1000;
  const after = await processes.usage();
  const times = await oneAtATime(ends, alone, partitions, signal);
  return {
    recordsPerSecond: records / seconds,
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    processorMs: (after.cpuMs - before.cpuMs) / records,
  };
}

async function fill(
  { source, first: topic, value }: Ends,
  records: number,
  partitions: number,
): Promise<void> {
  const most = Math.max(1, Math.floor(SEND_BYTES / value.length));
  for (let i = 0; i < records; i += most) {
    const count = Math.min(most, records - i);
    const messages = Array.from({ length: count }, (_, j) => ({
      key: `k${i + j}`,
      partition: (i + j) % partitions,
      value,
    }));
    await source.send({ topic, messages });
  }
}

async function oneAtATime(
  { source, first: topic, value, sink }: Ends,
  count: number,
  partitions: number,
  signal: AbortSignal,
): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const [start, seen] = [performance.now(), sink.count()];
    await source.send({ topic, messages: [{ key: 'alone', partition: i % partitions, value }] });
    await sink.until(seen + 1, signal);
    times.push(performance.now() - start);
  }
  return times.slice(Math.floor(count / 10));
}
