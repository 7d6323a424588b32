import type { ErrorCode, ErrorParams } from '../contracts/errors.js';
import type { ReviewDecision } from '../contracts/generated.js';
import { decisionEventId } from '../contracts/ids.js';
import { isBlank, type Sha256 } from '../text/text.js';

/** Refuses a decision whose id is not what it says, or that names nobody: what is published says who decided. */
export function admitDecision(
  decision: ReviewDecision,
  sha256: Sha256,
): { code: ErrorCode; params: ErrorParams } | null {
  const expected = decisionEventId(sha256, decision);
  if (decision.eventId !== expected)
    return { code: 'PL_EVENT_ID', params: { found: decision.eventId.slice(0, 64), expected } };
  return isBlank(decision.by)
    ? { code: 'PL_INVARIANT', params: { problem: 'the decision names nobody' } }
    : null;
}
