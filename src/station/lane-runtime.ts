import type { BatchResult, LaneHandler, NewRecord, StoredRecord } from '../bus/bus.js';
import { recordBytes } from '../bus/record-size.js';
import { isProoflineError, type ErrorCode, type ErrorParams } from '../contracts/errors.js';
import { topics, type AnyMessage, type TopicName } from '../contracts/topics.js';
import { VERSION } from '../version.js';
import { deadLetterRecord } from './dead-letter.js';
import { decodeRecord, type Decoded } from './decode.js';
import { encodeEmissions, type Emitter } from './envelope.js';
import type { Health } from './health.js';
import { invocation } from './invocation.js';
import type {
  Emission,
  Invocation,
  LaneContext,
  Message,
  Outcome,
  RecordSize,
  Station,
  StationLane,
  Written,
} from './station.js';

/** What the runtime needs besides the station and its lane. */
export interface LaneEnvironment {
  readonly emitter: Emitter;
  readonly health: Health;
  /** Told of what a person should look into: a rule that threw, a record given up. */
  onIncident(incident: Incident): void;
}

export interface Incident {
  readonly station: string;
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly record?: { readonly topic: TopicName; readonly partition: number; readonly offset: number };
  readonly cause?: unknown;
}

/** The outcome of one record, encoded and ready to be committed. */
interface Decision {
  readonly outcome: Outcome;
  readonly emissions: readonly Emission[];
  readonly records: readonly NewRecord[];
}

const MIN_WAIT_MS = 100;
const MAX_WAIT_MS = 10_000;
const MAINTAIN_MS = 60_000;

/** The handler of a station's lane: poll, prepare, decide, commit, in this order, one batch at a time. */
export function createLaneRuntime<I extends TopicName, P>(
  env: LaneEnvironment,
  station: Station<I, P>,
  work: StationLane<I, P>,
  context: LaneContext,
): LaneHandler {
  const { partition } = context.lane;
  let waits = 0;
  let maintained = context.now();

  async function handle(batch: readonly StoredRecord[]): Promise<BatchResult> {
    const startedAt = context.now();
    try {
      const decoded = batch.map((record) =>
        decodeRecord<I>(env.emitter.codec, env.emitter.partitions, record, station.admit),
      );
      const prepared = await work.prepare(
        decoded.flatMap((each) => (each.kind === 'message' ? [each.message] : [])),
      );
      const { decisions, held } = decideAll(env, station, work, decoded, prepared, startedAt);
      await commit(decisions, batch);
      return held === null ? goOn() : waitFor(held.code, held.params, held.retryAfterMs);
    } catch (error) {
      if (isProoflineError(error) && error.retryable) return waitFor(error.code, error.params);
      throw error;
    }
  }

  async function commit(decisions: readonly Decision[], batch: readonly StoredRecord[]): Promise<void> {
    const last = batch[decisions.length - 1];
    if (last === undefined) return;
    const records = decisions.flatMap((decision) => decision.records);
    const offsets = await context.lane.step({ records, next: { [last.topic]: last.offset + 1 } });
    work.committed?.(pairUp(decisions, offsets));
  }

  function goOn(): BatchResult {
    waits = 0;
    env.health.goesOn(station.name, partition);
    return { kind: 'done' };
  }

  function waitFor(code: ErrorCode, params: ErrorParams, retryAfterMs?: number): BatchResult {
    env.health.waits(station.name, partition, code, params);
    waits += 1;
    return {
      kind: 'wait',
      ms: retryAfterMs ?? Math.min(MAX_WAIT_MS, MIN_WAIT_MS * 2 ** Math.min(waits - 1, 10)),
    };
  }

  return {
    handle,
    async tick() {
      if (work.maintain === undefined || context.now() - maintained < MAINTAIN_MS) return;
      maintained = context.now();
      await work.maintain();
    },
  };
}

/** Decides message by message up to the first *not yet*, each seeing what those before it will have written. */
function decideAll<I extends TopicName, P>(
  env: LaneEnvironment,
  station: Station<I, P>,
  work: StationLane<I, P>,
  decoded: readonly Decoded<I>[],
  prepared: P,
  startedAt: number,
): { decisions: Decision[]; held: Extract<Outcome, { kind: 'not-yet' }> | null } {
  const decisions: Decision[] = [];
  for (const each of decoded) {
    const outcome =
      each.kind === 'poison' ? poisoned(each) : decideOne(env, station, work, each.message, prepared);
    if (outcome.kind === 'not-yet') return { decisions, held: outcome };
    const message = each.kind === 'message' ? each.message : null;
    let decision = encodeOutcome(env, station.name, each, outcome, startedAt);
    const oversize = decision.records.find((record) => recordBytes(record) > topics[record.topic].maxBytes);
    if (oversize !== undefined) {
      const size = { bytes: recordBytes(oversize), limit: topics[oversize.topic].maxBytes };
      decision = encodeOutcome(env, station.name, each, tooLarge(work, message, prepared, size), startedAt);
    }
    if (message !== null) work.remember?.(decision.outcome, message, prepared);
    decisions.push(decision);
  }
  return { decisions, held: null };
}

function poisoned(poison: { code: ErrorCode; params: ErrorParams }): Outcome {
  return { kind: 'dead-letter', code: poison.code, params: poison.params };
}

function decideOne<I extends TopicName, P>(
  env: LaneEnvironment,
  station: Station<I, P>,
  work: StationLane<I, P>,
  message: Message<I>,
  prepared: P,
): Outcome {
  try {
    return work.decide(message, prepared);
  } catch (error) {
    // A rule is pure: it would throw again for ever.
    const problem = error instanceof Error ? error.message : String(error);
    const { topic, partition, offset } = message.record;
    env.onIncident({
      station: station.name,
      code: 'PL_INVARIANT',
      params: { problem },
      record: { topic, partition, offset },
      cause: error,
    });
    return { kind: 'dead-letter', code: 'PL_INVARIANT', params: { problem: problem.slice(0, 300) } };
  }
}

function tooLarge<I extends TopicName, P>(
  work: StationLane<I, P>,
  message: Message<I> | null,
  prepared: P,
  size: RecordSize,
): Outcome {
  if (message !== null && work.tooLarge !== undefined) return work.tooLarge(message, prepared, size);
  return { kind: 'dead-letter', code: 'PL_RECORD_TOO_LARGE', params: { ...size } };
}

function encodeOutcome<I extends TopicName>(
  env: LaneEnvironment,
  station: string,
  decoded: Decoded<I>,
  outcome: Outcome,
  startedAt: number,
): Decision {
  const { record } = decoded;
  const message: AnyMessage | null = decoded.kind === 'message' ? decoded.message.value : decoded.message;
  if (outcome.kind === 'not-yet') throw new Error('a held message has nothing to encode');
  const emissions = [...(outcome.records ?? [])];
  const note =
    outcome.invocation ??
    (outcome.kind === 'dead-letter' ? deadLetterNote(outcome.code, message) : undefined);
  if (note !== undefined && message !== null)
    emissions.push(auditEmission(env.emitter, station, note, startedAt));
  const records =
    message === null
      ? []
      : encodeEmissions(env.emitter, { ...causeOf(message), headers: record.headers }, emissions);
  if (outcome.kind === 'dead-letter') {
    records.push(deadLetterRecord(env.emitter, record, message, outcome));
    const { topic, partition, offset } = record;
    env.onIncident({
      station,
      code: outcome.code,
      params: outcome.params,
      record: { topic, partition, offset },
    });
  }
  return { outcome, emissions, records };
}

function causeOf(message: AnyMessage): { eventId: string; runId: string; occurredAt: number } {
  return { eventId: message.eventId, runId: message.runId, occurredAt: message.occurredAt };
}

function deadLetterNote(code: ErrorCode, message: AnyMessage | null): Invocation {
  const { toolCallId = null, draftId = null } = (message ?? {}) as { toolCallId?: string; draftId?: string };
  return invocation({
    kind: 'DEAD_LETTER',
    outcome: 'DEAD_LETTER',
    code,
    countIn: 1,
    countOut: 0,
    toolCallId,
    draftId,
  });
}

function auditEmission(emitter: Emitter, station: string, note: Invocation, startedAt: number): Emission {
  const measured = { startedAt, finishedAt: emitter.now() };
  return { topic: 'tool-invocation.v1', body: { ...note, station, version: VERSION, measured, ext: {} } };
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
