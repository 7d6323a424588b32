import type { DraftHandIn } from '../../producers/drafts.js';
import type { Lookup } from '../../producers/lookups.js';
import type { ErrorCode } from '../contracts/errors.js';
import type { JsonObject } from '../contracts/json.js';
import type { DecisionRequest } from './decide-held.js';
import type { IndexOptions } from '../retrieval/local/index-folder.js';
import type { LeftOut } from '../retrieval/local/left-out.js';
import type { RunContext } from '../context/run-context.js';
import type { ContextHandIn } from './context-hand-in.js';
import type { UsageHandIn, UsageRecorded } from './record-usage.js';
import type { ReplayRequest, Replayed } from './replay.js';

/** What agents and operators ask of a line, wherever it runs. Answers are in their JSON form, everywhere the same. */
export interface DoorClient {
  /** True where another process runs the line. */
  readonly remote: boolean;
  /** @throws ProoflineError PL_ID_INVALID, PL_INPUT_INVALID, PL_INDEX_UNUSABLE, PL_TIMEOUT (the lookup goes on). */
  lookup(lookup: Lookup): Promise<LookupAnswer>;
  /** @throws ProoflineError PL_ID_INVALID, PL_INPUT_INVALID, PL_TIMEOUT (the draft is still judged). */
  submit(draft: DraftHandIn): Promise<DraftAnswer>;
  /** @throws ProoflineError PL_REVIEW_REFUSED, PL_ID_INVALID, PL_INPUT_INVALID, PL_TIMEOUT (it still counts). */
  decide(decision: DecisionRequest): Promise<DecisionAnswer>;
  /** @throws ProoflineError PL_NOT_FOUND, PL_REPLAY_REFUSED, PL_RECORD_TOO_LARGE. */
  replay(request: ReplayRequest): Promise<Replayed>;
  /**
   * Makes a context of the run and records it.
   * @throws ProoflineError PL_CONTEXT_REFUSED, PL_ID_INVALID, PL_INPUT_INVALID.
   */
  assemble(context: ContextHandIn): Promise<RunContext>;
  /** Fills in what a draft's generation used. @throws ProoflineError PL_ID_INVALID, PL_INPUT_INVALID. */
  recordUsage(usage: UsageHandIn): Promise<UsageRecorded>;
  /** Ends the line where it runs in this process. Idempotent. */
  close(): Promise<void>;
}

/** A line over a data folder, in this process or behind its socket. */
export interface LineClient extends DoorClient {
  /**
   * Makes the line's index say what the folder holds now.
   * @throws ProoflineError PL_INPUT_INVALID, PL_INDEX_UNUSABLE.
   */
  index(folder: string, options?: Pick<IndexOptions, 'onProgress' | 'signal'>): Promise<IndexAnswer>;
  health(): Promise<LineHealth>;
}

export interface LookupAnswer {
  /** The ProjectedEvidence. */
  readonly projected: JsonObject;
  /** What post-processing dropped, as the ledger has it: `{evidence_key, document_id, original_rank, reason}`. */
  readonly dropped: readonly JsonObject[];
}

export interface DraftAnswer {
  /** The GuardVerdict. */
  readonly verdict: JsonObject;
  /** The Reviewed. */
  readonly reviewed: JsonObject;
  /** The VerifiedDraft, when this draft ended the run. */
  readonly verified: JsonObject | null;
  /** The RepairRequested, when a better draft is asked for. */
  readonly repair: JsonObject | null;
}

/** What came of a person's decision. */
export interface DecisionAnswer {
  /** The Reviewed that names who decided. */
  readonly reviewed: JsonObject;
  /** The RepairRequested, when a better draft is asked for. */
  readonly repair: JsonObject | null;
  /** The VerifiedDraft, when it ended the run. */
  readonly verified: JsonObject | null;
  /** False where somebody else had decided first, which this is the answer to, or the draft was no longer held. */
  readonly counted: boolean;
}

/** What an indexing did, and what the index holds after it. Shares are 0..1 of the chunks. */
export interface IndexAnswer {
  readonly folder: string;
  readonly documents: number;
  readonly chunks: number;
  readonly indexed: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly left_out: LeftOut;
  readonly without_title: number;
  readonly without_section: number;
  readonly milliseconds: number;
}

/** How a running line is. Instants are RFC 3339. */
export interface LineHealth {
  readonly version: string;
  readonly pid: number;
  readonly folder: string;
  readonly started_at: string | number;
  readonly partitions: number;
  readonly epoch: string;
  readonly key_id: string;
  /** As SQLite answers: `wal`, and 2 for FULL. */
  readonly sqlite: { readonly journal_mode: string; readonly synchronous: number };
  readonly retrieval: { readonly kind: 'py-rag' | 'local'; readonly index: IndexHealth | null };
  /** Lanes that do not go on, and why. */
  readonly waiting: readonly WaitingLane[];
}

export interface IndexHealth {
  readonly documents: number;
  readonly chunks: number;
  readonly without_title: number;
  readonly without_section: number;
  readonly complete: boolean;
  readonly folder: string | null;
  readonly indexed_at: string | null;
}

export interface WaitingLane {
  readonly station: string;
  readonly partition: number;
  readonly code: ErrorCode;
  readonly problem: string;
  readonly since: string | number;
}
