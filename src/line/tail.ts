import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { BusReader, StoredRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import type { ErrorCode } from '../contracts/errors.js';
import type { JsonObject } from '../contracts/json.js';
import { instantToJson, recordToJson } from '../contracts/record-json.js';
import type { AnyMessage, TopicName } from '../contracts/topics.js';
import { ledgerKey } from '../ledger/ledger-view.js';
import { readMessage } from './scan.js';

/** Reading a topic's records as they come, for people. Nothing is committed. */

export interface TailOptions {
  readonly topic: TopicName;
  readonly partitions: readonly number[];
  /** The first offset to read, of every partition or, by its number, of each. */
  readonly from: 'beginning' | 'end' | number | readonly number[];
  /** Goes on with what is appended, until the signal aborts. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

const PAGE = 100;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

/**
 * The records of the partitions: those that are there by the time that the bus took them, then, when following,
 * those that come.
 */
export async function* tailRecords(bus: BusReader, options: TailOptions): AsyncGenerator<StoredRecord> {
  const cursors = await openCursors(bus, options);
  yield* merged(cursors, bus, options.topic);
  let waitMs = FIRST_WAIT_MS;
  while (options.follow && !options.signal.aborted) {
    let came = false;
    for (const cursor of cursors) cursor.end = (await bus.bounds(options.topic, cursor.partition)).end;
    for await (const record of merged(cursors, bus, options.topic)) {
      came = true;
      yield record;
    }
    waitMs = came ? FIRST_WAIT_MS : Math.min(LONGEST_WAIT_MS, waitMs * 2);
    await pause(waitMs, options.signal);
  }
}

/** How far a partition is read, and a page of what comes next. */
interface Cursor {
  readonly partition: number;
  next: number;
  end: number;
  page: StoredRecord[];
}

async function openCursors(bus: BusReader, { topic, partitions, from }: TailOptions): Promise<Cursor[]> {
  const cursors: Cursor[] = [];
  for (const partition of partitions) {
    const { low, end } = await bus.bounds(topic, partition);
    const next = from === 'beginning' ? low : from === 'end' ? end : placeIn(from, partition);
    cursors.push({ partition, next, end, page: [] });
  }
  return cursors;
}

function placeIn(from: number | readonly number[], partition: number): number {
  return typeof from === 'number' ? from : (from[partition] ?? 0);
}

/** What lies before the cursors' ends, merged by time; within a partition in the order of the offsets. */
async function* merged(
  cursors: readonly Cursor[],
  bus: BusReader,
  topic: TopicName,
): AsyncGenerator<StoredRecord> {
  for (;;) {
    let earliest: Cursor | undefined;
    for (const cursor of cursors) {
      if (cursor.page.length === 0) await turnPage(cursor, bus, topic);
      if (isBefore(cursor.page[0], earliest?.page[0])) earliest = cursor;
    }
    const record = earliest?.page.shift();
    if (record === undefined) return;
    yield record;
  }
}

async function turnPage(cursor: Cursor, bus: BusReader, topic: TopicName): Promise<void> {
  if (cursor.next >= cursor.end) return;
  const page = await bus.read(topic, cursor.partition, cursor.next, PAGE);
  // A bus in this process answers at once: signals come in between.
  await nextTurn();
  cursor.page = page.filter(({ offset }) => offset < cursor.end);
  // Compaction leaves gaps, also at the end.
  cursor.next = cursor.page.length < page.length || page.length === 0 ? cursor.end : after(page);
}

function after(page: readonly StoredRecord[]): number {
  return (page.at(-1)?.offset ?? -1) + 1;
}

function isBefore(record: StoredRecord | undefined, other: StoredRecord | undefined): boolean {
  return record !== undefined && (other === undefined || record.timestamp < other.timestamp);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A record as it is shown: its message, or why there is none. */
export interface ShownRecord {
  readonly record: StoredRecord;
  /** Null of a tombstone, and of what cannot be decoded. */
  readonly message: AnyMessage | null;
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
}

export function showRecord(codec: Codec, record: StoredRecord): ShownRecord {
  const { message, error } = readMessage(codec, record.topic, record.value);
  if (error === null) return { record, message, error };
  return { record, message, error: { code: error.code, message: error.message } };
}

/** True for a record of the run, by its key or by what it says. */
export function isOfRun({ record, message }: ShownRecord, runId: string): boolean {
  const key = record.key?.toString('utf8') ?? '';
  return key === runId || key.startsWith(ledgerKey(runId, '')) || message?.runId === runId;
}

/** How many bytes of a value that cannot be decoded are shown. */
const SHOWN_BYTES = 256;

/**
 * `{topic, partition, offset, timestamp, key, headers, value}`; a tombstone has `tombstone: true`, and what cannot be
 * decoded `undecodable: {code, message, bytes, hex}` with the beginning of its bytes. A key that is no UTF-8 is
 * `{hex}`.
 */
export function shownRecordJson({ record, message, error }: ShownRecord): JsonObject {
  const { topic, partition, offset, timestamp, key, headers, value } = record;
  const undecodable = {
    ...error,
    bytes: value?.length ?? 0,
    hex: value?.subarray(0, SHOWN_BYTES).toString('hex') ?? '',
  };
  return {
    topic,
    partition,
    offset,
    timestamp: instantToJson(timestamp),
    key: key === null ? null : keyJson(key),
    headers,
    value: message === null ? null : recordToJson(topic, message),
    ...(value === null ? { tombstone: true } : {}),
    ...(error === null ? {} : { undecodable }),
  };
}

export function keyJson(key: Buffer): string | { readonly hex: string } {
  const text = key.toString('utf8');
  return Buffer.from(text, 'utf8').equals(key) ? text : { hex: key.toString('hex') };
}
