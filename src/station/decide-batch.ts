import type { Headers, NewRecord, StoredRecord } from '../bus/bus.js';
import { recordBytes } from '../bus/record-size.js';
import { isProoflineError, type ErrorCode, type ErrorParams } from '../contracts/errors.js';
import { topics, type AnyMessage, type TopicName } from '../contracts/topics.js';
import { VERSION } from '../version.js';
import { deadLetterIdOf, deadLetterRecord } from './dead-letter.js';
import type { Decoded } from './decode.js';
import { encodeDue, encodeEmissions, type Emitter } from './envelope.js';
import { invocation } from './invocation.js';
import type { LaneEnvironment } from './lane-environment.js';
import type { Due, Emission, Invocation, Outcome, RecordSize, StationLane } from './station.js';

/** A station's lane at work on one batch. */
export interface Batch<I extends TopicName, P> {
  readonly env: LaneEnvironment;
  readonly station: string;
  readonly work: StationLane<I, P>;
  /** What cannot be worked on is another station's to give up. */
  readonly passesOver: boolean;
  readonly prepared: P;
  readonly startedAt: number;
  /** The headers that outputs inherit from a record: its trace. */
  readonly inherited: (record: StoredRecord) => Headers;
}

export type Held = Extract<Outcome, { kind: 'not-yet' }>;

/** The outcome of one record, encoded and ready to be committed. */
export interface Decision {
  /** Why the record was passed over, where it was. */
  readonly passedOver?: ErrorCode;
  readonly outcome: Outcome;
  readonly emissions: readonly Emission[];
  readonly records: readonly NewRecord[];
}

/** Decides message by message up to the first *not yet*, each seeing what those before it will have written. */
export function decideAll<I extends TopicName, P>(
  batch: Batch<I, P>,
  decoded: readonly Decoded<I>[],
): { decisions: Decision[]; held: Held | null } {
  const { work, prepared } = batch;
  const decisions: Decision[] = [];
  for (const each of decoded) {
    const decision = each.kind === 'message' ? decideOne(batch, each) : withoutWork(batch, each);
    if ('kind' in decision) return { decisions, held: decision };
    if (each.kind === 'message') work.remember?.(decision.outcome, each.message, prepared);
    decisions.push(decision);
  }
  return { decisions, held: null };
}

function withoutWork<I extends TopicName, P>(
  batch: Batch<I, P>,
  decoded: Exclude<Decoded<I>, { kind: 'message' }>,
): Decision {
  if (decoded.kind === 'tombstone') return NOTHING;
  return batch.passesOver ? { ...NOTHING, passedOver: decoded.code } : giveUp(batch, decoded, decoded);
}

const NOTHING: Decision = { outcome: { kind: 'emit', records: [] }, emissions: [], records: [] };

type Workable<I extends TopicName> = Extract<Decoded<I>, { kind: 'message' }>;

function decideOne<I extends TopicName, P>(batch: Batch<I, P>, decoded: Workable<I>): Decision | Held {
  try {
    const outcome = batch.work.decide(decoded.message, batch.prepared);
    return outcome.kind === 'not-yet' ? outcome : fitting(batch, decoded, outcome);
  } catch (error) {
    if (isProoflineError(error) && error.retryable) throw error;
    // A rule is pure, and so is encoding: the same would be thrown again for ever.
    const problem = error instanceof Error ? error.message : String(error);
    const params = { problem: problem.slice(0, MAX_PROBLEM_CHARS) };
    return giveUp(batch, decoded, { code: 'PL_INVARIANT', params, cause: error });
  }
}

const MAX_PROBLEM_CHARS = 300;

/** The outcome encoded, or what the station makes of it where its records are too large for their topics. */
function fitting<I extends TopicName, P>(
  batch: Batch<I, P>,
  decoded: Workable<I>,
  outcome: Outcome,
): Decision {
  const { work, prepared } = batch;
  const decision = encodeOutcome(batch, decoded, outcome);
  const size = oversize(decision);
  if (size === null) return decision;
  const smaller = work.tooLarge?.(decoded.message, prepared, size);
  const second = smaller === undefined ? null : encodeOutcome(batch, decoded, smaller);
  if (second !== null && oversize(second) === null) return second;
  return giveUp(batch, decoded, { code: 'PL_RECORD_TOO_LARGE', params: { ...size } });
}

function oversize({ records }: Decision): RecordSize | null {
  for (const record of records) {
    const [bytes, limit] = [recordBytes(record), topics[record.topic].maxBytes];
    if (bytes > limit) return { bytes, limit };
  }
  return null;
}

type Refusable<I extends TopicName> = Exclude<Decoded<I>, { kind: 'tombstone' }>;

function giveUp<I extends TopicName, P>(
  batch: Batch<I, P>,
  decoded: Refusable<I>,
  reason: { readonly code: ErrorCode; readonly params: ErrorParams; readonly cause?: unknown },
): Decision {
  const { code, params, cause } = reason;
  return encodeOutcome(batch, decoded, { kind: 'dead-letter', code, params }, cause);
}

function encodeOutcome<I extends TopicName, P>(
  batch: Batch<I, P>,
  decoded: Refusable<I>,
  outcome: Outcome,
  cause?: unknown,
): Decision {
  if (outcome.kind === 'not-yet') throw new Error('a held message has nothing to encode');
  const { env, station, startedAt } = batch;
  const { record } = decoded;
  const message: AnyMessage | null = decoded.kind === 'message' ? decoded.message.value : decoded.message;
  const note = outcome.invocation;
  const emissions = [
    ...(outcome.records ?? []),
    ...(note === undefined ? [] : [auditEmission(env.emitter, station, note, startedAt)]),
  ];
  const records =
    message === null
      ? []
      : encodeEmissions(env.emitter, { ...causeOf(message), headers: batch.inherited(record) }, emissions);
  if (outcome.kind === 'dead-letter') {
    records.push(deadLetterRecord(env.emitter, record, message, outcome, batch.inherited(record)));
    if (note === undefined) records.push(...deadLetterNote(batch, record, message, outcome.code));
    tell(batch, record, outcome, cause);
  }
  return { outcome, emissions, records };
}

/** What is due, encoded: it follows from no record, and no trace is passed on. */
export function decideDue(emitter: Emitter, due: Due, startedAt: number): Decision {
  const note = due.invocation;
  const emissions = [
    ...due.records,
    ...(note === undefined ? [] : [auditEmission(emitter, emitter.station, note, startedAt)]),
  ];
  const outcome = { kind: 'emit' as const, records: due.records, invocation: note };
  return { outcome, emissions, records: encodeDue(emitter, due, emissions) };
}

function causeOf(message: AnyMessage): { eventId: string; runId: string; occurredAt: number } {
  return { eventId: message.eventId, runId: message.runId, occurredAt: message.occurredAt };
}

function tell<I extends TopicName, P>(
  { env, station }: Batch<I, P>,
  { topic, partition, offset }: StoredRecord,
  { code, params }: Extract<Outcome, { kind: 'dead-letter' }>,
  cause: unknown,
): void {
  const record = { topic, partition, offset };
  env.onIncident({ station, code, params, record, ...(cause === undefined ? {} : { cause }) });
}

/**
 * What the run's trail says of a record that was given up. It follows from the dead letter: a record's own id may be
 * another's, and what becomes of that one is told under it. None under ids that no message may have.
 */
function deadLetterNote<I extends TopicName, P>(
  { env, station, startedAt, inherited }: Batch<I, P>,
  record: StoredRecord,
  message: AnyMessage | null,
  code: ErrorCode,
): NewRecord[] {
  if (message === null || code === 'PL_ID_INVALID') return [];
  const { toolCallId = null, draftId = null } = message as { toolCallId?: string; draftId?: string };
  const counts = { countIn: 1, countOut: 0 };
  const note = invocation({
    kind: 'DEAD_LETTER',
    outcome: 'DEAD_LETTER',
    code,
    ...counts,
    toolCallId,
    draftId,
  });
  const eventId = deadLetterIdOf(env.emitter, record);
  const cause = { ...causeOf(message), eventId, headers: inherited(record) };
  return encodeEmissions(env.emitter, cause, [auditEmission(env.emitter, station, note, startedAt)]);
}

function auditEmission(emitter: Emitter, station: string, note: Invocation, startedAt: number): Emission {
  const measured = { startedAt, finishedAt: emitter.now() };
  // The spread stands last because V8 is many times slower at adding fields to a large copy.
  const body = { station, version: VERSION, measured, ext: {}, ...note };
  const mark = MARKS[note.outcome];
  return { topic: 'tool-invocation.v1', body, ...(mark === undefined ? {} : { mark }) };
}

/** Outcomes of an input that came before under the same id: the note must not pass for the first one's. */
const MARKS: Readonly<Partial<Record<string, NonNullable<Emission['mark']>>>> = {
  REPEAT: 'REPEAT',
  ALREADY_ANSWERED: 'REPEAT',
  REFUSED: 'REFUSED',
};
