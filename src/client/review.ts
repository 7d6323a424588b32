import type { RepairRequested, Reviewed, ReviewOutcome, VerifiedDraft } from '../contracts/generated.js';
import type { JsonObject } from '../contracts/json.js';
import { jsonOf, recordOf, unusable, type Received } from './records.js';
import { idInPath } from './run-options.js';
import type { Transport } from './transport.js';

/** What a person says of a draft that is held. */
export interface ReviewDecisionOptions {
  readonly decision: 'APPROVE' | 'REJECT';
  /** Who decides. */
  readonly by: string;
  readonly reason: string;
  /** The verdict that the person looked at; without it the one that is held, whichever it is. */
  readonly verdictEventId?: string;
  /** How long to wait for what comes of it, in milliseconds; 20 s by default. After it the decision still counts. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** What came of a decision. */
export type ReviewDecisionResult =
  | {
      readonly decision: ReviewOutcome;
      readonly reviewed: Received<Reviewed>;
      /** Set when it ended the run. */
      readonly verified: Received<VerifiedDraft> | null;
      /** Set when the draft is sent back. */
      readonly repair: Received<RepairRequested> | null;
      /** False where somebody else had decided first; this is what came of that. */
      readonly counted: boolean;
    }
  | { readonly decision: 'PENDING' };

export interface Review {
  /**
   * Decides about a draft that is held. The first decision about a verdict counts: where an answer is lost on its way,
   * the repeat may be refused with PL_REVIEW_REFUSED, because the draft is not held any more.
   * @throws ProoflineApiError; the reason of the signal when it aborts
   */
  decide(runId: string, draftId: string, options: ReviewDecisionOptions): Promise<ReviewDecisionResult>;
}

const WAIT_MS = 20_000;

export function createReview(transport: Transport): Review {
  return {
    async decide(runId, draftId, options) {
      const { decision, by, reason, verdictEventId, waitMs = WAIT_MS, signal } = options;
      const path = `/v1/runs/${idInPath('run_id', runId)}/drafts/${idInPath('draft_id', draftId)}/decisions`;
      const body = { decision, by, reason, verdict_event_id: verdictEventId };
      const answer = await transport.send({ method: 'POST', path, body, waitMs, signal });
      return answer.status === 202 ? { decision: 'PENDING' } : resultOf(jsonOf(answer.bytes));
    },
  };
}

const OUTCOMES: ReadonlySet<unknown> = new Set<ReviewOutcome>([
  'PUBLISH',
  'REPAIR',
  'HOLD',
  'FALLBACK',
  'STALE',
]);

function resultOf(json: JsonObject): ReviewDecisionResult {
  const { decision, verified = null, repair = null, counted } = json;
  if (!OUTCOMES.has(decision)) throw unusable('it decides what this client does not know');
  return {
    decision: decision as ReviewOutcome,
    reviewed: recordOf<Reviewed>(json, 'reviewed'),
    verified: verified === null ? null : recordOf<VerifiedDraft>(json, 'verified'),
    repair: repair === null ? null : recordOf<RepairRequested>(json, 'repair'),
    counted: counted !== false,
  };
}
