import type { Block, Cut, Dropped, ReadState, SignatureCheck } from '../contracts/generated.js';
import type { Sha256 } from '../text/text.js';
import type { GuardLimits } from './limits.js';
import type { ViewReader } from './view-cache.js';

/** A ledger entry as the guard is handed it: read, and its signature checked, by somebody else. */
export interface EvidenceEntry {
  readonly runId: string;
  readonly toolCallId: string;
  /** UNREADABLE: there is an entry under this key, but it could not be decoded. */
  readonly state: ReadState;
  /** The text that the model was shown; null unless READY. */
  readonly agentView: string | null;
  /** The digest that the entry states; it is checked here. */
  readonly agentViewSha256: string | null;
  /** The blocks behind the view, untruncated. */
  readonly blocks: readonly Block[];
  readonly dropped: readonly Dropped[];
  readonly cuts: readonly Cut[];
  readonly noEvidenceBasis: string | null;
  /** Epoch milliseconds; null never expires. */
  readonly expiresAt: number | null;
  readonly signature: SignatureCheck;
  /** Ledger partition that it was read from. */
  readonly partition: number;
  /** Position of the view at the read; null where there is none. */
  readonly offset: number | null;
}

/** Everything that a verdict depends on. */
export interface GuardInput {
  readonly runId: string;
  /** The draft's text, as the model wrote it. */
  readonly draftJson: string;
  /** When it was submitted, epoch milliseconds. */
  readonly submittedAt: number;
  /**
   * The run's entries: those that the draft cites and the rest, which tell what else was shown. Entries of
   * other runs only where somebody has them at hand. At most one of each run and call; in any order.
   */
  readonly entries: readonly EvidenceEntry[];
  /** Cited calls that the run does not have, with a run that has them, from the index of call ids. */
  readonly foreignCalls?: ReadonlyMap<string, string>;
  /** Where the ledger was read, for the calls that were not found there. */
  readonly readAt: { readonly partition: number; readonly offset: number | null };
  /**
   * True where a person tries the rules on a bundle: entries may lack a digest or signature, and the result
   * says so. On the line such an entry is broken.
   */
  readonly allowUnsigned?: boolean;
}

export interface GuardTools {
  readonly sha256: Sha256;
  readonly limits: GuardLimits;
  readonly views: ViewReader;
  /** Rule sets besides `core-20` that are not applied; all are without it. */
  readonly leaveOut?: ReadonlySet<string>;
}
