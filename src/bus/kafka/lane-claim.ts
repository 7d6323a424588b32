import { setTimeout as sleep } from 'node:timers/promises';
import { ProoflineError } from '../../contracts/errors.js';
import type { TopicName } from '../../contracts/topics.js';
import type { NextOffsets } from '../bus.js';
import type { LogReader } from './log-reader.js';

/**
 * Whether the logs that a lane reads are still those that it began with. One that was deleted and made anew has other
 * records under the same offsets, and a lane that went on in it would skip some silently. The broker deletes a group's
 * offsets with the topic, so the committed offset tells; it is looked at whenever the log was out of sight.
 */
export interface LaneClaim {
  /** The log has answered to what was asked at this time (`performance.now()`). */
  seen(topic: TopicName, askedAt: number): void;
  /** The log was not to be found. */
  lost(topic: TopicName): void;
  /** The lane has moved the group's offsets. */
  moved(next: NextOffsets): void;
  /** Costs nothing for logs that were seen lately. @throws ProoflineError PL_OFFSET_LOST */
  confirm(topics: readonly TopicName[]): Promise<void>;
}

export interface LaneClaimOptions {
  readonly log: LogReader;
  readonly group: string;
  readonly partition: number;
  /** What the group had committed when the lane was opened; null where it never had, and nothing can be told. */
  readonly committed: ReadonlyMap<TopicName, number | null>;
}

/** An idle log answers about once a second. */
const OUT_OF_SIGHT_MS = 2500;
/** The broker shows committed offsets a moment after it has answered for the commit. */
const SHOWN_MS = 3000;
const LOOK_MS = 20;

export function createLaneClaim({ log, group, partition, committed }: LaneClaimOptions): LaneClaim {
  const expected = new Map(committed);
  const openedAt = performance.now();
  const seenAt = new Map<TopicName, number>();

  async function look(topic: TopicName, offset: number): Promise<void> {
    const askedAt = performance.now();
    for (const deadline = askedAt + SHOWN_MS; ;) {
      const found = await log.committed(group, topic, partition);
      if (found !== null && found >= offset) break;
      if (performance.now() > deadline) {
        const { low, end } = await log.bounds(topic, partition);
        throw new ProoflineError('PL_OFFSET_LOST', { group, topic, partition, offset, low, end });
      }
      await sleep(LOOK_MS);
    }
    seenAt.set(topic, askedAt);
  }

  return {
    seen: (topic, askedAt) => void seenAt.set(topic, askedAt),
    lost: (topic) => void seenAt.set(topic, -Infinity),
    moved(next) {
      for (const [topic, offset] of Object.entries(next) as [TopicName, number][])
        expected.set(topic, offset);
    },
    async confirm(topics) {
      for (const topic of topics) {
        const offset = expected.get(topic) ?? null;
        const age = performance.now() - (seenAt.get(topic) ?? openedAt);
        if (offset !== null && age > OUT_OF_SIGHT_MS) await look(topic, offset);
      }
    },
  };
}
