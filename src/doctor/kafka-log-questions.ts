import { orDown } from '../bus/kafka/kafka-bus.js';
import { isRefused } from '../bus/kafka/refused.js';
import type { KafkaNames } from '../bus/kafka/topic-names.js';
import { ProoflineError } from '../contracts/errors.js';
import type { TopicName } from '../contracts/topics.js';
import { whileMoving, type SeeingBroker } from './kafka-broker.js';
import type { KafkaSight, LogPlace, LogSeen } from './kafka-sight.js';

/** What is asked about logs: of the leaders of their partitions, each at once about all that it leads. */

export interface LogsAsked {
  readonly broker: (nodeId: number) => Promise<SeeingBroker>;
  readonly metadata: (kafkaName: string) => ReturnType<SeeingBroker['metadata']>;
  readonly groupCoordinator: (groupId: string) => Promise<SeeingBroker>;
  readonly names: KafkaNames;
}

const EARLIEST = -2;
const LATEST = -1;
const UNCOMMITTED = 0;
const COMMITTED = 1;
const NOTHING = -1;
const FETCH_BYTES = 64 * 1024;

type Place = Omit<LogPlace, 'offset'>;

export function askLogs({
  broker,
  metadata,
  groupCoordinator,
  names,
}: LogsAsked): Pick<KafkaSight, 'logs' | 'writtenAt' | 'datedFrom' | 'committed' | 'mayRead'> {
  async function byLeader(topics: readonly TopicName[]): Promise<ReadonlyMap<number, readonly Place[]>> {
    const led = new Map<number, Place[]>();
    await Promise.all(
      topics.map(async (topic) => {
        const { topicMetadata } = await metadata(names.topic(topic));
        for (const { leader, partitionId: partition } of topicMetadata[0]?.partitionMetadata ?? [])
          led.set(leader, [...(led.get(leader) ?? []), { topic, partition }]);
      }),
    );
    return led;
  }

  async function listOffsets(
    leader: number,
    places: readonly Place[],
    timestamp: number,
    isolationLevel: number,
  ): Promise<readonly LogPlace[]> {
    if (leader < 0) throw withoutLeader(places);
    const { responses } = await (
      await broker(leader)
    ).listOffsets({
      isolationLevel,
      topics: grouped(places, names, ({ partition }) => ({ partition, timestamp })),
    });
    return responses.flatMap(({ topic, partitions }) =>
      partitions.flatMap(({ partition, offset }) => placeOf(names, topic, partition, offset)),
    );
  }

  async function logsOf(leader: number, places: readonly Place[]): Promise<readonly LogSeen[]> {
    // The ends come in this order, so that what is written meanwhile does not look like an open transaction.
    const end = offsetsOf(await listOffsets(leader, places, LATEST, UNCOMMITTED));
    const stable = offsetsOf(await listOffsets(leader, places, LATEST, COMMITTED));
    const low = offsetsOf(await listOffsets(leader, places, EARLIEST, UNCOMMITTED));
    return places.map((place) => {
      const at = (offsets: ReadonlyMap<string, number>): number => offsets.get(nameOf(place)) ?? 0;
      return { ...place, low: at(low), stable: at(stable), end: at(end) };
    });
  }

  async function logs(topics: readonly TopicName[]): Promise<readonly LogSeen[]> {
    const led = [...(await byLeader(topics))];
    return (await Promise.all(led.map(([leader, places]) => logsOf(leader, places)))).flat();
  }

  async function datedFrom(topics: readonly TopicName[], instant: number): Promise<number> {
    const led = [...(await byLeader(topics))];
    const found = await Promise.all(
      led.map(([leader, places]) => listOffsets(leader, places, instant, COMMITTED)),
    );
    return found.flat().filter(({ offset }) => offset !== NOTHING).length;
  }

  async function writtenAt({ topic, partition, offset }: LogPlace): Promise<number | null> {
    const { topicMetadata } = await metadata(names.topic(topic));
    const leader = topicMetadata[0]?.partitionMetadata.find((each) => each.partitionId === partition)?.leader;
    const fetched = await fetchFrom(await broker(leader ?? NOTHING), { topic, partition, offset });
    const messages = fetched.responses[0]?.partitions[0]?.messages ?? [];
    const first = messages.find((message) => Number(message.offset) >= offset);
    const written = Number(first?.timestamp ?? NaN);
    return Number.isSafeInteger(written) && written > 0 ? written : null;
  }

  let fetching: Promise<unknown> = Promise.resolve();

  /** One after the other: kafkajs makes a connection of each of the first fetches that come at once, and keeps one. */
  function fetchFrom(
    asked: SeeingBroker,
    { topic, partition, offset }: LogPlace,
  ): ReturnType<SeeingBroker['fetch']> {
    const partitions = [{ partition, fetchOffset: String(offset), maxBytes: FETCH_BYTES }];
    const from = { topic: names.topic(topic), partitions };
    const limits = { isolationLevel: UNCOMMITTED, maxWaitTime: 0, minBytes: 0, maxBytes: FETCH_BYTES };
    const fetched = fetching.then(() => asked.fetch({ ...limits, topics: [from] }));
    fetching = fetched.catch(() => undefined);
    return fetched;
  }

  async function committed(group: string, of: readonly LogSeen[]): Promise<readonly LogPlace[] | null> {
    const groupId = names.group(group);
    try {
      const coordinator = await groupCoordinator(groupId);
      const topics = grouped(of, names, ({ partition }) => ({ partition }));
      const { responses } = await coordinator.offsetFetch({ groupId, topics });
      return responses
        .flatMap(({ topic, partitions }) =>
          partitions.flatMap(({ partition, offset }) => placeOf(names, topic, partition, offset)),
        )
        .filter(({ offset }) => offset !== NOTHING);
    } catch (error) {
      if (isRefused(error)) return null;
      throw error;
    }
  }

  async function mayRead(topic: TopicName): Promise<boolean> {
    const [log] = await logs([topic]);
    if (log === undefined) return true;
    const { topicMetadata } = await metadata(names.topic(topic));
    const { partition, end } = log;
    const leader = topicMetadata[0]?.partitionMetadata.find((each) => each.partitionId === partition)?.leader;
    try {
      await fetchFrom(await broker(leader ?? NOTHING), { topic, partition, offset: end });
      return true;
    } catch (error) {
      if (isRefused(error)) return false;
      throw error;
    }
  }

  return {
    logs: (topics) => orDown(() => logs(topics)),
    datedFrom: (topics, instant) => orDown(() => datedFrom(topics, instant)),
    writtenAt: (place) => orDown(() => writtenAt(place)),
    committed: (group, of) => orDown(() => whileMoving(() => committed(group, of))),
    mayRead: (topic) => orDown(() => mayRead(topic)),
  };
}

/** Places by topic, as requests have them. */
function grouped<P>(
  places: readonly Place[],
  names: KafkaNames,
  toPartition: (place: Place) => P,
): { readonly topic: string; readonly partitions: readonly P[] }[] {
  const topics = new Map<string, P[]>();
  for (const place of places) {
    const name = names.topic(place.topic);
    topics.set(name, [...(topics.get(name) ?? []), toPartition(place)]);
  }
  return [...topics].map(([topic, partitions]) => ({ topic, partitions }));
}

function placeOf(names: KafkaNames, kafkaName: string, partition: number, offset: string): LogPlace[] {
  const topic = names.topicOf(kafkaName);
  return topic === null ? [] : [{ topic, partition, offset: Number(offset) }];
}

function offsetsOf(places: readonly LogPlace[]): ReadonlyMap<string, number> {
  return new Map(places.map((place) => [nameOf(place), place.offset]));
}

function nameOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}

function withoutLeader(places: readonly Place[]): ProoflineError {
  const problem = `${places.map(nameOf).slice(0, 3).join(', ')} have no leader`;
  return new ProoflineError('PL_BUS_DOWN', { problem });
}
