import type { BatchResult, LaneHandler, NextOffsets, StoredRecord } from '../bus/bus.js';
import {
  isProoflineError,
  type ErrorCode,
  type ErrorParams,
  type ProoflineError,
} from '../contracts/errors.js';
import type { TopicName } from '../contracts/topics.js';
import { decideAll, decideDue, type Decision } from './decide-batch.js';
import { decodeRecord, type Decoded } from './decode.js';
import type { LaneEnvironment } from './lane-environment.js';
import type { LaneObserver } from './observer.js';
import type { LaneContext, Station, StationLane, Written } from './station.js';

const MIN_WAIT_MS = 100;
const MAX_WAIT_MS = 10_000;
const MAINTAIN_MS = 60_000;

/** The handler of a station's lane: poll, prepare, decide, commit, in this order, one batch at a time. */
export function createLaneRuntime<I extends TopicName, P>(
  env: LaneEnvironment,
  station: Station<I, P>,
  work: StationLane<I, P>,
  context: LaneContext,
  observer: LaneObserver,
): LaneHandler {
  const { partition } = context.lane;
  let waits = 0;
  let maintained = context.now();
  let hasWorked = false;
  /** How far the topic is read that the lane only knows, until a step has said so; what it read to open, too. */
  let learned: NextOffsets = startOf(station, work).startAt ?? {};
  let learningWaits = false;

  async function handle(batch: readonly StoredRecord[]): Promise<BatchResult> {
    if (batch[0]?.topic === station.knows) return learn(batch);
    hasWorked = true;
    observer.began(batch);
    const startedAt = context.now();
    const ready = await prepare(batch);
    if ('wait' in ready) return waitFor(ready.wait.code, ready.wait.params);
    observer.prepared();
    const { decoded, prepared } = ready;
    // From here on the lane remembers what it decides. An error throws it away with all that it remembers.
    const { decisions, held } = decideAll(
      {
        env,
        station: station.name,
        work,
        passesOver: station.passesOver === true,
        prepared,
        startedAt,
        inherited: observer.inherited,
      },
      decoded,
    );
    observer.decided();
    await commit(decisions, batch);
    return held === null ? goOn(batch.length) : waitFor(held.code, held.params, held.retryAfterMs);
  }

  async function prepare(
    batch: readonly StoredRecord[],
  ): Promise<{ decoded: Decoded<I>[]; prepared: P } | { wait: ProoflineError }> {
    try {
      await env.emitter.codec.learn(batch.map(({ value }) => value));
      const decoded = batch.map((record) =>
        decodeRecord<I>(env.emitter.codec, env.emitter.partitions, record, station.admit),
      );
      const messages = decoded.flatMap((each) => (each.kind === 'message' ? [each.message] : []));
      return { decoded, prepared: await work.prepare(messages) };
    } catch (error) {
      if (isProoflineError(error) && error.retryable) return { wait: error };
      throw error;
    }
  }

  async function commit(decisions: readonly Decision[], batch: readonly StoredRecord[]): Promise<void> {
    const last = batch[decisions.length - 1];
    if (last === undefined) return;
    const records = decisions.flatMap((decision) => decision.records);
    const offsets = await context.lane.step({ records, next: { ...learned, [last.topic]: last.offset + 1 } });
    learned = {};
    waits = 0;
    observer.committed(decisions.length, decisions);
    work.committed?.(pairUp(decisions, offsets));
  }

  /** What is only known moves no offset by itself: a step a record would cost more than all that is known. */
  async function learn(batch: readonly StoredRecord[]): Promise<BatchResult> {
    const last = batch.at(-1);
    try {
      const unreadable = (await work.knowledge?.take(batch)) ?? 0;
      observer.learned(batch.length, unreadable);
    } catch (error) {
      if (!isProoflineError(error) || !error.retryable) throw error;
      learningWaits = true;
      return waitFor(error.code, error.params);
    }
    // What a batch waits for, it says again when it is tried again.
    if (learningWaits) env.health.goesOn(station.name, partition);
    learningWaits = false;
    if (last !== undefined) learned = { [last.topic]: last.offset + 1 };
    return { kind: 'done' };
  }

  /** What was learned since the last step is told, so that the offset does not stand still while nobody asks. */
  async function tellLearned(): Promise<void> {
    if (Object.keys(learned).length === 0) return;
    await context.lane.step({ records: [], next: learned });
    learned = {};
  }

  async function writeDue(): Promise<void> {
    const startedAt = context.now();
    const due = (await work.due?.(startedAt)) ?? [];
    if (due.length === 0) return;
    const decisions = due.map((each) => decideDue(env.emitter, each, startedAt));
    await context.lane.step({ records: decisions.flatMap(({ records }) => records) });
    observer.due(decisions);
  }

  function goOn(records: number): BatchResult {
    env.health.goesOn(station.name, partition);
    const { restMs = 0, maxRecords } = station;
    return restMs > 0 && records < maxRecords ? { kind: 'wait', ms: restMs } : { kind: 'done' };
  }

  function waitFor(code: ErrorCode, params: ErrorParams, retryAfterMs?: number): BatchResult {
    env.health.waits(station.name, partition, code, params);
    observer.waits(code);
    const ms = retryAfterMs ?? Math.min(MAX_WAIT_MS, MIN_WAIT_MS * 2 ** Math.min(waits, 10));
    waits += 1;
    return { kind: 'wait', ms };
  }

  return {
    ...startOf(station, work),
    handle,
    async tick() {
      // A lane that is opened again and fails at once has not gone on; one that has nothing to do has.
      if (!hasWorked) env.health.goesOn(station.name, partition);
      hasWorked = true;
      await tellLearned();
      await writeDue();
      if (work.maintain === undefined || context.now() - maintained < MAINTAIN_MS) return;
      maintained = context.now();
      await work.maintain();
    },
  };
}

/** What the lane knows by heart it reads on from where it is, wherever its group was. */
function startOf<I extends TopicName, P>(
  { knows }: Station<I, P>,
  { knowledge }: StationLane<I, P>,
): Pick<LaneHandler, 'startAt'> {
  return knows === undefined || knowledge === undefined ? {} : { startAt: { [knows]: knowledge.from } };
}

/** The emissions with the offsets that their records got. */
function pairUp(decisions: readonly Decision[], offsets: readonly number[]): Written[] {
  const written: Written[] = [];
  let at = 0;
  for (const { emissions, records } of decisions) {
    for (const [i, emission] of emissions.entries()) {
      const offset = offsets[at + i];
      if (i < records.length && offset !== undefined) written.push({ emission, offset });
    }
    at += records.length;
  }
  return written;
}
