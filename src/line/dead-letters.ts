import type { BusReader, StoredRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';
import type { DeadLetter, DeadLetterDone, Origin } from '../contracts/generated.js';
import { readMessage, scanTopic } from './scan.js';

/** The dead letters of a line, and which of them were replayed. */

/** Where a dead letter lies in dead-letter.v1. */
export interface Whereabouts {
  readonly partition: number;
  readonly offset: number;
  /** When it was given up, epoch milliseconds on the wall clock. */
  readonly timestamp: number;
}

/** The marker of a replay, and the dead letter that it is about: another one of the same record counts too. */
export interface Replay {
  readonly as: string;
  readonly done: DeadLetterDone;
}

export interface KnownDeadLetter {
  readonly letter: DeadLetter;
  readonly at: Whereabouts;
  readonly replay: Replay | null;
}

/** A dead letter without the bytes of its record: there may be many, and they may be large. */
export interface DeadLetterSummary extends Pick<KnownDeadLetter, 'at' | 'replay'> {
  readonly letter: Omit<DeadLetter, 'key' | 'value' | 'headers'>;
  /** Bytes of the record's value; null where it has none. */
  readonly valueBytes: number | null;
}

export interface DeadLetterFilter {
  readonly station?: string | undefined;
  readonly code?: string | undefined;
  readonly runId?: string | undefined;
}

export interface DeadLetterList {
  /** In the order in which they were given up. */
  readonly letters: readonly DeadLetterSummary[];
  /** Records of dead-letter.v1 that are no dead letters. */
  readonly unreadable: number;
}

/** The dead letters that the filter lets through, the first of each event id. */
export async function listDeadLetters(
  bus: BusReader,
  codec: Codec,
  filter: DeadLetterFilter = {},
): Promise<DeadLetterList> {
  const markers = await readMarkers(bus, codec);
  const replays = new Map<string, Replay>();
  const found = new Map<string, Omit<DeadLetterSummary, 'replay'>>();
  let unreadable = 0;
  for await (const record of scanTopic(bus, 'dead-letter.v1')) {
    const { message: letter, error } = readMessage(codec, 'dead-letter.v1', record.value);
    if (error !== null) unreadable += 1;
    if (letter === null || found.has(letter.eventId)) continue;
    const done = markers.get(letter.eventId);
    if (done !== undefined) replays.set(originName(letter.origin), { as: letter.eventId, done });
    found.set(letter.eventId, { ...summaryOf(letter), at: whereabouts(record) });
  }
  const letters = [...found.values()]
    .filter(({ letter }) => passes(letter, filter))
    .map((each) => ({ ...each, replay: replayOf(each.letter, markers, replays) }))
    .sort(byTime);
  return { letters, unreadable };
}

/**
 * One dead letter, whole, by its event id or by a beginning of it that no other has.
 * @throws ProoflineError PL_NOT_FOUND; PL_INPUT_INVALID where several begin so.
 */
export async function findDeadLetter(bus: BusReader, codec: Codec, id: string): Promise<KnownDeadLetter> {
  const { letters } = await listDeadLetters(bus, codec);
  const matching = letters.filter(({ letter }) => letter.eventId.startsWith(id));
  const exact = matching.find(({ letter }) => letter.eventId === id);
  const [found = exact, ...others] = exact === undefined ? matching : [exact];
  if (found === undefined || id === '')
    throw new ProoflineError('PL_NOT_FOUND', { what: `dead letter ${JSON.stringify(id.slice(0, 64))}` });
  if (others.length > 0) {
    const problem = `${matching.length} dead letters begin with ${JSON.stringify(id)}: give more of the id`;
    throw new ProoflineError('PL_INPUT_INVALID', { problem });
  }
  const letter = await readDeadLetter(bus, codec, found.letter.eventId, found.at);
  return { letter, at: found.at, replay: found.replay };
}

/**
 * The dead letter that lies there.
 * @throws ProoflineError PL_NOT_FOUND when it is not the one of that event id.
 */
export async function readDeadLetter(
  bus: BusReader,
  codec: Codec,
  eventId: string,
  { partition, offset }: Pick<Whereabouts, 'partition' | 'offset'>,
): Promise<DeadLetter> {
  const [record] = await bus.read('dead-letter.v1', partition, offset, 1);
  const at = record?.offset === offset ? record : undefined;
  const { message } = readMessage(codec, 'dead-letter.v1', at?.value ?? null);
  if (message?.eventId === eventId) return message;
  throw new ProoflineError('PL_NOT_FOUND', { what: `dead letter ${eventId} at ${partition}@${offset}` });
}

/** Markers by the event id of the dead letter. */
async function readMarkers(bus: BusReader, codec: Codec): Promise<Map<string, DeadLetterDone>> {
  const markers = new Map<string, DeadLetterDone>();
  for await (const record of scanTopic(bus, 'dead-letter-done.v1')) {
    const { message } = readMessage(codec, 'dead-letter-done.v1', record.value);
    if (message !== null) markers.set(message.deadLetterEventId, message);
    else if (record.value === null && record.key !== null) markers.delete(record.key.toString('utf8'));
  }
  return markers;
}

function replayOf(
  { eventId, origin }: DeadLetterSummary['letter'],
  markers: ReadonlyMap<string, DeadLetterDone>,
  replays: ReadonlyMap<string, Replay>,
): Replay | null {
  const own = markers.get(eventId);
  if (own !== undefined) return { as: eventId, done: own };
  return replays.get(originName(origin)) ?? null;
}

/** Two stations that give one record up write a dead letter each. */
export function originName({ topic, partition, offset }: Origin): string {
  return `${topic}/${partition}@${offset}`;
}

function summaryOf(letter: DeadLetter): Pick<DeadLetterSummary, 'letter' | 'valueBytes'> {
  const { key: _key, value, headers: _headers, ...rest } = letter;
  return { letter: rest, valueBytes: value?.length ?? null };
}

function whereabouts({ partition, offset, timestamp }: StoredRecord): Whereabouts {
  return { partition, offset, timestamp };
}

function passes(letter: DeadLetterSummary['letter'], { station, code, runId }: DeadLetterFilter): boolean {
  return (
    (station === undefined || letter.station === station) &&
    (code === undefined || letter.code === code) &&
    (runId === undefined || letter.runId === runId)
  );
}

function byTime(a: DeadLetterSummary, b: DeadLetterSummary): number {
  return a.at.timestamp - b.at.timestamp || a.at.partition - b.at.partition || a.at.offset - b.at.offset;
}
