import { sha256 } from '../src/contracts/digest.js';
import { ProoflineError } from '../src/contracts/errors.js';
import type { PersonDecision, ReviewDecision } from '../src/contracts/generated.js';
import { assertValidId, decisionEventId } from '../src/contracts/ids.js';
import { isBlank } from '../src/text/text.js';

/** What a person decides about a draft that is held. */
export interface DecisionHandIn {
  readonly runId: string;
  readonly draftId: string;
  /** The verdict that the person looked at. */
  readonly verdictEventId: string;
  readonly decision: PersonDecision;
  /** Who decides; it is published. At most 200 characters count. */
  readonly by: string;
  /** Why; it is published and, of a rejection, told to the model. At most 2,000 characters count. */
  readonly reason: string;
}

/**
 * The message of a decision. All decisions about a verdict have the same event id: the first counts.
 * @param now when it is decided, epoch milliseconds
 * @throws ProoflineError PL_ID_INVALID; PL_INPUT_INVALID where nobody is named, or no reason
 */
export function reviewDecision(decision: DecisionHandIn, now: number): ReviewDecision {
  const { runId, draftId, verdictEventId } = decision;
  assertValidId('run_id', runId);
  assertValidId('draft_id', draftId);
  const by = written('by', decision.by);
  const reason = written('reason', decision.reason);
  return {
    eventId: decisionEventId(sha256, decision),
    causedBy: null,
    runId,
    occurredAt: now,
    draftId,
    verdictEventId,
    decision: decision.decision,
    by,
    reason,
    ext: {},
  };
}

function written(field: 'by' | 'reason', text: string): string {
  if (isBlank(text)) throw new ProoflineError('PL_INPUT_INVALID', { problem: `${field} is blank` });
  return text.toWellFormed();
}
