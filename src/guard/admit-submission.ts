import type { ErrorCode, ErrorParams } from '../contracts/errors.js';
import type { DraftSubmitted } from '../contracts/generated.js';
import type { Sha256 } from '../text/text.js';
import { deadlineEventId, draftEventId, GIVEN_UP_DRAFT_ID } from '../contracts/ids.js';

/** Refuses a record whose id is not what it says, or that hands in both a draft and its absence. */
export function admitSubmission(
  value: DraftSubmitted,
  sha256: Sha256,
): { code: ErrorCode; params: ErrorParams } | null {
  const { runId, draftId, attempt, draftJson, givenUp, occurredAt } = value;
  const byHarness = givenUp === 'DEADLINE' || givenUp === 'BUDGET';
  const expected = byHarness
    ? deadlineEventId(sha256, {
        station: 'harness',
        runId,
        deadline: occurredAt,
        topic: 'draft-submitted.v1',
        ordinal: 0,
      })
    : draftEventId(sha256, value);
  if (value.eventId !== expected) {
    return { code: 'PL_EVENT_ID', params: { found: value.eventId.slice(0, 64), expected } };
  }
  if ((draftJson === null) === (givenUp === null))
    return broken('exactly one of draft_json and given_up is set');
  if (attempt < 1) return broken(`attempt is ${attempt}`);
  if ((draftId === GIVEN_UP_DRAFT_ID) !== byHarness)
    return broken(`draft_id ${draftId} is for runs given up by the harness`);
  return null;
}

function broken(problem: string): { code: ErrorCode; params: ErrorParams } {
  return { code: 'PL_INVARIANT', params: { problem } };
}
