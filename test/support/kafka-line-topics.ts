import type { BusReader } from '../../src/bus/bus.js';
import type { Codec } from '../../src/contracts/codec.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { topicNames, type TopicMessages, type TopicName } from '../../src/contracts/topics.js';

/** A record of a topic, as a reader of committed records finds it. */
export interface TopicRecord<T extends TopicName = TopicName> {
  readonly topic: T;
  readonly partition: number;
  readonly offset: number;
  /** Of its writer's clock, epoch milliseconds. */
  readonly timestamp: number;
  /** As text; empty where there is none. */
  readonly key: string;
  /** Null of a tombstone, and of what cannot be decoded. */
  readonly message: TopicMessages[T] | null;
  /** Why it cannot be decoded. */
  readonly code: string | null;
}

/** What one partition number of all topics holds: all that there is of its runs. */
export type PartitionContents = { readonly [T in TopicName]: readonly TopicRecord<T>[] };

const PAGE = 500;

export async function readPartition(
  reader: BusReader,
  codec: Codec,
  partition: number,
): Promise<PartitionContents> {
  const topics: [TopicName, TopicRecord[]][] = [];
  for (const topic of topicNames) topics.push([topic, await readTopic(reader, codec, topic, partition)]);
  return Object.fromEntries(topics) as unknown as PartitionContents;
}

type Message<T extends TopicName> = TopicMessages[T];

/** What can be read, in the order in which it lies in the topic. */
export function groupBy<T extends TopicName>(
  contents: PartitionContents,
  topic: T,
  key: (message: Message<T>) => string,
): Map<string, Message<T>[]> {
  const groups = recordsBy(contents, topic, key);
  return new Map(
    [...groups].map(([name, records]) => [name, records.flatMap(({ message }) => message ?? [])]),
  );
}

/** As `groupBy`, with where each lies. */
export function recordsBy<T extends TopicName>(
  contents: PartitionContents,
  topic: T,
  key: (message: Message<T>) => string,
): Map<string, TopicRecord<T>[]> {
  const groups = new Map<string, TopicRecord<T>[]>();
  for (const record of contents[topic] as readonly TopicRecord<T>[]) {
    if (record.message === null) continue;
    const name = key(record.message);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [record]);
    else group.push(record);
  }
  return groups;
}

/** Everything that a topic holds on one partition, decoded. */
export async function readTopic<T extends TopicName>(
  reader: BusReader,
  codec: Codec,
  topic: T,
  partition: number,
  from = 0,
): Promise<TopicRecord<T>[]> {
  const all: TopicRecord<T>[] = [];
  for (let next = from; ;) {
    const page = await reader.read(topic, partition, next, PAGE);
    if (page.length === 0) return all;
    await codec.learn(page.map(({ value }) => value));
    for (const { offset, timestamp, key, value } of page)
      all.push({
        ...decoded(codec, topic, value),
        topic,
        partition,
        offset,
        timestamp,
        key: key?.toString('utf8') ?? '',
      });
    next = page.at(-1)!.offset + 1;
  }
}

function decoded<T extends TopicName>(
  codec: Codec,
  topic: T,
  value: Buffer | null,
): Pick<TopicRecord<T>, 'message' | 'code'> {
  try {
    return { message: value === null ? null : codec.decode(topic, value), code: null };
  } catch (error) {
    if (!isProoflineError(error)) throw error;
    return { message: null, code: error.code };
  }
}
