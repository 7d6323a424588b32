import type { BatchResult, LaneHandler, StoredRecord } from '../bus/bus.js';
import {
  isProoflineError,
  type ErrorCode,
  type ErrorParams,
  type ProoflineError,
} from '../contracts/errors.js';
import type { TopicName } from '../contracts/topics.js';
import { decideAll, type Decision } from './decide-batch.js';
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

  async function handle(batch: readonly StoredRecord[]): Promise<BatchResult> {
    hasWorked = true;
    observer.began(batch);
    const startedAt = context.now();
    const ready = await prepare(batch);
    if ('wait' in ready) return waitFor(ready.wait.code, ready.wait.params);
    observer.prepared();
    const { decoded, prepared } = ready;
    // From here on the lane remembers what it decides. An error throws it away with all that it remembers.
    const { decisions, held } = decideAll(
      { env, station: station.name, work, prepared, startedAt, inherited: observer.inherited },
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
    const offsets = await context.lane.step({ records, next: { [last.topic]: last.offset + 1 } });
    waits = 0;
    observer.committed(decisions.length, decisions);
    work.committed?.(pairUp(decisions, offsets));
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
    handle,
    async tick() {
      // A lane that is opened again and fails at once has not gone on; one that has nothing to do has.
      if (!hasWorked) env.health.goesOn(station.name, partition);
      hasWorked = true;
      if (work.maintain === undefined || context.now() - maintained < MAINTAIN_MS) return;
      maintained = context.now();
      await work.maintain();
    },
  };
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
