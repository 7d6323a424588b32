import { hash } from 'node:crypto';
import type { BusReader } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import type { EntryState } from '../ledger/entry-state.js';
import { ledgerKey, parseLedgerKey, type ScanView, type ViewEntry } from '../ledger/ledger-view.js';
import type { Keyring } from '../ledger/keyring.js';
import type { LedgerState } from '../contracts/generated.js';
import {
  checkEntry,
  foldLedger,
  type EntryProblem,
  type SignatureState,
  type StandingEntry,
} from './ledger-entries.js';
import { scanPartition } from './scan.js';

/**
 * Verifying a whole ledger: every record of the topic is read again, its digest and signature checked, and the view
 * that the guard reads is held against what the topic says it must be.
 */

/** What can be wrong besides an entry itself. */
export type LedgerProblemCode =
  | EntryProblem
  /** A record would take back an entry that is terminal: only a foreign writer writes one. */
  | 'TAKEN_BACK'
  /** The view lacks an entry that lies before its position. */
  | 'NOT_IN_VIEW'
  /** The view has an entry that the topic has not. */
  | 'ONLY_IN_VIEW'
  /** The view's entry is another one than the topic's. */
  | 'VIEW_DIFFERS'
  /** The view is of other logs than these. */
  | 'VIEW_OF_OTHER_LOGS';

export interface LedgerProblem {
  readonly code: LedgerProblemCode;
  readonly partition: number;
  /** Null where the problem is not of one record. */
  readonly offset: number | null;
  readonly runId: string | null;
  readonly toolCallId: string | null;
}

export interface LedgerReport {
  /** Records of the topic: entries, tombstones, and others (barriers). */
  readonly entries: number;
  readonly tombstones: number;
  readonly others: number;
  readonly states: Readonly<Record<LedgerState | 'UNREADABLE', number>>;
  readonly signatures: Readonly<Record<SignatureState, number>>;
  /** Entries of the view that were compared, and records that the view had yet to apply. */
  readonly compared: number;
  readonly behind: number;
  /** Memory that an entry takes in the view, its share of all around it included; null where that is not known. */
  readonly bytesPerEntry: number | null;
  readonly problemCount: number;
  /** The first ones. */
  readonly problems: readonly LedgerProblem[];
}

/** Problems that a report lists. */
const LISTED = 1000;

export interface VerifyPorts {
  readonly bus: BusReader;
  readonly scan: ScanView;
  readonly codec: Codec;
  /** Null where there is no public key: signatures are counted as not checked. */
  readonly keyring: Keyring | null;
  readonly signal: AbortSignal;
  /** Told now and then how many entries were checked. */
  readonly onProgress?: (entries: number) => void;
}

const PROGRESS_ENTRIES = 500;

interface Tally extends LedgerReport {
  entries: number;
  tombstones: number;
  others: number;
  compared: number;
  behind: number;
  bytesPerEntry: number | null;
  problemCount: number;
  readonly states: Record<LedgerState | 'UNREADABLE', number>;
  readonly signatures: Record<SignatureState, number>;
  readonly problems: LedgerProblem[];
}

/** @throws the signal's reason when it aborts. */
export async function verifyLedger(ports: VerifyPorts): Promise<LedgerReport> {
  const tally: Tally = {
    entries: 0,
    tombstones: 0,
    others: 0,
    states: { PENDING: 0, READY: 0, FAILED: 0, UNREADABLE: 0 },
    signatures: { VALID: 0, INVALID: 0, ABSENT: 0, UNKNOWN_KEY: 0, NO_KEYS: 0 },
    compared: 0,
    behind: 0,
    bytesPerEntry: null,
    problemCount: 0,
    problems: [],
  };
  let bytes = 0;
  for (let partition = 0; partition < ports.bus.partitions; partition++)
    bytes += await verifyPartition(ports, partition, tally);
  if (bytes > 0 && tally.compared > 0) tally.bytesPerEntry = Math.round(bytes / tally.compared);
  return tally;
}

/**
 * First the view is read, then the topic, while the line may be running: lookups that have a record behind the position
 * that the view had at first are left out, since of those it may show either. Answers with the view's bytes.
 */
async function verifyPartition(ports: VerifyPorts, partition: number, tally: Tally): Promise<number> {
  const scan = await ports.scan(partition);
  if (scan === 'other-logs') note(tally, { ...NOWHERE, code: 'VIEW_OF_OTHER_LOGS', partition });
  const shown = scan === null || scan === 'other-logs' ? null : scan;
  const digests = shown === null ? null : await digestsOf(shown.entries, ports.signal);
  const topic = await readTopic(ports, partition, shown?.position ?? 0, tally);
  if (digests !== null) compareView(partition, digests, topic, tally);
  return shown?.bytes ?? 0;
}

interface Shown extends Lookup {
  /** SHA-256 of the bytes, hex. */
  readonly digest: string;
}

interface Lookup {
  readonly runId: string;
  readonly toolCallId: string;
}

/** By ledger key. */
async function digestsOf(
  entries: AsyncIterable<ViewEntry>,
  signal: AbortSignal,
): Promise<Map<string, Shown>> {
  const digests = new Map<string, Shown>();
  for await (const { runId, toolCallId, value } of entries) {
    signal.throwIfAborted();
    digests.set(ledgerKey(runId, toolCallId), { runId, toolCallId, digest: hash('sha256', value) });
  }
  return digests;
}

const NOWHERE = { offset: null, runId: null, toolCallId: null } as const;

function note(tally: Tally, problem: LedgerProblem): void {
  tally.problemCount += 1;
  if (tally.problems.length < LISTED) tally.problems.push(problem);
}

/** What the topic says of a view at a position, by ledger key. */
interface TopicAt {
  readonly entries: ReadonlyMap<string, StandingEntry<null>>;
  /** Of these lookups there are records at the position, or behind it. */
  readonly moving: ReadonlySet<string>;
}

/** Checks every record; answers with the entries that the view must have at its position. */
async function readTopic(
  { bus, codec, keyring, signal, onProgress }: VerifyPorts,
  partition: number,
  position: number,
  tally: Tally,
): Promise<TopicAt> {
  const fold = foldLedger(() => null);
  const moving = new Set<string>();
  let applied: TopicAt['entries'] | null = null;
  for await (const record of scanPartition(bus, 'ledger.v1', partition)) {
    signal.throwIfAborted();
    const { key, value, offset } = record;
    const ids = key === null ? null : parseLedgerKey(key.toString('utf8'));
    const problem = (code: LedgerProblemCode): void =>
      note(tally, { code, partition, offset, ...names(ids) });
    if (offset >= position) {
      applied ??= new Map(fold.entries);
      tally.behind += 1;
      if (ids !== null) moving.add(ledgerKey(ids.runId, ids.toolCallId));
    }
    let state: EntryState = 'UNREADABLE';
    if (ids === null) tally.others += 1;
    else if (value === null) tally.tombstones += 1;
    else {
      const checked = checkEntry(codec, keyring, { ...ids, value });
      state = checked.state;
      tally.entries += 1;
      if (tally.entries % PROGRESS_ENTRIES === 0) onProgress?.(tally.entries);
      tally.states[checked.state] += 1;
      tally.signatures[checked.signature] += 1;
      for (const code of checked.problems) problem(code);
    }
    if (!fold.take(record, state)) problem('TAKEN_BACK');
  }
  return { entries: applied ?? fold.entries, moving };
}

function names(ids: { runId: string; toolCallId: string } | null): {
  runId: string | null;
  toolCallId: string | null;
} {
  return ids ?? { runId: null, toolCallId: null };
}

function compareView(
  partition: number,
  shown: ReadonlyMap<string, Shown>,
  { entries, moving }: TopicAt,
  tally: Tally,
): void {
  for (const [name, { runId, toolCallId, digest }] of shown) {
    if (moving.has(name)) continue;
    const entry = entries.get(name);
    const where = { partition, offset: entry?.offset ?? null, runId, toolCallId };
    tally.compared += 1;
    if (entry === undefined) note(tally, { code: 'ONLY_IN_VIEW', ...where });
    else if (entry.digest !== digest) note(tally, { code: 'VIEW_DIFFERS', ...where });
  }
  for (const [name, { runId, toolCallId, offset }] of entries)
    if (!shown.has(name) && !moving.has(name))
      note(tally, { code: 'NOT_IN_VIEW', partition, offset, runId, toolCallId });
}
