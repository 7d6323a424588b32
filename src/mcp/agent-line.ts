import type { PromptRef } from '../contracts/generated.js';
import type { JsonObject } from '../contracts/json.js';

/** What the tools need of a line, wherever it runs. */
export interface AgentLine {
  /**
   * Asks. Asking the same again under the same ids MUST give the same answer again. Rejects with a ProoflineError,
   * PL_TIMEOUT where there is no answer in time (the lookup goes on).
   */
  lookup(lookup: AskedLookup, waiting: Waiting): Promise<LookupReply>;
  /** Hands a draft in, and waits for what becomes of it. As `lookup`: the same again is the same draft. */
  submit(draft: HandedDraft, waiting: Waiting): Promise<DraftReply>;
  /** What became of a draft; null where none was handed in under this id. */
  draft(draft: DraftName, waiting: Waiting): Promise<DraftReply | null>;
  close(): Promise<void>;
}

export interface AskedLookup {
  readonly runId: string;
  readonly toolCallId: string;
  readonly query: string;
}

export interface DraftName {
  readonly runId: string;
  readonly draftId: string;
}

export interface HandedDraft extends DraftName {
  /** The model's text. */
  readonly draftJson: string;
  /** Number of the draft in the run, from 1. */
  readonly attempt: number;
  readonly prompt: PromptRef;
}

/** How long somebody waits: at most so many milliseconds, and no longer than the signal lets him. */
export interface Waiting {
  readonly ms: number;
  readonly signal: AbortSignal;
}

export type LookupReply = ReadyLookup | Refusal | Pending;
export type DraftReply = JudgedDraft | Refusal | Pending;

export interface ReadyLookup {
  readonly state: 'READY';
  /** The agent view's text, to the byte. */
  readonly agentView: string;
  readonly agentViewSha256: string | null;
  /** NEW, UNCHANGED or NONE; null of a repeat. */
  readonly gain: string | null;
  readonly repeat: boolean;
  /** RFC 3339. */
  readonly expiresAt: string | null;
}

export interface JudgedDraft {
  readonly state: 'JUDGED';
  readonly answer: DraftAnswer;
}

/** The records about a judged draft in their JSON form. */
export interface DraftAnswer {
  /** The GuardVerdict. */
  readonly verdict: JsonObject;
  /** The Reviewed. */
  readonly reviewed: JsonObject;
  /** The RepairRequested, when a better draft is asked for. */
  readonly repair: JsonObject | null;
}

/** The line says no, for good or for now. */
export interface Refusal {
  readonly state: 'REFUSED';
  readonly failure: Failure;
}

/** There is no answer yet; the work goes on. */
export interface Pending {
  readonly state: 'PENDING';
}

export interface Failure {
  /** `PL_…` */
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}
