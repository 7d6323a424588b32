import type { TopicName } from '../../contracts/topics.js';
import type { BatchResult, Lane, LaneHandler, NextOffsets, StoredRecord, Subscription } from '../bus.js';
import type { Writer } from '../../sqlite/group-commit.js';
import type { Log } from './log.js';
import { createBell, type Wakeups } from './wakeups.js';

/** What a lane needs of the bus. */
export interface LaneEnvironment {
  readonly log: Log;
  readonly writer: Writer;
  readonly wakeups: Wakeups;
  now(): number;
  /** To be told of records that are durable, and who waits for them with it. */
  appended(records: readonly StoredRecord[]): void;
}

/** Longest wait before a lane that failed is opened again. */
const MAX_BACKOFF_MS = 5000;
const IDLE_MS = 60_000;

/**
 * The loop of one lane: open, then read a batch and hand it to the handler, until the signal aborts. An error
 * throws the handler away, with all that it remembered, and the lane starts over at the committed offsets.
 */
export async function runLane(
  env: LaneEnvironment,
  subscription: Subscription,
  partition: number,
  signal: AbortSignal,
): Promise<void> {
  const bell = createBell();
  const silence = subscription.topics.map((topic) => env.wakeups.on(topic, partition, bell.ring));
  let failures = 0;
  while (!isOver(signal)) {
    try {
      await work(env, subscription, partition, signal, bell, () => (failures = 0));
    } catch (error) {
      // An error that comes while stopping is the stop itself.
      if (!isOver(signal)) subscription.onError(error, partition);
      failures += 1;
      await pause(Math.min(MAX_BACKOFF_MS, 50 * 2 ** failures), signal);
    }
  }
  for (const stop of silence) stop();
  subscription.onLost?.(partition);
}

async function work(
  env: LaneEnvironment,
  subscription: Subscription,
  partition: number,
  signal: AbortSignal,
  bell: ReturnType<typeof createBell>,
  onProgress: () => void,
): Promise<void> {
  const lane = createLane(env, subscription, partition, signal);
  try {
    const handler = await subscription.open(lane.lane);
    const reader = createReader(env.log, subscription, partition, handler.startAt ?? {}, lane.next);
    const tick = createTick(subscription, handler);
    while (!signal.aborted) {
      await tick();
      const batch = reader.nextBatch();
      if (batch === null) {
        await bell.heard(subscription.tickMs ?? IDLE_MS, signal);
        continue;
      }
      const result: BatchResult = await handler.handle(batch);
      if (result.kind === 'wait') await pause(result.ms, signal);
      else reader.handled(batch);
      onProgress();
    }
  } finally {
    lane.end();
  }
}

/** The lane as its handler has it, the offsets that its steps moved, and how to take the lane from the handler. */
function createLane(
  env: LaneEnvironment,
  { group, topics }: Subscription,
  partition: number,
  signal: AbortSignal,
): { lane: Lane; next: (topic: TopicName) => number; end: () => void } {
  let ended = false;
  const at = new Map(
    topics.map((topic) => [topic, env.log.committed(group, topic, partition) ?? 0] as const),
  );
  const lane: Lane = {
    partition,
    signal,
    async step({ records, next = {}, mark }) {
      const from: NextOffsets = Object.fromEntries(at);
      const stored = await env.writer.write(() => {
        // Its successor reads on from here: what comes late, from work that nobody waited for, must write nothing.
        if (ended) throw new Error(`${group} no longer owns this lane of partition ${partition}`);
        const appended = env.log.append(records, env.now());
        env.log.moveOffsets({ group, partition, from, to: next, mark });
        return appended;
      });
      for (const [topic, offset] of Object.entries(next) as [TopicName, number][]) at.set(topic, offset);
      env.appended(stored);
      return stored.map(({ offset }) => offset);
    },
    barrier: (topic) => Promise.resolve(env.log.bounds(topic, partition).end - 1),
  };
  return { lane, next: (topic) => at.get(topic) ?? 0, end: () => void (ended = true) };
}

/** Reads the inputs in turn, so that a long log of one holds up no other. */
function createReader(
  log: Log,
  { topics, maxRecords }: Subscription,
  partition: number,
  startAt: NextOffsets,
  committed: (topic: TopicName) => number,
): { nextBatch(): readonly StoredRecord[] | null; handled(batch: readonly StoredRecord[]): void } {
  // Where the handler keeps its own position, it reads ahead of what is committed.
  const own = new Map(Object.entries(startAt) as [TopicName, number][]);
  let turn = 0;
  return {
    nextBatch() {
      for (let i = 0; i < topics.length; i++) {
        const topic = topics[(turn + i) % topics.length] as TopicName;
        const batch = log.read(topic, partition, own.get(topic) ?? committed(topic), maxRecords);
        if (batch.length === 0) continue;
        turn = (turn + i + 1) % topics.length;
        return batch;
      }
      return null;
    },
    handled(batch) {
      const [first, last] = [batch[0], batch.at(-1)];
      if (first === undefined || last === undefined) return;
      if (own.has(first.topic)) own.set(first.topic, last.offset + 1);
      // It would be given the same batch again at once, for ever.
      else if (committed(first.topic) <= first.offset)
        throw new Error(
          `the handler is done with ${first.topic}/${partition}@${first.offset} but moved no offset`,
        );
    },
  };
}

/** Counts on a clock that nobody sets: one that is put back would silence the ticks. */
function createTick({ tickMs }: Subscription, handler: LaneHandler): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (tickMs === undefined || handler.tick === undefined || performance.now() - last < tickMs) return;
    last = performance.now();
    await handler.tick();
  };
}

/** A call, since the signal changes while others run, which the type checker does not see. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Resolves after `ms`, or at once when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return createBell().heard(ms, signal);
}
