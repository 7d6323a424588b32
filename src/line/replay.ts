import type { Bus, ExclusiveWriter, Headers, NewRecord } from '../bus/bus.js';
import { scanTo } from '../bus/scan-to.js';
import type { Codec } from '../contracts/codec.js';
import { sha256 } from '../contracts/digest.js';
import { ProoflineError } from '../contracts/errors.js';
import type { DeadLetter, DeadLetterDone } from '../contracts/generated.js';
import { derivedEventId } from '../contracts/ids.js';
import { murmur2, partitionOf } from '../contracts/partition.js';
import { isTopicName, type TopicName } from '../contracts/topics.js';
import { ATTEMPT_HEADER, REPLAY_HEADER } from '../station/dead-letter.js';
import { encodeRecord, type Emitter } from '../station/envelope.js';
import { readDeadLetter } from './dead-letters.js';
import { readMessage } from './scan.js';

/**
 * Replaying a dead letter: its record goes to its topic again as it was, byte for byte, on the partition where it
 * belongs, and a marker keeps it from going twice.
 */

/** What would be written. */
export interface ReplayPlan {
  readonly kind: 'replay';
  readonly record: NewRecord;
  /** Where the record lay. */
  readonly fromPartition: number;
  /** What the partition follows from: the message's run_id, else the key, else where it lay. */
  readonly partitionBy: 'run_id' | 'key' | 'origin';
}

export interface RefusedReplay {
  readonly kind: 'refused';
  /** Why, for a person. */
  readonly problem: string;
}

/** Topics whose records are state of the line: an old one written again would take it back. */
const REFUSED: Partial<Readonly<Record<TopicName, string>>> = {
  'ledger.v1': 'the first ledger entry of a lookup stands, and a second one would only raise an alarm',
  'run-state.v1': 'it is the state of a run, and newer state would be overwritten by it',
  'run-outcome.v1': 'it is the state of a run, and newer state would be overwritten by it',
  'tool-invocation.v1': 'the audit only grows by what stations do, and a station does nothing by a replay',
  'dead-letter.v1': 'no station reads the dead letters',
  'dead-letter-done.v1': 'no station reads the markers of replays',
};

/** Pure: what replaying the letter would write, or why it is not replayed. */
export function planReplay(letter: DeadLetter, codec: Codec, partitions: number): ReplayPlan | RefusedReplay {
  const { topic, partition: fromPartition } = letter.origin;
  if (!isTopicName(topic)) return refused(`there is no topic ${JSON.stringify(topic.slice(0, 64))}`);
  const problem = REFUSED[topic];
  if (problem !== undefined) return refused(`it comes from ${topic}: ${problem}`);
  if (letter.value === null) return refused('it has no value, and would be given up again');
  const { partition, partitionBy } = placeOf(letter, topic, codec, partitions);
  if (partition < 0 || partition >= partitions) return refused(`${topic} has no partition ${partition}`);
  const record = {
    topic,
    partition,
    key: letter.key ?? Buffer.alloc(0),
    value: letter.value,
    headers: replayHeaders(letter),
  };
  return { kind: 'replay', record, fromPartition, partitionBy };
}

function refused(problem: string): RefusedReplay {
  return { kind: 'refused', problem };
}

function placeOf(
  letter: DeadLetter,
  topic: TopicName,
  codec: Codec,
  partitions: number,
): { partition: number; partitionBy: ReplayPlan['partitionBy'] } {
  const { message } = readMessage(codec, topic, letter.value);
  if (message !== null) return { partition: partitionOf(message.runId, partitions), partitionBy: 'run_id' };
  if (letter.key !== null)
    return { partition: (murmur2(letter.key) & 0x7fffffff) % partitions, partitionBy: 'key' };
  return { partition: letter.origin.partition, partitionBy: 'origin' };
}

/** The record's own headers, and which dead letter it comes from, so that a second failure counts on. */
function replayHeaders({ headers, eventId, attempt }: DeadLetter): Headers {
  const own = headers.map(({ key, value }) => [key, (value ?? Buffer.alloc(0)).toString('latin1')] as const);
  return Object.fromEntries([...own, [REPLAY_HEADER, eventId], [ATTEMPT_HEADER, String(attempt)]]);
}

export interface ReplayRequest {
  /** event_id of the dead letter. */
  readonly deadLetterEventId: string;
  /** Where it lies in dead-letter.v1. */
  readonly partition: number;
  readonly offset: number;
  /** Who replays it, as the marker says. */
  readonly by: string;
}

/** Where the record lies now. */
export interface Replayed {
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: number;
}

/** What a replay needs; a running line has all of it. */
export interface ReplayPorts {
  readonly bus: Bus;
  readonly codec: Codec;
  readonly emitter: Emitter;
}

const MAX_NAME = 200;

/**
 * Writes the record and the marker, in one atomic append. Of all processes, one replays at a time: looking for the
 * marker and writing it must not happen twice at once.
 * @throws ProoflineError PL_NOT_FOUND when no such dead letter lies there; PL_REPLAY_REFUSED when it was replayed
 * before, or its topic takes no replay; PL_RECORD_TOO_LARGE.
 */
export async function replayDeadLetter(
  { bus, codec, emitter }: ReplayPorts,
  request: ReplayRequest,
): Promise<Replayed> {
  const letter = await readDeadLetter(bus, codec, request.deadLetterEventId, request);
  const plan = planReplay(letter, codec, bus.partitions);
  if (plan.kind === 'refused') throw new ProoflineError('PL_REPLAY_REFUSED', { problem: plan.problem });
  const { record } = plan;
  return bus.exclusively('replay', async (writer) => {
    if (await isMarked(bus, writer, letter.eventId))
      throw new ProoflineError('PL_REPLAY_REFUSED', { problem: 'it was replayed before' });
    const [offset = -1] = await writer.append([record, markerRecord(emitter, letter, record, request.by)]);
    return { topic: record.topic, partition: record.partition, offset };
  });
}

/** How long a transaction that somebody left open on the markers is waited for. */
const MARKERS_MS = 30_000;

/** Read behind a barrier, so that a marker whose transaction has just ended is not missed. */
async function isMarked(bus: Bus, writer: ExclusiveWriter, eventId: string): Promise<boolean> {
  const topic = 'dead-letter-done.v1';
  const partition = partitionOf(eventId, bus.partitions);
  const barrier = await writer.barrier(topic, partition);
  const key = Buffer.from(eventId, 'utf8');
  let marked = false;
  for await (const page of scanTo(bus, topic, partition, barrier, AbortSignal.timeout(MARKERS_MS)))
    for (const record of page) if (record.key?.equals(key) === true) marked = record.value !== null;
  return marked;
}

/** Keyed by the dead letter, and so it lies on the partition of that key, whatever the run's is. */
function markerRecord(emitter: Emitter, letter: DeadLetter, to: NewRecord, by: string): NewRecord {
  const topic = 'dead-letter-done.v1';
  const { eventId, runId } = letter;
  const message: DeadLetterDone = {
    eventId: derivedEventId(sha256, { station: 'dlq', runId, inputEventId: eventId, topic, ordinal: 0 }),
    causedBy: eventId,
    runId,
    occurredAt: emitter.now(),
    deadLetterEventId: eventId,
    replayedBy: by.slice(0, MAX_NAME).toWellFormed(),
    to: { topic: to.topic, partition: to.partition },
  };
  const record = encodeRecord(emitter, topic, message, {}, eventId);
  return { ...record, partition: partitionOf(eventId, emitter.partitions) };
}
