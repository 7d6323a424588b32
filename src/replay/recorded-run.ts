import type { ErrorCode } from '../contracts/errors.js';
import type {
  DraftSubmitted,
  GuardVerdict,
  ProjectedEvidence,
  RepairRequested,
  ReviewDecision,
  Reviewed,
  RunOutcome,
  ToolInvocation,
  VerifiedDraft,
} from '../contracts/generated.js';
import type { TopicName } from '../contracts/topics.js';
import type { CheckedEntry } from '../line/ledger-entries.js';

/** What is still known of a run, as much as replaying it takes. Of what the line's stations wrote, each event once. */
export interface RecordedRun {
  readonly runId: string;
  /** In the order in which they were given; those that only the audit has come first. */
  readonly verdicts: readonly GuardVerdict[];
  readonly drafts: readonly DraftSubmitted[];
  /** The ledger's entries that stand, and where each lies in its partition. */
  readonly entries: readonly RecordedEntry[];
  /** What agents were answered. */
  readonly answers: readonly ProjectedEvidence[];
  /** In the order in which review worked. */
  readonly reviewed: readonly Reviewed[];
  readonly decisions: readonly ReviewDecision[];
  readonly repairs: readonly RepairRequested[];
  readonly verified: readonly VerifiedDraft[];
  /** How far the run came, as review wrote it last; null where that is forgotten. */
  readonly outcome: RunOutcome | null;
  /** What the stations noted about it. */
  readonly notes: readonly ToolInvocation[];
  /** Topics whose first records are gone: what is not found there may have been. */
  readonly trimmed: ReadonlySet<TopicName>;
  /** False where there is more of notes and answers than was read. */
  readonly isAuditWhole: boolean;
}

export interface RecordedEntry extends CheckedEntry {
  readonly offset: number;
}

/** What could not be replayed because it is not kept any more: never a difference. */
export const EVIDENCE_GONE = 'PL_EVIDENCE_GONE' satisfies ErrorCode;
