/**
 * The ledger view: the newest entry of every lookup, read from the compacted ledger topic, and how far it has
 * read. The topic is the truth; a view can be thrown away and read again at any time.
 */

/** An entry as it lies in the topic; its bytes are not decoded here. */
export interface ViewEntry {
  readonly runId: string;
  readonly toolCallId: string;
  readonly value: Buffer;
}

/** What is wanted of one run. */
export interface ViewQuery {
  readonly runId: string;
  readonly toolCallIds: readonly string[];
  /** How many of the run's other entries to give as well, in the order of their call ids. */
  readonly others: number;
}

/** Entries and position of one atomic read. */
export interface ViewRead {
  /** The smallest offset of the ledger partition that is not applied yet. */
  readonly position: number;
  readonly entries: readonly ViewEntry[];
}

export interface LedgerRecord {
  readonly offset: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** Records of one ledger partition that lie from offset `from` up to, but not including, `to`. */
export interface LedgerBatch {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly records: readonly LedgerRecord[];
}

export type Applied =
  | { readonly kind: 'applied'; readonly takenBack: number }
  | { readonly kind: 'gap'; readonly position: number }
  | { readonly kind: 'lost' };

export interface LedgerView {
  /** How far the partition is read; null when the view has nothing that may be believed. */
  position(partition: number): Promise<number | null>;
  /**
   * Begins to write the partition: `apply` goes on with what is there now, and never with what takes its place later.
   * Null when there is nothing that may be believed: then it is to be rebuilt.
   */
  open(partition: number): Promise<OpenedPartition | null>;
  /**
   * Applies the records and moves the position to `to`, in one atomic write. Records below the position are
   * skipped. MUST NOT let a terminal entry be replaced: the first stands, and `takenBack` counts the attempt.
   * A `from` beyond the position is answered with `gap` and changes nothing: read again from `position`. With
   * `lost` as well: what was opened, or was built here, is gone.
   */
  apply(batch: LedgerBatch): Promise<Applied>;
  /**
   * Begins the partition anew, at offset 0; what another rebuild began is thrown away. Until it is finished nothing of
   * the partition is served: `position` and `read` answer null.
   */
  rebuild(partition: number, source: string): Promise<LedgerRebuild>;
  /** One atomic read of a partition; null when it has no position. */
  read(partition: number, queries: readonly ViewQuery[]): Promise<ViewRead | null>;
  /** A run, other than `exceptRunId`, that has this call id. It may lag behind the entries. */
  foreignRun(toolCallId: string, exceptRunId: string): Promise<string | null>;
  /** Entries of the partition that expired before the instant (epoch milliseconds), at most `limit`. */
  expiredBefore(
    partition: number,
    instant: number,
    limit: number,
  ): Promise<readonly Omit<ViewEntry, 'value'>[]>;
  /** True once the position is greater than `offset`; false when that takes longer than `timeoutMs`. */
  whenPast(partition: number, offset: number, timeoutMs: number): Promise<boolean>;
}

/** What a writer finds. */
export interface OpenedPartition {
  readonly position: number;
  /**
   * What its rebuild was given, with which the ledger-view station marks the log that it read. Null where view and log
   * lie in one store and cannot part.
   */
  readonly source: string | null;
}

/** A partition that is being read again. */
export interface LedgerRebuild {
  /** As `open` tells it once it is finished. */
  readonly source: string | null;
  /** As that of the view. */
  apply(batch: LedgerBatch): Promise<Applied>;
  /** Puts it in its place: from now on it is served. False when it is gone. */
  finish(): Promise<boolean>;
}

/** A whole partition of a view, for whoever holds it against the topic. */
export interface ViewScan {
  /** How far the view was when the scan began: what it holds of later records may be shown or not. */
  readonly position: number;
  /** Every entry, some of them perhaps twice. @throws ProoflineError PL_LEDGER_BEHIND when the view is replaced meanwhile. */
  readonly entries: AsyncIterable<ViewEntry>;
  /** Bytes of memory that the partition takes, about; null where that is not known. */
  readonly bytes: number | null;
}

/** Reads whole partitions of a view: `other-logs` where it is of other logs, null where there is none. */
export type ScanView = (partition: number) => Promise<ViewScan | 'other-logs' | null>;

const SEPARATOR = '/';

/** Key of a lookup's entry in the ledger topic. Ids hold no slash. */
export function ledgerKey(runId: string, toolCallId: string): string {
  return `${runId}${SEPARATOR}${toolCallId}`;
}

/** The run and the call behind a key; null for a barrier or a key that is no entry's. */
export function parseLedgerKey(key: string): { runId: string; toolCallId: string } | null {
  const at = key.indexOf(SEPARATOR);
  return at <= 0 ? null : { runId: key.slice(0, at), toolCallId: key.slice(at + 1) };
}
