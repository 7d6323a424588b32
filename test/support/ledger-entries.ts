import { createCodec } from '../../src/contracts/codec.js';
import type { LedgerEntry } from '../../src/contracts/generated.js';
import { ledgerKey, type LedgerRecord } from '../../src/ledger/ledger-view.js';

const codec = createCodec();

/** An entry as a station writes it; its signature is none. */
export function ledgerEntry(more: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    eventId: 'e'.repeat(32),
    causedBy: null,
    runId: 'run-1',
    occurredAt: 1_700_000_000_000,
    toolCallId: 'call-1',
    toolName: 'lookup_knowledge',
    state: 'READY',
    requestEventId: 'f'.repeat(32),
    requestSha256: 'a'.repeat(64),
    requestOffset: 7,
    agentView: '{"evidence":[]}',
    agentViewSha256: 'b'.repeat(64),
    blocks: [],
    dropped: [],
    cuts: [],
    noEvidenceBasis: null,
    failure: null,
    expiresAt: 1_700_086_400_000,
    signature: { keyId: 'k'.repeat(16), value: 'c2ln' },
    ext: {},
    ...more,
  };
}

export function encodedEntry(more: Partial<LedgerEntry> = {}): Buffer {
  return codec.encode('ledger.v1', ledgerEntry(more));
}

/** Bytes of the right schema that are no entry. */
export const UNREADABLE = Buffer.from([0, 0x7f, 0, 0, 5, 0xff, 0xff]);

/** Bytes of a schema that nobody knows. */
export const OF_UNKNOWN_SCHEMA = Buffer.from([0, 0, 0, 0, 9, 1]);

/** A ledger record under the key of a run and a call; null is a tombstone. */
export function ledgerRecord(
  offset: number,
  runId: string,
  toolCallId: string,
  value: Buffer | null = encodedEntry({ runId, toolCallId }),
): LedgerRecord {
  return { offset, key: Buffer.from(ledgerKey(runId, toolCallId)), value };
}
