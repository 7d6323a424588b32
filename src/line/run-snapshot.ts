import type { AuditReader, Trail } from '../audit/audit-store.js';
import { invocationToJson } from '../audit/invocation-json.js';
import type { BusReader, StoredRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import type { DeadLetter } from '../contracts/generated.js';
import { parseJson, type JsonObject } from '../contracts/json.js';
import { partitionOf } from '../contracts/partition.js';
import { instantToJson, recordToJson } from '../contracts/record-json.js';
import { topics, type TopicMessages, type TopicName } from '../contracts/topics.js';
import type { Keyring } from '../ledger/keyring.js';
import { parseLedgerKey } from '../ledger/ledger-view.js';
import { VERSION } from '../version.js';
import { checkEntry, readRunEntries, type CheckedEntry } from './ledger-entries.js';
import { mayBeOfRun, readMessage, scanPartition, scanTopic } from './scan.js';

/** Everything that a line knows of one run: what its topics still keep, and what the audit keeps for good. */

/** Topics that a run's messages lie in, each message as often as it came. */
export const RUN_TOPICS = [
  'lookup-requested.v1',
  'raw-hits.v1',
  'postprocessed.v1',
  'projected.v1',
  'draft-submitted.v1',
  'verdict.v1',
  'reviewed.v1',
  'repair-requested.v1',
  'review-decision.v1',
  'verified.v1',
  'run-state.v1',
  'run-outcome.v1',
] as const satisfies readonly TopicName[];

export type RunTopic = (typeof RUN_TOPICS)[number];

/** A message, and where and when the bus took it. */
export interface Kept<T extends TopicName> {
  readonly partition: number;
  readonly offset: number;
  /** Epoch milliseconds on the wall clock. */
  readonly timestamp: number;
  readonly message: TopicMessages[T];
}

export interface RunData {
  readonly runId: string;
  readonly partition: number;
  /** Tells the logs apart from every other set of logs. */
  readonly epoch: string;
  readonly records: { readonly [T in RunTopic]: readonly Kept<T>[] };
  readonly ledger: readonly (CheckedEntry & { readonly offset: number; readonly timestamp: number })[];
  /** Of this run, the first of each event id. */
  readonly deadLetters: readonly Kept<'dead-letter.v1'>[];
  readonly audit: Trail;
  /** Topics of a limited retention whose first records are gone: what is not found there may have been. */
  readonly trimmed: readonly TopicName[];
}

export interface RunPorts {
  readonly bus: BusReader;
  readonly codec: Codec;
  readonly audit: AuditReader;
  /** Null where there is no public key to check signatures with. */
  readonly keyring: Keyring | null;
}

/** Reads a run, beside whoever writes. Null when neither topics nor audit know it. */
export async function readRun(ports: RunPorts, runId: string): Promise<RunData | null> {
  const { bus, codec, audit, keyring } = ports;
  const partition = partitionOf(runId, bus.partitions);
  const records: Partial<Record<RunTopic, readonly Kept<RunTopic>[]>> = {};
  // Against the line's direction, so that what a record led to is never there without the record.
  const trail = await audit.trail(runId);
  const entries = await readRunEntries(bus, codec, runId);
  for (const topic of RUN_TOPICS.toReversed())
    records[topic] = await readRunTopic(ports, topic, partition, runId);
  const data: RunData = {
    runId,
    partition,
    epoch: bus.epoch,
    records: records as RunData['records'],
    ledger: entries.map((entry) => ({ ...entry, ...checkEntry(codec, keyring, entry) })),
    deadLetters: await readRunDeadLetters(ports, runId),
    audit: trail,
    trimmed: await trimmedTopics(bus, partition),
  };
  return isUnknown(data) ? null : data;
}

async function readRunTopic<T extends RunTopic>(
  { bus, codec }: RunPorts,
  topic: T,
  partition: number,
  runId: string,
): Promise<Kept<T>[]> {
  const id = Buffer.from(runId, 'utf8');
  const kept: Kept<T>[] = [];
  for await (const record of scanPartition(bus, topic, partition)) {
    if (!mayBeOfRun(record, id)) continue;
    const { message } = readMessage(codec, topic, record.value);
    if (message?.runId === runId) kept.push(keptAt(record, message));
  }
  return kept;
}

function keptAt<T extends TopicName>(record: StoredRecord, message: TopicMessages[T]): Kept<T> {
  const { partition, offset, timestamp } = record;
  return { partition, offset, timestamp, message };
}

/** A record on a wrong partition was given up there, so dead letters are looked for on all. */
async function readRunDeadLetters(
  { bus, codec }: RunPorts,
  runId: string,
): Promise<Kept<'dead-letter.v1'>[]> {
  const found = new Map<string, Kept<'dead-letter.v1'>>();
  for await (const record of scanTopic(bus, 'dead-letter.v1')) {
    const { message } = readMessage(codec, 'dead-letter.v1', record.value);
    if (message === null || runOf(message) !== runId || found.has(message.eventId)) continue;
    found.set(message.eventId, keptAt(record, message));
  }
  return [...found.values()].sort((a, b) => a.timestamp - b.timestamp);
}

/** What could not be decoded may still tell its run by its key. */
function runOf({ runId, key }: DeadLetter): string {
  return runId !== '' ? runId : (parseLedgerKey(key?.toString('utf8') ?? '')?.runId ?? '');
}

async function trimmedTopics(bus: BusReader, partition: number): Promise<TopicName[]> {
  const trimmed: TopicName[] = [];
  for (const topic of RUN_TOPICS) {
    const { low } = await bus.bounds(topic, partition);
    if (topics[topic].cleanup === 'delete' && low > 0) trimmed.push(topic);
  }
  return trimmed;
}

function isUnknown({ records, ledger, deadLetters, audit }: RunData): boolean {
  const kept = RUN_TOPICS.some((topic) => records[topic].length > 0) || ledger.length > 0;
  return !kept && deadLetters.length === 0 && audit.invocations.length === 0 && audit.answers.length === 0;
}

/** Format of the snapshot file; it changes when a field is renamed or leaves. Fields may be added. */
export const SNAPSHOT_FORMAT = 1;

/** The sections of a snapshot that are topics, each a list of records in the order of their offsets. */
const SECTIONS: Readonly<Record<Exclude<RunTopic, 'postprocessed.v1'>, string>> = {
  'lookup-requested.v1': 'requests',
  'raw-hits.v1': 'raw_hits',
  'projected.v1': 'views',
  'draft-submitted.v1': 'drafts',
  'verdict.v1': 'verdicts',
  'reviewed.v1': 'reviewed',
  'repair-requested.v1': 'repairs',
  'review-decision.v1': 'decisions',
  'verified.v1': 'verified',
  'run-state.v1': 'run_state',
  'run-outcome.v1': 'run_outcome',
};

/**
 * The run whole, as JSON: `{format, made_by, run_id, partition, epoch, trimmed, requests[], raw_hits[],
 * lookup_results[], views[], ledger[], drafts[], verdicts[], reviewed[], repairs[], decisions[], verified[],
 * run_state[], run_outcome[], dead_letters[], audit: {invocations[], truncated}}`.
 *
 * A record is `{partition, offset, timestamp, value}` with the message as JSON; a lookup result has the message's
 * `lookup_result` text parsed, with its pack and its order. An entry is `{offset, timestamp, tool_call_id, state,
 * signature, problems, value}`. It holds no clock of its own: of a run that has ended, every snapshot is the same.
 */
export function snapshotJson(data: RunData): JsonObject {
  const { runId, partition, epoch, trimmed, records, audit } = data;
  const sections = Object.entries(SECTIONS).map(([topic, section]) => [
    section,
    records[topic as RunTopic].map((record) => recordJson(topic as RunTopic, record)),
  ]);
  return {
    format: SNAPSHOT_FORMAT,
    made_by: `proofline ${VERSION}`,
    run_id: runId,
    partition,
    epoch,
    trimmed,
    ...(Object.fromEntries(sections) as JsonObject),
    lookup_results: records['postprocessed.v1'].map(lookupResultJson),
    ledger: data.ledger.map(entryJson),
    dead_letters: data.deadLetters.map((record) => recordJson('dead-letter.v1', record)),
    audit: {
      invocations: audit.invocations.map((event) => JSON.parse(invocationToJson(event)) as unknown),
      truncated: audit.truncated,
    },
  };
}

function recordJson(
  topic: TopicName,
  { partition, offset, timestamp, message }: Kept<TopicName>,
): JsonObject {
  return { partition, offset, timestamp: instantToJson(timestamp), value: recordToJson(topic, message) };
}

/** A text that is no JSON (somebody else's bytes) stays a text. */
function lookupResultJson(record: Kept<'postprocessed.v1'>): JsonObject {
  const json = recordJson('postprocessed.v1', record);
  const { lookupResult } = record.message;
  const parsed = lookupResult === null ? null : (parseJson(lookupResult) ?? lookupResult);
  return { ...json, value: { ...(json['value'] as JsonObject), lookup_result: parsed } };
}

function entryJson(entry: RunData['ledger'][number]): JsonObject {
  const { offset, timestamp, toolCallId, state, signature, problems } = entry;
  const value = entry.entry === null ? null : recordToJson('ledger.v1', entry.entry);
  return {
    offset,
    timestamp: instantToJson(timestamp),
    tool_call_id: toolCallId,
    state,
    signature,
    problems,
    value,
  };
}
