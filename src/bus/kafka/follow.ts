import type { TopicName } from '../../contracts/topics.js';
import type { Consumption, StoredRecord } from '../bus.js';
import { createBell } from '../embedded/wakeups.js';
import type { KafkaClient } from './client.js';
import { isOffsetOutOfRange, isTimeout } from './kafka-errors.js';
import { openLogReader, type LogReader, type Position } from './log-reader.js';
import { isBarrier } from './records.js';
import type { KafkaNames } from './topic-names.js';

export interface FollowEnvironment {
  readonly client: KafkaClient;
  readonly names: KafkaNames;
  readonly partitions: number;
}

export interface Following extends Consumption {
  /** Resolves when it is known where the topics end: all that is appended from then on is seen. */
  readonly begun: Promise<void>;
}

const MAX_WAIT_MS = 1000;
const RETRY_MS = 500;

/** Where each partition is read on, by leader-independent position. */
type Positions = Map<string, Position>;

/** Reads all partitions of the topics from their ends on, without a group: nothing is committed. */
export function follow(
  env: FollowEnvironment,
  topics: readonly TopicName[],
  onRecords: (records: readonly StoredRecord[]) => void,
): Following {
  const stopping = new AbortController();
  const { signal } = stopping;
  const positions: Positions = new Map();
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));

  function deliver(records: readonly StoredRecord[]): void {
    const wanted = records.filter((record) => !isBarrier(record));
    if (wanted.length > 0 && !signal.aborted) onRecords(wanted);
  }

  async function live(): Promise<void> {
    const log = await openLogReader(env.client.reader(), env.names, topics);
    const close = (): void => void log.close();
    signal.addEventListener('abort', close);
    try {
      await findEnds(log, topics, env.partitions, positions);
      begin();
      await Promise.all(
        [...byLeader(log, positions).entries()].map(([leader, keys]) =>
          readOn(log, leader, keys, positions, deliver, signal),
        ),
      );
    } finally {
      signal.removeEventListener('abort', close);
      await log.close();
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      // It goes on where it was: what came meanwhile is seen.
      await live().catch(() => undefined);
      // Nobody waits for a follower that cannot begin.
      begin();
      await createBell().heard(RETRY_MS, signal);
    }
    begin();
  }

  const running = run();
  return {
    begun,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** The ends of what readers can see: a record that is committed from now on lies behind them. */
async function findEnds(
  log: LogReader,
  topics: readonly TopicName[],
  partitions: number,
  positions: Positions,
): Promise<void> {
  const all = topics.flatMap((topic) =>
    Array.from({ length: partitions }, (_, partition) => ({ topic, partition })),
  );
  const missing = all.filter(({ topic, partition }) => !positions.has(`${topic}/${partition}`));
  const ends = await Promise.all(missing.map(({ topic, partition }) => log.stableEnd(topic, partition)));
  for (const [i, each] of missing.entries())
    positions.set(`${each.topic}/${each.partition}`, { ...each, offset: ends[i] ?? 0 });
}

function byLeader(log: LogReader, positions: Positions): Map<number, string[]> {
  const leaders = new Map<number, string[]>();
  for (const [key, { topic, partition }] of positions) {
    const leader = log.leaderOf(topic, partition);
    leaders.set(leader, [...(leaders.get(leader) ?? []), key]);
  }
  return leaders;
}

async function readOn(
  log: LogReader,
  leader: number,
  keys: readonly string[],
  positions: Positions,
  deliver: (records: readonly StoredRecord[]) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const wanted = keys.flatMap((key) => positions.get(key) ?? []);
    try {
      for (const { topic, partition, records, next } of await log.fetch(leader, wanted, MAX_WAIT_MS)) {
        positions.set(`${topic}/${partition}`, { topic, partition, offset: next });
        deliver(records);
      }
    } catch (error) {
      // Retention overtook it, or the topic was made anew: what is gone cannot be waited for.
      if (isOffsetOutOfRange(error)) positions.clear();
      if (!isTimeout(error)) throw error;
    }
  }
}
