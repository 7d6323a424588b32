import { expect } from 'vitest';
import type { Applied, LedgerRecord, LedgerView, ScanView, ViewEntry } from '../../src/ledger/ledger-view.js';
import { encodedEntry } from '../support/ledger-entries.js';

/** A view of its own, that has applied nothing: partitions 0 and 1 are open and at position 0. */
export interface LedgerViewUnderTest {
  readonly view: LedgerView;
  /** Of the same view, as whoever verifies it opens it. */
  readonly scan: ScanView;
  /** Closes it and opens the same one again. */
  readonly reopen: () => Promise<LedgerView>;
  readonly dispose: () => Promise<void>;
}

export type MakeLedgerView = () => Promise<LedgerViewUnderTest>;

/** How a test gets at its view: a new one for each test. */
export type Subject = () => LedgerViewUnderTest;

/** Applies the records, which begin at `from` and follow each other. */
export function apply(
  view: LedgerView,
  from: number,
  records: readonly LedgerRecord[],
  partition = 0,
): Promise<Applied> {
  return view.apply({ partition, from, to: from + records.length, records });
}

export async function entriesOf(
  view: LedgerView,
  runId: string,
  toolCallIds: readonly string[],
  others = 0,
  partition = 0,
): Promise<readonly ViewEntry[]> {
  const read = await view.read(partition, [{ runId, toolCallIds, others }]);
  return read!.entries;
}

export const PENDING = encodedEntry({ state: 'PENDING', agentView: null });
export const READY = encodedEntry({ state: 'READY' });
export const OTHER_READY = encodedEntry({ state: 'READY', agentView: '{"evidence":["forged"]}' });
export const FAILED = encodedEntry({ state: 'FAILED', agentView: null });

export async function valueOf(
  view: LedgerView,
  runId: string,
  toolCallId: string,
): Promise<Buffer | undefined> {
  const [entry, ...more] = await entriesOf(view, runId, [toolCallId]);
  expect(more).toEqual([]);
  return entry?.value;
}
