import type {
  BatchResult,
  Bus,
  BusReader,
  Consumption,
  Lane,
  LaneHandler,
  NewRecord,
  NextOffsets,
  StoredRecord,
  Subscription,
} from '../../src/bus/bus.js';
import type { TopicName } from '../../src/contracts/topics.js';

/** A record whose value is a text, a few bytes or nothing. */
export function newRecord(
  topic: TopicName,
  partition: number,
  value: string | Buffer | null,
  more: Partial<Pick<NewRecord, 'key' | 'headers'>> = {},
): NewRecord {
  return {
    topic,
    partition,
    key: Buffer.from('run-1'),
    value: typeof value === 'string' ? Buffer.from(value) : value,
    headers: {},
    ...more,
  };
}

/** `count` records with the values `NAME-0`, `NAME-1`, … */
export function newRecords(topic: TopicName, partition: number, count: number, name = 'r'): NewRecord[] {
  return Array.from({ length: count }, (_, i) => newRecord(topic, partition, `${name}-${i}`));
}

export function textsOf(records: readonly StoredRecord[]): (string | null)[] {
  return records.map((record) => record.value?.toString('utf8') ?? null);
}

export function offsetsOf(records: readonly StoredRecord[]): number[] {
  return records.map((record) => record.offset);
}

/** Everything that a partition holds, read in pages. */
export async function readAll(bus: BusReader, topic: TopicName, partition: number): Promise<StoredRecord[]> {
  const all: StoredRecord[] = [];
  for (let from = 0; ; from = all.at(-1)!.offset + 1) {
    const page = await bus.read(topic, partition, from, 500);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** The offsets of a group once the batch is done with. */
export function behind(batch: readonly StoredRecord[]): NextOffsets {
  const last = batch.at(-1)!;
  return { [last.topic]: last.offset + 1 };
}

/** The batch's records as they are written to another topic, on the same partition. */
export function copiesOf(batch: readonly StoredRecord[], topic: TopicName): NewRecord[] {
  return batch.map((record) => newRecord(topic, record.partition, record.value, { key: record.key! }));
}

/** A record of what a group was given, by the lane's handler that was given it. */
export interface Consumed {
  readonly consumption: Consumption;
  /** Lanes in the order in which they were opened. */
  readonly lanes: Lane[];
  readonly batches: { readonly lane: Lane; readonly records: readonly StoredRecord[] }[];
  readonly errors: { readonly error: unknown; readonly partition: number }[];
  /** All records of all batches, in the order in which they came. */
  records(): StoredRecord[];
}

export interface ConsumeOptions {
  readonly group: string;
  readonly topics: readonly TopicName[];
  readonly maxRecords?: number;
  readonly tickMs?: number;
  /** Called when a lane is given; what it answers is added to the handler. */
  readonly opened?: (lane: Lane) => Promise<Partial<LaneHandler>> | Partial<LaneHandler>;
  /** Called for each batch; without it the lane steps past the batch and writes nothing. */
  readonly work?: (batch: readonly StoredRecord[], lane: Lane) => Promise<BatchResult>;
}

/** Subscribes, and keeps what comes. */
export function consume(bus: Bus, options: ConsumeOptions): Consumed {
  const { group, topics, maxRecords = 100, tickMs, opened, work = stepPast } = options;
  const lanes: Lane[] = [];
  const batches: Consumed['batches'] = [];
  const errors: Consumed['errors'] = [];
  const subscription: Subscription = {
    group,
    topics,
    maxRecords,
    ...(tickMs === undefined ? {} : { tickMs }),
    async open(lane) {
      lanes.push(lane);
      const more = (await opened?.(lane)) ?? {};
      return {
        handle(batch) {
          batches.push({ lane, records: batch });
          return work(batch, lane);
        },
        ...more,
      };
    },
    onError: (error, partition) => errors.push({ error, partition }),
  };
  const consumption = bus.subscribe(subscription);
  return { consumption, lanes, batches, errors, records: () => batches.flatMap(({ records }) => records) };
}

async function stepPast(batch: readonly StoredRecord[], lane: Lane): Promise<BatchResult> {
  await lane.step({ records: [], next: behind(batch) });
  return { kind: 'done' };
}

/** The work of a station that copies its input to a topic. */
export function copyTo(topic: TopicName): NonNullable<ConsumeOptions['work']> {
  return async (batch, lane) => {
    await lane.step({ records: copiesOf(batch, topic), next: behind(batch) });
    return { kind: 'done' };
  };
}
