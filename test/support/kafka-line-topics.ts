import type { BusReader } from '../../src/bus/bus.js';
import type { Codec } from '../../src/contracts/codec.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { topicNames, type TopicMessages, type TopicName } from '../../src/contracts/topics.js';

/** A record of a topic, as a reader of committed records finds it. */
export interface TopicRecord<T extends TopicName = TopicName> {
  readonly topic: T;
  readonly partition: number;
  readonly offset: number;
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
    for (const { offset, key, value } of page)
      all.push({
        ...decoded(codec, topic, value),
        topic,
        partition,
        offset,
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
