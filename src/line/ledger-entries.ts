import { hash } from 'node:crypto';
import type { BusReader, StoredRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { sha256 } from '../contracts/digest.js';
import { isProoflineError } from '../contracts/errors.js';
import type { LedgerEntry } from '../contracts/generated.js';
import { partitionOf } from '../contracts/partition.js';
import { parseAgentView } from '../evidence/parse-agent-view.js';
import { mayReplace, type EntryState } from '../ledger/entry-state.js';
import type { Keyring } from '../ledger/keyring.js';
import { ledgerKey, parseLedgerKey } from '../ledger/ledger-view.js';
import { verifyEntry } from '../ledger/signing.js';
import { readMessage, scanPartition } from './scan.js';

/** Ledger entries as an auditor reads them: from the topic, which is the truth, and each one checked. */

/** What is wrong with an entry. */
export type EntryProblem =
  | 'UNREADABLE'
  | 'SCHEMA_UNKNOWN'
  | 'OTHER_KEY'
  | 'DIGEST_WRONG'
  | 'SIGNATURE_INVALID'
  | 'SIGNATURE_ABSENT'
  | 'SIGNING_KEY_UNKNOWN'
  | 'AGENT_VIEW_MALFORMED';

/** What an entry's signature came to; NO_KEYS where there is no public key to check it with. */
export type SignatureState = 'VALID' | 'INVALID' | 'ABSENT' | 'UNKNOWN_KEY' | 'NO_KEYS';

export interface CheckedEntry {
  readonly runId: string;
  readonly toolCallId: string;
  /** Null where the bytes are no entry. */
  readonly entry: LedgerEntry | null;
  readonly state: EntryState;
  readonly signature: SignatureState;
  readonly problems: readonly EntryProblem[];
}

/** Where an entry lies in ledger.v1. */
export interface EntryRecord {
  readonly runId: string;
  readonly toolCallId: string;
  readonly value: Buffer;
  readonly offset: number;
  readonly timestamp: number;
}

/** Reads an entry and checks all that its writer vouched for. Without a keyring signatures stay unchecked. */
export function checkEntry(
  codec: Codec,
  keyring: Keyring | null,
  { runId, toolCallId, value }: Pick<EntryRecord, 'runId' | 'toolCallId' | 'value'>,
): CheckedEntry {
  const { message: entry, error } = readMessage(codec, 'ledger.v1', value);
  if (entry === null) {
    const problem = isProoflineError(error, 'PL_SCHEMA_UNKNOWN') ? 'SCHEMA_UNKNOWN' : 'UNREADABLE';
    const unread = { entry: null, state: 'UNREADABLE', signature: 'ABSENT' } as const;
    return { runId, toolCallId, ...unread, problems: [problem] };
  }
  const signature = signatureOf(entry, keyring);
  const problems = [
    ...(entry.runId === runId && entry.toolCallId === toolCallId ? [] : (['OTHER_KEY'] as const)),
    ...viewProblems(entry),
    ...signatureProblems(signature),
  ];
  return { runId, toolCallId, entry, state: entry.state, signature, problems };
}

function signatureOf(entry: LedgerEntry, keyring: Keyring | null): SignatureState {
  if (keyring === null) return 'NO_KEYS';
  const verification = verifyEntry(entry, keyring);
  return typeof verification === 'string' ? verification : 'UNKNOWN_KEY';
}

function signatureProblems(signature: SignatureState): readonly EntryProblem[] {
  switch (signature) {
    case 'INVALID':
      return ['SIGNATURE_INVALID'];
    case 'ABSENT':
      return ['SIGNATURE_ABSENT'];
    case 'UNKNOWN_KEY':
      return ['SIGNING_KEY_UNKNOWN'];
    case 'VALID':
    case 'NO_KEYS':
      return [];
  }
}

function viewProblems({ agentView, agentViewSha256, toolCallId, state }: LedgerEntry): EntryProblem[] {
  if (agentView === null) return agentViewSha256 === null && state !== 'READY' ? [] : ['DIGEST_WRONG'];
  const problems: EntryProblem[] = sha256(agentView) === agentViewSha256 ? [] : ['DIGEST_WRONG'];
  if ('problem' in parseAgentView(agentView, toolCallId)) problems.push('AGENT_VIEW_MALFORMED');
  return problems;
}

/** An entry that stands, and what was kept of its bytes. */
export interface StandingEntry<K> extends Omit<EntryRecord, 'value'> {
  readonly state: EntryState;
  /** SHA-256 of the bytes, hex. */
  readonly digest: string;
  readonly kept: K;
}

/** The entries of a ledger partition while it is read: of each lookup the one that stands. */
export interface Fold<K> {
  /**
   * Takes a record in, whose entry has this state; false where it would have taken back an entry that is terminal.
   * The state of a tombstone does not matter.
   */
  take(record: Pick<StoredRecord, 'key' | 'value' | 'offset' | 'timestamp'>, state: EntryState): boolean;
  /** By ledger key. */
  readonly entries: ReadonlyMap<string, StandingEntry<K>>;
}

/**
 * The first terminal entry of a lookup stands, until a tombstone takes it away: as the view has it.
 * @param keep what to keep of an entry's bytes; a whole ledger is larger than memory
 */
export function foldLedger<K>(keep: (value: Buffer) => K): Fold<K> {
  const entries = new Map<string, StandingEntry<K>>();
  return {
    entries,
    take({ key, value, offset, timestamp }, state) {
      const ids = key === null ? null : parseLedgerKey(key.toString('utf8'));
      if (ids === null) return true;
      const name = ledgerKey(ids.runId, ids.toolCallId);
      if (value === null) return entries.delete(name) || true;
      const digest = hash('sha256', value);
      const before = entries.get(name);
      if (!mayReplace(before?.state, state)) return before?.state === 'PENDING' || before?.digest === digest;
      entries.set(name, { ...ids, offset, timestamp, state, digest, kept: keep(value) });
      return true;
    },
  };
}

/** The entries that stand for the run, in the order in which they were written. */
export async function readRunEntries(bus: BusReader, codec: Codec, runId: string): Promise<EntryRecord[]> {
  const fold = foldLedger((value) => value);
  const prefix = Buffer.from(ledgerKey(runId, ''), 'utf8');
  for await (const record of scanPartition(bus, 'ledger.v1', partitionOf(runId, bus.partitions)))
    if (record.key?.subarray(0, prefix.length).equals(prefix) === true)
      fold.take(record, readMessage(codec, 'ledger.v1', record.value).message?.state ?? 'UNREADABLE');
  return [...fold.entries.values()]
    .map(({ kept, ...entry }) => ({ ...entry, value: kept }))
    .sort((a, b) => a.offset - b.offset);
}
