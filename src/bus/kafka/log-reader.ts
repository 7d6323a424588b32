import { setTimeout as sleep } from 'node:timers/promises';
import { ProoflineError } from '../../contracts/errors.js';
import type { TopicName } from '../../contracts/topics.js';
import type { StoredRecord } from '../bus.js';
import type { CuttableCluster } from './client.js';
import { unreadableIn } from './decode-batches.js';
import { isConnectionLost, isStaleMetadata } from './kafka-errors.js';
import type { Broker, FetchedPartition } from './kafkajs-internals.js';
import { withoutAborted } from './read-committed.js';
import { toStoredRecord } from './records.js';
import type { KafkaNames } from './topic-names.js';

/** One answer to a fetch: what may be handed out, and where to go on behind it. */
export interface Fetched {
  readonly topic: TopicName;
  readonly partition: number;
  readonly records: readonly StoredRecord[];
  /** Behind markers and aborted records as well. Where nothing was fetched, the offset that was asked for. */
  readonly next: number;
  /** PL_BATCH_UNREADABLE where what lies before `next` cannot be read: nobody who may lose nothing goes on. */
  readonly unreadable?: ProoflineError;
}

/** A position in a partition of a topic. */
export interface Position {
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: number;
}

/** Reads partitions without a group, over connections of its own. One fetch a broker is under way at a time. */
export interface LogReader {
  /** The broker that leads the partition: positions of one leader can be fetched together. */
  leaderOf(topic: TopicName, partition: number): number;
  /**
   * Read committed. Waits up to `maxWaitMs` for something to come. Of each partition about `maxBytes` at most, a
   * mebibyte where it is not said; a batch that is larger comes whole, so there is always some way on.
   */
  fetch(
    leader: number,
    positions: readonly Position[],
    maxWaitMs: number,
    maxBytes?: number,
  ): Promise<readonly Fetched[]>;
  /** First offset that is kept, and the end of the log, committed or not. */
  bounds(topic: TopicName, partition: number): Promise<{ readonly low: number; readonly end: number }>;
  /** Behind the last record that is committed and not hidden by an open transaction before it. */
  stableEnd(topic: TopicName, partition: number): Promise<number>;
  /** The group's next offset; null when it has none. */
  committed(group: string, topic: TopicName, partition: number): Promise<number | null>;
  /** What was committed with it; null when nothing was. */
  mark(group: string, topic: TopicName, partition: number): Promise<string | null>;
  countPartitions(topic: TopicName): Promise<number>;
  close(): Promise<void>;
}

/** Most that a fetch brings of a partition. */
export const MAX_PARTITION_BYTES = 1024 * 1024;
const MAX_BYTES = 8 * 1024 * 1024;
const UNCOMMITTED = 0;
const COMMITTED = 1;
const EARLIEST = -2;
const LATEST = -1;
const NO_OFFSET = -1;
/** How long a question is asked again while leaders move. */
const FRESH_MS = 5000;
const REFRESH_PAUSE_MS = 50;

/** Connects and learns where the topics lie. */
export async function openLogReader(
  connection: CuttableCluster,
  names: KafkaNames,
  topics: readonly TopicName[],
): Promise<LogReader> {
  const { cluster } = connection;
  try {
    await cluster.connect();
    await cluster.addMultipleTargetTopics(topics.map((topic) => names.topic(topic)));
  } catch (error) {
    await connection.close();
    throw error;
  }

  function leaderOf(topic: TopicName, partition: number): number {
    const found = cluster
      .findTopicPartitionMetadata(names.topic(topic))
      .find(({ partitionId }) => partitionId === partition);
    if (found === undefined || found.leader < 0)
      throw new ProoflineError('PL_BUS_DOWN', { problem: `${topic}/${partition} has no leader` });
    return found.leader;
  }

  /** Leaders move, and brokers restart: what failed for that is asked again, of whoever leads now. */
  async function withFreshLeader<T>(work: () => Promise<T>): Promise<T> {
    for (const deadline = performance.now() + FRESH_MS; ;) {
      try {
        return await work();
      } catch (error) {
        if (!(await refresh(error)) || performance.now() > deadline) throw error;
      }
    }
  }

  /** True after the metadata was read anew; false where that is no answer to the error. */
  async function refresh(error: unknown): Promise<boolean> {
    if (!isStaleMetadata(error) && !isConnectionLost(error)) return false;
    await sleep(REFRESH_PAUSE_MS);
    await cluster.refreshMetadata().catch(() => undefined);
    return true;
  }

  function listOffset(
    topic: TopicName,
    partition: number,
    timestamp: number,
    isolationLevel: number,
  ): Promise<number> {
    return withFreshLeader(async () => {
      const broker = await cluster.findBroker({ nodeId: leaderOf(topic, partition) });
      const { responses } = await broker.listOffsets({
        isolationLevel,
        topics: [{ topic: names.topic(topic), partitions: [{ partition, timestamp }] }],
      });
      return Number(foundIn(responses, topic, partition).offset);
    });
  }

  let fetches = 0;

  async function fetch(
    leader: number,
    positions: readonly Position[],
    maxWaitMs: number,
    maxBytes: number,
  ): Promise<readonly Fetched[]> {
    const broker = await cluster.findBroker({ nodeId: leader });
    // What comes first gets its share of the answer first: each has its turn to.
    const turn = fetches++ % Math.max(1, positions.length);
    const inTurn = [...positions.slice(turn), ...positions.slice(0, turn)];
    const named = new Map(
      inTurn.map((position) => [`${names.topic(position.topic)}/${position.partition}`, position]),
    );
    const answer = await fetchFrom(broker, names, inTurn, maxWaitMs, maxBytes);
    return answer.responses.flatMap(({ topicName, partitions }) =>
      partitions.flatMap((fetched) => {
        const position = named.get(`${topicName}/${fetched.partition}`);
        return position === undefined ? [] : [toFetched(position, fetched)];
      }),
    );
  }

  function fetchCommitted(
    group: string,
    topic: TopicName,
    partition: number,
  ): Promise<{ readonly offset: string; readonly metadata: string | null }> {
    const groupId = names.group(group);
    return withFreshLeader(async () => {
      const coordinator = await cluster.findGroupCoordinator({ groupId });
      const { responses } = await coordinator.offsetFetch({
        groupId,
        topics: [{ topic: names.topic(topic), partitions: [{ partition }] }],
      });
      return foundIn(responses, topic, partition);
    });
  }

  return {
    leaderOf,
    async fetch(leader, positions, maxWaitMs, maxBytes = MAX_PARTITION_BYTES) {
      try {
        return await fetch(leader, positions, maxWaitMs, maxBytes);
      } catch (error) {
        // The caller asks for the leader again.
        await refresh(error);
        throw error;
      }
    },
    async bounds(topic, partition) {
      const [low, end] = await Promise.all([
        listOffset(topic, partition, EARLIEST, UNCOMMITTED),
        listOffset(topic, partition, LATEST, UNCOMMITTED),
      ]);
      return { low, end };
    },
    stableEnd: (topic, partition) => listOffset(topic, partition, LATEST, COMMITTED),
    async committed(group, topic, partition) {
      const offset = Number((await fetchCommitted(group, topic, partition)).offset);
      return offset === NO_OFFSET ? null : offset;
    },
    async mark(group, topic, partition) {
      const { metadata } = await fetchCommitted(group, topic, partition);
      return metadata === '' ? null : metadata;
    },
    async countPartitions(topic) {
      await cluster.refreshMetadata();
      return cluster.findTopicPartitionMetadata(names.topic(topic)).length;
    },
    close: () => connection.close(),
  };
}

function fetchFrom(
  broker: Broker,
  names: KafkaNames,
  positions: readonly Position[],
  maxWaitTime: number,
  maxBytes: number,
): ReturnType<Broker['fetch']> {
  return broker.fetch({
    isolationLevel: COMMITTED,
    maxWaitTime,
    minBytes: 1,
    maxBytes: MAX_BYTES,
    topics: positions.map(({ topic, partition, offset }) => ({
      topic: names.topic(topic),
      partitions: [{ partition, fetchOffset: String(offset), maxBytes }],
    })),
  });
}

function toFetched({ topic, partition, offset }: Position, fetched: FetchedPartition): Fetched {
  // A batch is sent whole: it may begin before the offset that was asked for.
  const records: StoredRecord[] = [];
  for (const record of withoutAborted(fetched.messages, fetched.abortedTransactions)) {
    if (!record.isControlRecord && Number(record.offset) >= offset)
      records.push(toStoredRecord(topic, partition, record));
  }
  const last = fetched.messages.at(-1);
  const next = last === undefined ? offset : Math.max(offset, Number(last.offset) + 1);
  const batch = unreadableIn(fetched.messages);
  if (batch === null) return { topic, partition, records, next };
  const params = { topic, partition, from: batch.from, to: batch.offset, problem: batch.unreadable };
  return { topic, partition, records, next, unreadable: new ProoflineError('PL_BATCH_UNREADABLE', params) };
}

function foundIn<P extends { readonly partition: number }>(
  responses: readonly { readonly partitions: readonly P[] }[],
  topic: TopicName,
  partition: number,
): P {
  const found = responses[0]?.partitions.find((each) => each.partition === partition);
  if (found === undefined)
    throw new ProoflineError('PL_BUS_DOWN', { problem: `no answer about ${topic}/${partition}` });
  return found;
}
