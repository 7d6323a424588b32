import type { TopicName } from '../../contracts/topics.js';
import type { Lane, NextOffsets, Step } from '../bus.js';
import { refuseUnfit } from './records.js';
import type { TransactionalWriter } from './transactional-writer.js';

/** A lane, and what its worker needs besides what the handler may see. */
export interface KafkaLane {
  readonly lane: Lane;
  /** Where the group is, as far as this lane knows. */
  committed(topic: TopicName): number;
  /** The error after which the lane can write no more; null while it can. */
  broken(): unknown;
  /** Takes the lane from its handler. Resolves when no step of it is under way any more. */
  end(): Promise<void>;
}

export interface KafkaLaneOptions {
  readonly group: string;
  readonly partition: number;
  /** Number of partitions of every topic. */
  readonly partitions: number;
  readonly signal: AbortSignal;
  readonly writer: TransactionalWriter;
  readonly committed: ReadonlyMap<TopicName, number>;
  /** Appends a barrier and answers with its offset. */
  barrier(topic: TopicName, partition: number): Promise<number>;
  /** Asked before offsets move. @throws what makes them those of another log */
  confirm(topics: readonly TopicName[]): Promise<void>;
  onCommitted(next: NextOffsets): void;
}

export function createKafkaLane(options: KafkaLaneOptions): KafkaLane {
  const { group, partition, signal, writer } = options;
  const at = new Map(options.committed);
  let ended = false;
  let broken: unknown = null;
  let last: Promise<unknown> = Promise.resolve();

  async function write({ records, next = {}, mark }: Step): Promise<readonly number[]> {
    if (ended || broken !== null)
      throw new Error(`${group} no longer owns this lane of partition ${partition}`, { cause: broken });
    if (records.length === 0 && Object.keys(next).length === 0) return [];
    try {
      await options.confirm(Object.keys(next) as TopicName[]);
      const offsets = await writer.write(records, { group, partition, next, mark });
      for (const [topic, offset] of Object.entries(next) as [TopicName, number][]) at.set(topic, offset);
      options.onCommitted(next);
      return offsets;
    } catch (error) {
      broken = error;
      throw error;
    }
  }

  const lane: Lane = {
    partition,
    signal,
    step(step) {
      const done = last.then(() => {
        // Nothing was sent yet, so a record that is unfit spoils nothing.
        refuseUnfit(step.records, options.partitions);
        return write(step);
      });
      last = done.catch(() => undefined);
      return done;
    },
    barrier: (topic) => options.barrier(topic, partition),
  };
  return {
    lane,
    committed: (topic) => at.get(topic) ?? 0,
    broken: () => broken,
    async end() {
      ended = true;
      await last;
    },
  };
}
