import type { AuditReader, Trail } from '../audit/audit-store.js';
import type { BusReader, StoredRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { partitionOf } from '../contracts/partition.js';
import { topics, type TopicMessages, type TopicName } from '../contracts/topics.js';
import type { Keyring } from '../ledger/keyring.js';
import { parseLedgerKey } from '../ledger/ledger-view.js';
import { checkEntry, foldLedger } from '../line/ledger-entries.js';
import { ANSWERS, firstOfEach, type AnswerTopic } from '../line/run-messages.js';
import { readMessage, scanPartition } from '../line/scan.js';
import type { RecordedEntry, RecordedRun } from './recorded-run.js';

/** Runs as a line's topics and its audit still have them, many at a time: each log is read once for all of them. */

export interface RunPorts {
  readonly bus: BusReader;
  readonly codec: Codec;
  readonly audit: AuditReader;
  /** Null where there is no public key to check signatures with. */
  readonly keyring: Keyring | null;
  readonly signal: AbortSignal;
}

/**
 * What replaying takes, against the line's direction: what a record follows from is never missing beside it, since it
 * is read later. What comes of a record together with it is read after it, too.
 */
const REPLAYED = [
  'reviewed.v1',
  'verdict.v1',
  'verified.v1',
  'repair-requested.v1',
  'review-decision.v1',
  'run-outcome.v1',
  'draft-submitted.v1',
  'projected.v1',
  'ledger.v1',
] as const satisfies readonly TopicName[];

type ReplayedTopic = (typeof REPLAYED)[number];

/** Bytes of records that are held at once, about; one run is held whole whatever it has. */
const HELD_BYTES = 64 * 1024 * 1024;
/** Runs that are read together. */
const TOGETHER = 1000;

/** The runs of these ids, those of one partition together. One that nobody knows has nothing in it. */
export async function* readRuns(
  ports: RunPorts,
  runIds: Iterable<string>,
  heldBytes = HELD_BYTES,
): AsyncGenerator<RecordedRun> {
  const { bus } = ports;
  const byPartition = new Map<number, string[]>();
  for (const runId of new Set(runIds)) {
    const partition = partitionOf(runId, bus.partitions);
    byPartition.set(partition, [...(byPartition.get(partition) ?? []), runId]);
  }
  for (const [partition, ids] of byPartition) yield* readPartition(ports, partition, ids, heldBytes);
}

async function* readPartition(
  ports: RunPorts,
  partition: number,
  runIds: readonly string[],
  heldBytes: number,
): AsyncGenerator<RecordedRun> {
  const trimmed = await trimmedTopics(ports.bus, partition);
  for (let left = runIds; left.length > 0;) {
    const records = await collect(ports, partition, left.slice(0, TOGETHER), heldBytes);
    for (const [runId, ofRun] of records) {
      ports.signal.throwIfAborted();
      yield await runOf(ports, runId, ofRun, trimmed);
    }
    left = left.slice(records.size);
  }
}

type Records = Map<ReplayedTopic, StoredRecord[]>;

/** The records of as many of the runs, from the first on, as may be held together. */
async function collect(
  { bus, signal }: RunPorts,
  partition: number,
  runIds: readonly string[],
  heldBytes: number,
): Promise<ReadonlyMap<string, Records>> {
  const held = new Map<string, Records>(runIds.map((runId) => [runId, new Map()]));
  const last = [...runIds];
  let bytes = 0;
  for (const topic of REPLAYED) {
    for await (const record of scanPartition(bus, topic, partition)) {
      signal.throwIfAborted();
      const records = held.get(runKey(topic, record));
      if (records === undefined) continue;
      push(records, topic, record);
      bytes += sizeOf(record);
      while (bytes > heldBytes && held.size > 1) bytes -= letGo(held, last.pop() ?? '');
    }
  }
  return held;
}

/** The run that the record is of, by its key. */
function runKey(topic: ReplayedTopic, { key }: StoredRecord): string {
  const text = key?.toString('utf8') ?? '';
  return topic === 'ledger.v1' ? (parseLedgerKey(text)?.runId ?? '') : text;
}

function push(records: Records, topic: ReplayedTopic, record: StoredRecord): void {
  const ofTopic = records.get(topic);
  if (ofTopic === undefined) records.set(topic, [record]);
  else ofTopic.push(record);
}

function sizeOf({ value }: StoredRecord): number {
  return value?.length ?? 0;
}

/** Lets go of a run, which is read again with the next ones; how many bytes that frees. */
function letGo(held: Map<string, Records>, runId: string): number {
  let bytes = 0;
  for (const records of held.get(runId)?.values() ?? [])
    for (const record of records) bytes += sizeOf(record);
  held.delete(runId);
  return bytes;
}

async function runOf(
  { codec, audit, keyring }: RunPorts,
  runId: string,
  records: Records,
  trimmed: ReadonlySet<TopicName>,
): Promise<RecordedRun> {
  const trail = await audit.trail(runId);
  const messages = <T extends ReplayedTopic>(topic: T): TopicMessages[T][] =>
    (records.get(topic) ?? [])
      .flatMap(({ value }) => readMessage(codec, topic, value).message ?? [])
      .filter((message) => message.runId === runId);
  const firsts = <T extends ReplayedTopic & AnswerTopic>(topic: T): TopicMessages[T][] => {
    const kept = messages(topic);
    return firstOfEach([...onlyInAudit(codec, trail, topic, kept), ...kept], idOf);
  };
  return {
    runId,
    verdicts: firsts('verdict.v1'),
    drafts: messages('draft-submitted.v1'),
    entries: entriesOf(codec, keyring, runId, records.get('ledger.v1') ?? []),
    answers: firsts('projected.v1'),
    reviewed: firsts('reviewed.v1'),
    decisions: messages('review-decision.v1'),
    repairs: firsts('repair-requested.v1'),
    verified: firsts('verified.v1'),
    outcome: messages('run-outcome.v1').at(-1) ?? null,
    notes: trail.invocations,
    trimmed,
    isAuditWhole: !trail.truncated,
  };
}

function idOf({ eventId }: { readonly eventId: string }): string {
  return eventId;
}

function onlyInAudit<T extends AnswerTopic>(
  codec: Codec,
  { answers }: Trail,
  topic: T,
  kept: readonly TopicMessages[T][],
): TopicMessages[T][] {
  const known = new Set(kept.map(idOf));
  return answers
    .filter(({ kind, eventId }) => kind === ANSWERS[topic] && !known.has(eventId))
    .flatMap(({ value }) => readMessage(codec, topic, value).message ?? []);
}

function entriesOf(
  codec: Codec,
  keyring: Keyring | null,
  runId: string,
  records: readonly StoredRecord[],
): RecordedEntry[] {
  const fold = foldLedger((value) => value);
  for (const record of records)
    fold.take(record, readMessage(codec, 'ledger.v1', record.value).message?.state ?? 'UNREADABLE');
  return [...fold.entries.values()].map(({ toolCallId, kept, offset }) => ({
    ...checkEntry(codec, keyring, { runId, toolCallId, value: kept }),
    offset,
  }));
}

async function trimmedTopics(bus: BusReader, partition: number): Promise<ReadonlySet<TopicName>> {
  const trimmed = new Set<TopicName>();
  for (const topic of REPLAYED) {
    const { low } = await bus.bounds(topic, partition);
    if (topics[topic].cleanup === 'delete' && low > 0) trimmed.add(topic);
  }
  return trimmed;
}

/** Instants of event time, epoch milliseconds; what was handed in from `since` on and before `until`. */
export interface Range {
  readonly since: number;
  readonly until: number;
}

/** The runs that have a verdict in the range, as verdict.v1 still tells. */
export async function runsWithVerdicts(
  { bus, codec, signal }: Pick<RunPorts, 'bus' | 'codec' | 'signal'>,
  range: Range,
): Promise<ReadonlySet<string>> {
  const runs = new Set<string>();
  for (let partition = 0; partition < bus.partitions; partition++) {
    for await (const { value } of scanPartition(bus, 'verdict.v1', partition)) {
      signal.throwIfAborted();
      const { message } = readMessage(codec, 'verdict.v1', value);
      if (message !== null && isWithin(message.occurredAt, range)) runs.add(message.runId);
    }
  }
  return runs;
}

export function isWithin(instant: number, { since, until }: Range): boolean {
  return instant >= since && instant < until;
}
