import type { ToolInvocation } from '../contracts/generated.js';

/**
 * The audit: what every station did, and what every run was answered, for people and for gateways. It is filled
 * from the topics, at least once, by one writer; any number of readers look into it meanwhile. After the ledger
 * has forgotten a run, the audit alone explains it.
 */

export type AnswerKind = 'LOOKUP' | 'VERDICT' | 'REVIEWED' | 'REPAIR' | 'OUTCOME';

/** One answer that the line gave. */
export interface Answer {
  readonly runId: string;
  readonly kind: AnswerKind;
  /** What was answered: request_event_id of a lookup, draft_id of a draft. */
  readonly id: string;
  readonly eventId: string;
  /** Epoch milliseconds. */
  readonly occurredAt: number;
  /** The record as it was on its topic, encoded. */
  readonly value: Buffer;
}

/** What is known of a run, in order. */
export interface Trail {
  /** By occurredAt, then measured.startedAt, then as they came in. */
  readonly invocations: readonly ToolInvocation[];
  /** By occurredAt, then as they came in. */
  readonly answers: readonly Answer[];
  /** True where there is more of either than was asked for; the first ones are given. */
  readonly truncated: boolean;
}

/** A run that has invocations. */
export interface RunSummary {
  readonly runId: string;
  /** occurredAt of its first and last invocation, epoch milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** How much one table holds. */
export interface TableStats {
  readonly rows: number;
  /** occurredAt of its oldest and newest row, epoch milliseconds; null where it is empty. */
  readonly oldestAt: number | null;
  readonly newestAt: number | null;
}

export interface AuditStats {
  readonly invocations: TableStats;
  readonly answers: TableStats;
  /** What the store takes on its disk, indexes and free space in it included. */
  readonly bytes: number;
}

/** How many invocations and answers of one run are read where nothing else is asked. */
export const TRAIL_LIMIT = 10_000;

/**
 * Reads the audit. An implementation MUST give what was acknowledged before the call, and MUST NOT wait for a
 * writer or make one wait. It MUST reject with PL_AUDIT_DOWN where the store does not answer, never with an empty
 * result. It MUST NOT look into `value`: decoding is the caller's job.
 */
export interface AuditReader {
  /** The first answer of that kind and id, null where there is none (yet). */
  answer(runId: string, kind: AnswerKind, id: string): Promise<Answer | null>;
  /** The first `limit` (from 0) invocations and answers of the run; both empty for a run that is not known. */
  trail(runId: string, limit?: number): Promise<Trail>;
  /** The runs with the latest invocations, latest first, then by runId in code point order. */
  recentRuns(limit: number): Promise<readonly RunSummary[]>;
  /** How much there is; MAY look at every row. */
  stats(): Promise<AuditStats>;
  /** How many rows `deleteBefore` would delete now. */
  countBefore(instantMs: number): Promise<number>;
  /** Frees what is held. A second call does nothing. */
  close(): Promise<void>;
}

export interface DeleteOptions {
  /** Told after each step how many rows were deleted so far. */
  readonly onProgress?: (deleted: number) => void;
  /** Ends it between two steps: rejects with the signal's reason, and what was deleted stays deleted. */
  readonly signal?: AbortSignal;
}

/**
 * Writes the audit too. What one call adds is one step: an implementation MUST keep all of it or nothing, and MUST
 * NOT resolve before it would survive the end of the process and of the machine. The caller repeats what was
 * rejected and, after a restart, what was kept, so a repeat MUST do nothing. It MUST keep any text: NUL and other
 * control characters as they are, a lone surrogate as U+FFFD. It rejects with PL_DISK_FULL or PL_AUDIT_DOWN, both
 * of which pass; waiting and trying again is the caller's job.
 */
export interface AuditStore extends AuditReader {
  /** Adds what is not there yet; of two with one eventId the first stays. */
  appendInvocations(events: readonly ToolInvocation[]): Promise<void>;
  /** Adds what is not there yet; of two with one (runId, kind, id) the first stays. */
  keepAnswers(answers: readonly Answer[]): Promise<void>;
  /**
   * Retention: deletes what occurred before the instant (epoch milliseconds); how many rows that were. It MAY do so
   * in several steps, and MUST let others be written in between.
   */
  deleteBefore(instantMs: number, options?: DeleteOptions): Promise<number>;
}
