import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProoflineError } from '../../contracts/errors.js';
import { topicNames, type TopicName } from '../../contracts/topics.js';
import type { Bus, BusReader, Consumption } from '../bus.js';
import { createInTurn } from '../in-turn.js';
import { createAppendQueue } from './append-queue.js';
import { createKafkaClient, type KafkaClient, type KafkaConnection } from './client.js';
import { noKafkaEvents, type KafkaEvents } from './events.js';
import { follow } from './follow.js';
import type { MemberTimes } from './group-member.js';
import { openLogReader, type LogReader } from './log-reader.js';
import type { PlainProducer } from './plain-producer.js';
import { readPage } from './read-page.js';
import { busError } from './refused.js';
import { barrierMessage, isBarrier, refuseUnfit } from './records.js';
import { subscribe } from './subscribe.js';
import { createKafkaNames, type KafkaNames } from './topic-names.js';
import { ensureTopics } from './topics.js';
import {
  openPlainWriter,
  openTransactionalWriter,
  type TransactionalWriter,
} from './transactional-writer.js';

export interface KafkaBusOptions extends KafkaConnection {
  /** Begins the name of every topic, group and transactional id of the line. Default `proofline.` */
  readonly prefix?: string;
  /** Number of partitions of each topic; missing topics are made. Null takes what is there and makes none. */
  readonly partitions: number | null;
  /** Of topics that are made. Default 3. */
  readonly replicationFactor?: number;
  readonly times?: Partial<MemberTimes>;
  /** After how long an idle lane moves its offset past trailing transaction markers. Default 30 s. */
  readonly idleCommitMs?: number;
  /** Told of what happens to the lanes. */
  readonly events?: KafkaEvents;
}

const IDLE_COMMIT_MS = 30_000;
const SHOWN_MS = 5000;
const LOOK_MS = 5;
const DEFAULT_TIMES: MemberTimes = {
  sessionTimeoutMs: 10_000,
  heartbeatMs: 1000,
  rebalanceTimeoutMs: 60_000,
};

/**
 * Opens the line's logs in Kafka. Every lane has a transactional producer and a reading connection of its own, so
 * a process has about three connections a lane and broker.
 *
 * The epoch is the cluster's id and the topic prefix: it tells clusters and lines apart, but not a topic that was
 * deleted and made anew (kafkajs speaks no protocol version that knows topic ids). The marks of the groups tell that:
 * the broker deletes a group's offsets of a topic with the topic.
 * @throws ProoflineError PL_TOPICS_UNUSABLE, PL_PARTITIONS_CHANGED, PL_BUS_DOWN.
 */
export async function openKafkaBus(options: KafkaBusOptions): Promise<Bus> {
  const client = createKafkaClient(options);
  const names = createKafkaNames(options.prefix ?? 'proofline.');
  const { partitions, epoch } = await prepare(client, names, options);
  const log = await orDown(() => openLogReader(client.reader(), names, topicNames));
  const barriers = client.plainProducer();
  const env = {
    client,
    names,
    partitions,
    times: { ...DEFAULT_TIMES, ...options.times },
    idleCommitMs: options.idleCommitMs ?? IDLE_COMMIT_MS,
    barrier: createBarrier(barriers, names),
    events: options.events ?? noKafkaEvents,
  };
  // One id for all its producers: a new one ends what the one before left open.
  const appendId = `${names.prefix}append-${randomUUID()}`;
  const appends = createAppendQueue({
    openWriter: () => openTransactionalWriter(client.transactionalProducer(appendId), names),
    openPlainWriter: () => openPlainWriter(client.plainProducer(), names),
    stableEnd: (topic, partition) => log.stableEnd(topic, partition),
  });
  const running = new Set<Consumption>();
  const inTurn = createInTurn();
  let followersBegun: Promise<unknown> = Promise.resolve();

  function keep(consumption: Consumption): Consumption {
    const kept = { stop: () => consumption.stop().finally(() => running.delete(kept)) };
    running.add(kept);
    return kept;
  }

  return {
    partitions,
    epoch,
    ...reading(log),
    async append(records) {
      refuseUnfit(records, partitions);
      await followersBegun;
      return orDown(() => appends.append(records));
    },
    exclusively: (name, work) =>
      inTurn(name, () => {
        const id = `${names.prefix}exclusive-${name}`;
        return withWriter(client, names, id, (writer) =>
          work({
            append(records) {
              refuseUnfit(records, partitions);
              return writer.write(records);
            },
            barrier: env.barrier,
          }),
        );
      }),
    async setOffset(group, topic, partition, next) {
      await refuseActive(client, names.group(group));
      // Under the lane's own id: whoever still believes that it has the lane can write no more.
      const id = names.laneTransactionalId(group, partition);
      await withWriter(client, names, id, (writer) =>
        writer.write([], { group, partition, next: { [topic]: next } }),
      );
      // The broker answers a commit before it shows the offset.
      for (const deadline = performance.now() + SHOWN_MS; performance.now() < deadline;) {
        if ((await log.committed(group, topic, partition)) === next) return;
        await sleep(LOOK_MS);
      }
    },
    subscribe: (subscription) => keep(subscribe({ ...env, mayBegin: followersBegun }, subscription)),
    follow(topics, onRecords) {
      const following = follow(env, topics, onRecords);
      // What this process writes after it began to follow, it must see: its writers wait until that is certain.
      followersBegun = Promise.all([followersBegun, following.begun]);
      return keep(following);
    },
    async close() {
      await Promise.all([...running].map((each) => each.stop()));
      await appends.close();
      await Promise.all([log.close(), barriers.disconnect()]);
    },
  };
}

/** Work with a writer that has taken the transactional id over. */
async function withWriter<T>(
  client: KafkaClient,
  names: KafkaNames,
  transactionalId: string,
  work: (writer: TransactionalWriter) => Promise<T>,
): Promise<T> {
  return orDown(async () => {
    const writer = await openTransactionalWriter(client.transactionalProducer(transactionalId), names);
    try {
      return await work(writer);
    } finally {
      await writer.close();
    }
  });
}

/** Members would go on from where they are, and find their offset lost when they start over. */
async function refuseActive(client: KafkaClient, groupId: string): Promise<void> {
  const admin = client.admin();
  try {
    const { groups } = await orDown(async () => {
      await admin.connect();
      return admin.describeGroups([groupId]);
    });
    const members = groups[0]?.members.length ?? 0;
    if (members > 0) throw new ProoflineError('PL_GROUP_ACTIVE', { group: groupId, members });
  } finally {
    await admin.disconnect();
  }
}

/** Opens the line's logs for reading only. Never makes a topic. */
export async function openKafkaReader(
  options: Omit<KafkaBusOptions, 'partitions' | 'replicationFactor' | 'times' | 'idleCommitMs' | 'events'>,
): Promise<BusReader> {
  const client = createKafkaClient(options);
  const names = createKafkaNames(options.prefix ?? 'proofline.');
  const { partitions, epoch } = await prepare(client, names, { ...options, partitions: null });
  const log = await orDown(() => openLogReader(client.reader(), names, topicNames));
  return { partitions, epoch, ...reading(log), close: () => log.close() };
}

async function prepare(
  client: KafkaClient,
  names: KafkaNames,
  { partitions, replicationFactor = 3 }: KafkaBusOptions,
): Promise<{ partitions: number; epoch: string }> {
  const admin = client.admin();
  try {
    return await orDown(async () => {
      await admin.connect();
      const { clusterId } = await admin.describeCluster();
      const count = await ensureTopics(admin, names, { partitions, replicationFactor });
      return { partitions: count, epoch: `${clusterId}/${names.prefix}` };
    });
  } finally {
    await admin.disconnect();
  }
}

function reading(
  log: LogReader,
): Pick<BusReader, 'read' | 'bounds' | 'decidedTo' | 'committed' | 'mark' | 'countPartitions'> {
  return {
    decidedTo: (topic, partition) => log.stableEnd(topic, partition),
    async read(topic, partition, from, limit) {
      for (let at = from; ;) {
        const page = await readPage(log, { topic, partition, offset: at }, limit);
        const records = page.filter((record) => !isBarrier(record));
        if (records.length > 0 || page.length === 0) return records;
        at = (page.at(-1)?.offset ?? at) + 1;
      }
    },
    bounds: (topic, partition) => log.bounds(topic, partition),
    committed: (group, topic, partition) => log.committed(group, topic, partition),
    mark: (group, topic, partition) => log.mark(group, topic, partition),
    countPartitions: (topic) => log.countPartitions(topic),
  };
}

/** Appends barriers without a transaction: readers see one when everything before it is decided. */
function createBarrier(
  producer: PlainProducer,
  names: KafkaNames,
): (topic: TopicName, partition: number) => Promise<number> {
  let connected: Promise<void> | null = null;
  return async (topic, partition) => {
    connected ??= producer.connect();
    await connected.catch((error: unknown) => {
      connected = null;
      throw error;
    });
    const records = { topic: names.topic(topic), messages: [{ ...barrierMessage, partition }] };
    const [answer] = await producer.sendBatch({ topicMessages: [records] });
    const offset = answer?.baseOffset ?? -1;
    if (offset < 0)
      throw new ProoflineError('PL_BUS_DOWN', { problem: 'the broker did not say where the barrier lies' });
    return offset;
  };
}

export async function orDown<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw busError(error);
  }
}
