import { setTimeout as sleep } from 'node:timers/promises';
import { ProoflineError } from '../../contracts/errors.js';
import type { TopicName } from '../../contracts/topics.js';
import type { LaneHandler, NextOffsets, StoredRecord, Subscription } from '../bus.js';
import { createBell } from '../embedded/wakeups.js';
import type { KafkaClient } from './client.js';
import type { KafkaEvents } from './events.js';
import { isFenced } from './kafka-errors.js';
import { createKafkaLane, type KafkaLane } from './lane.js';
import { createLaneClaim } from './lane-claim.js';
import { laneError } from './lane-error.js';
import { createLaneReader, type LaneInput, type LaneReader } from './lane-reader.js';
import { openLogReader, type LogReader } from './log-reader.js';
import type { KafkaNames } from './topic-names.js';
import { openTransactionalWriter } from './transactional-writer.js';

/** What lanes need of the bus and of their group. */
export interface LaneEnvironment {
  readonly client: KafkaClient;
  readonly names: KafkaNames;
  readonly partitions: number;
  /**
   * An idle lane moves its offset past trailing markers after so long, before retention makes it look as if
   * records were lost.
   */
  readonly idleCommitMs: number;
  readonly events: KafkaEvents;
  barrier(topic: TopicName, partition: number): Promise<number>;
  /** Resolves when this process is known to be a member of the group; `again`: known anew, from now on. */
  confirmed(signal: AbortSignal, again: boolean): Promise<void>;
  /**
   * What this process, and those that were in the group with it, have committed: a group that is set back behind it
   * is never followed silently.
   */
  readonly committed: Map<string, number>;
}

const MAX_BACKOFF_MS = 2000;
const IDLE_MS = 1000;
const SHOWN_MS = 3000;
const SHOWN_LOOK_MS = 50;

/**
 * The loop of one lane: fence the predecessor, believe the committed offset, then read a batch and hand it to the
 * handler, until the signal aborts. Any error throws away the producer, the handler and all that it remembered,
 * and the lane starts over.
 */
export async function runLane(
  env: LaneEnvironment,
  subscription: Subscription,
  partition: number,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  let fenced = false;
  while (!isOver(signal)) {
    try {
      // Who is no member any more would fence the real owner.
      await env.confirmed(signal, fenced);
      if (isOver(signal)) break;
      await work(env, subscription, partition, signal, () => (failures = 0));
    } catch (error) {
      // An error that comes while stopping is the stop itself.
      if (!isOver(signal)) subscription.onError(laneError(error, subscription.group, partition), partition);
      fenced = isFenced(error);
      if (fenced) env.events.fenced(subscription.group, partition);
      failures += 1;
      await createBell().heard(Math.min(MAX_BACKOFF_MS, 50 * 2 ** failures), signal);
    }
  }
}

async function work(
  env: LaneEnvironment,
  subscription: Subscription,
  partition: number,
  signal: AbortSignal,
  onProgress: () => void,
): Promise<void> {
  const { client, names } = env;
  const { group, topics } = subscription;
  const transactionalId = names.laneTransactionalId(group, partition);
  const writer = await openTransactionalWriter(client.transactionalProducer(transactionalId), names);
  let log: LogReader | null = null;
  let lane: KafkaLane | null = null;
  try {
    log = await openLogReader(client.reader(), names, topics);
    const starts = await findStarts(env, log, subscription, partition);
    const claim = createLaneClaim({
      log,
      group,
      partition,
      committed: new Map([...starts].map(([topic, { committed }]) => [topic, committed])),
    });
    lane = createKafkaLane({
      group,
      partition,
      partitions: env.partitions,
      signal,
      writer,
      committed: new Map([...starts].map(([topic, { next }]) => [topic, next])),
      barrier: (topic, p) => env.barrier(topic, p),
      confirm: (moved) => claim.confirm(moved),
      onCommitted(next) {
        claim.moved(next);
        rememberCommitted(env, subscription, partition, next);
        env.events.committed(group, partition);
      },
    });
    const handler = await subscription.open(lane.lane);
    const inputs = topics.map((topic) => toInput(topic, starts.get(topic), handler.startAt ?? {}));
    const reader = createLaneReader(log, partition, inputs, claim, subscription.maxRecords, signal);
    const { idleCommitMs } = env;
    await readOn({ subscription, lane, handler, reader, inputs, signal, idleCommitMs, onProgress });
  } finally {
    await lane?.end();
    if (lane !== null && lane.broken() !== null) env.events.aborted(group, partition);
    await Promise.all([writer.close(), log?.close()]);
  }
}

interface Work {
  readonly subscription: Subscription;
  readonly lane: KafkaLane;
  readonly handler: LaneHandler;
  readonly reader: LaneReader;
  readonly inputs: readonly LaneInput[];
  readonly signal: AbortSignal;
  readonly idleCommitMs: number;
  onProgress(): void;
}

async function readOn(work: Work): Promise<void> {
  const { subscription, lane, handler, reader, signal } = work;
  const tick = createTick(subscription, handler);
  let busyAt = performance.now();
  while (!signal.aborted) {
    await tick();
    const batch = await reader.nextBatch(Math.min(subscription.tickMs ?? IDLE_MS, IDLE_MS));
    if (isOver(signal)) return;
    if (batch !== null) {
      const result = await handler.handle(batch);
      if (lane.broken() !== null) throw lane.broken();
      goOn(work, batch, result.kind === 'done');
      work.onProgress();
      busyAt = performance.now();
      if (result.kind === 'wait') await createBell().heard(result.ms, signal);
    } else if (performance.now() - busyAt > work.idleCommitMs) {
      busyAt = performance.now();
      await commitReadTo(work);
    }
  }
}

function goOn({ lane, reader, inputs }: Work, batch: readonly StoredRecord[], done: boolean): void {
  const [first, last] = [batch[0], batch.at(-1)];
  if (first === undefined || last === undefined) return;
  const { topic, partition, offset } = first;
  const ownPosition = inputs.some((input) => input.topic === topic && input.withBarriers);
  if (ownPosition) {
    if (done) reader.goOn(topic, last.offset + 1);
    return;
  }
  // It would be given the same batch again at once, for ever.
  if (done && lane.committed(topic) <= offset)
    throw new Error(`the handler is done with ${topic}/${partition}@${offset} but moved no offset`);
  for (const input of inputs) if (!input.withBarriers) reader.goOn(input.topic, lane.committed(input.topic));
}

async function commitReadTo({ lane, reader, inputs }: Work): Promise<void> {
  const moved = inputs.flatMap(({ topic, withBarriers }): [TopicName, number][] => {
    const readTo = withBarriers ? null : reader.readTo(topic);
    return readTo !== null && readTo > lane.committed(topic) ? [[topic, readTo]] : [];
  });
  if (moved.length > 0) await lane.lane.step({ records: [], next: Object.fromEntries(moved) });
}

interface Start {
  /** Where the group goes on. */
  readonly next: number;
  /** Null where the group never committed, or where it is no loss when what it committed is lost. */
  readonly committed: number | null;
  readonly low: number;
}

/** Reads where the group is. Only the owner may: before the fence, the predecessor could still move it. */
async function findStarts(
  env: LaneEnvironment,
  log: LogReader,
  subscription: Subscription,
  partition: number,
): Promise<Map<TopicName, Start>> {
  const { group, topics, keepsPosition, knows } = subscription;
  const starts = new Map<TopicName, Start>();
  for (const topic of topics) {
    const mine = env.committed.get(`${topic}/${partition}`);
    const committed = await committedOffset(log, group, topic, partition, mine ?? 0);
    const { low, end } = await log.bounds(topic, partition);
    const next = committed ?? low;
    const wentBack = mine !== undefined && (committed === null || committed < mine);
    const lost = next < low || next > end || wentBack;
    if (lost && keepsPosition !== true && topic !== knows)
      throw new ProoflineError('PL_OFFSET_LOST', { group, topic, partition, offset: next, low, end });
    if (lost && topic === knows) {
      starts.set(topic, { next: low, low, committed: null });
      continue;
    }
    starts.set(topic, { next, low, committed: keepsPosition === true ? null : committed });
    if (committed !== null) rememberCommitted(env, subscription, partition, { [topic]: committed });
  }
  return starts;
}

/** The group's offset. Before version 4 a broker may show it a moment after the transaction that moved it. */
async function committedOffset(
  log: LogReader,
  group: string,
  topic: TopicName,
  partition: number,
  atLeast: number,
): Promise<number | null> {
  for (const deadline = performance.now() + SHOWN_MS; ;) {
    const committed = await log.committed(group, topic, partition);
    if ((committed ?? 0) >= atLeast || performance.now() > deadline) return committed;
    await sleep(SHOWN_LOOK_MS);
  }
}

function toInput(topic: TopicName, start: Start | undefined, startAt: NextOffsets): LaneInput {
  const own = startAt[topic];
  const { next = 0, low = 0 } = start ?? {};
  return { topic, from: own === undefined ? next : Math.max(own, low), withBarriers: own !== undefined };
}

/** Where the group's offset only tells people how far it is, it is no loss when it goes back. */
function rememberCommitted(
  env: LaneEnvironment,
  { keepsPosition, knows }: Subscription,
  partition: number,
  next: NextOffsets,
): void {
  if (keepsPosition === true) return;
  for (const [topic, offset] of Object.entries(next))
    if (topic !== knows) env.committed.set(`${topic}/${partition}`, offset);
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
