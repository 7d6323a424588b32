import type { BusReader, Lane, NewRecord, StoredRecord } from '../bus/bus.js';
import type { TopicName } from '../contracts/topics.js';

/**
 * Logs of one partition that lie nowhere but in memory, for work that is measured without a bus. What was appended is
 * there until it is taken.
 */
export interface MemoryLog {
  readonly reader: BusReader;
  /** A lane whose steps cost nothing. */
  readonly lane: Lane;
  append(records: readonly NewRecord[]): readonly number[];
  /** What came into the topic since it was asked last; it is forgotten. */
  take(topic: TopicName): readonly StoredRecord[];
}

const NO_HEADERS = {};

export function createMemoryLog(now: () => number): MemoryLog {
  const ends = new Map<TopicName, number>();
  const kept = new Map<TopicName, StoredRecord[]>();
  const endOf = (topic: TopicName): number => ends.get(topic) ?? 0;

  function put({
    topic,
    key,
    value,
    headers,
  }: Omit<StoredRecord, 'partition' | 'offset' | 'timestamp'>): number {
    const offset = endOf(topic);
    const record = { topic, partition: 0, offset, key, value, headers, timestamp: now() };
    ends.set(topic, offset + 1);
    const records = kept.get(topic);
    if (records === undefined) kept.set(topic, [record]);
    else records.push(record);
    return offset;
  }

  const append: MemoryLog['append'] = (records) => records.map(put);
  const lane: Lane = {
    partition: 0,
    signal: new AbortController().signal,
    step: ({ records }) => Promise.resolve(append(records)),
    barrier: (topic) => Promise.resolve(put({ topic, key: null, value: null, headers: NO_HEADERS })),
  };
  const reader: BusReader = {
    partitions: 1,
    epoch: 'memory',
    read: (topic, _partition, from, limit) =>
      Promise.resolve((kept.get(topic) ?? []).filter(({ offset }) => offset >= from).slice(0, limit)),
    bounds: (topic) =>
      Promise.resolve({ low: kept.get(topic)?.[0]?.offset ?? endOf(topic), end: endOf(topic) }),
    decidedTo: (topic) => Promise.resolve(endOf(topic)),
    committed: () => Promise.resolve(null),
    mark: () => Promise.resolve(null),
    countPartitions: () => Promise.resolve(1),
    close: () => Promise.resolve(),
  };
  return {
    reader,
    lane,
    append,
    take(topic) {
      const records = kept.get(topic) ?? [];
      kept.delete(topic);
      return records;
    },
  };
}
