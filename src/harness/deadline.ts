import type { DraftSubmitted } from '../contracts/generated.js';
import { GIVEN_UP_DRAFT_ID } from '../contracts/ids.js';
import type { RunProgress } from './run-progress.js';
import { isOverBudget, type StopReason } from './stop.js';

/** What a deadline makes of a run. Pure. */

/** A draft that says that there is none, without its envelope. */
export type GivenUpDraft = Omit<DraftSubmitted, 'eventId' | 'causedBy' | 'runId' | 'occurredAt'>;

/**
 * When the run's deadline is to be looked at; null when nothing will come of it: the run has its outcome, was given up,
 * or waits for a person and asks no more.
 */
export function dueAt({ deadline, hasOutcome, givenUp, isHeld, stopRequired }: RunProgress): number | null {
  if (hasOutcome || givenUp !== null) return null;
  return isHeld && stopRequired !== null ? null : deadline;
}

/** The run once its deadline has passed: stopped, and given up unless a draft of it is held. */
export function atDeadline(progress: RunProgress): {
  readonly progress: RunProgress;
  readonly draft: GivenUpDraft | null;
} {
  const { deadline, isHeld, lastAttempt } = progress;
  if (deadline === null) return { progress, draft: null };
  const stopRequired = progress.stopRequired ?? {
    reason: 'DEADLINE' satisfies StopReason,
    since: deadline,
  };
  if (isHeld) return { progress: { ...progress, stopRequired }, draft: null };
  const attempt = Math.min(lastAttempt + 1, MAX_ATTEMPT);
  return {
    progress: { ...progress, stopRequired, givenUp: deadline, lastAttempt: attempt },
    draft: givenUpDraft(progress, attempt),
  };
}

/** The largest int: attempts are numbered by others. */
const MAX_ATTEMPT = 2 ** 31 - 1;

function givenUpDraft(progress: RunProgress, attempt: number): GivenUpDraft {
  const { deadline, maxLookups, maxTokens, maxAttempts } = progress;
  return {
    draftId: GIVEN_UP_DRAFT_ID,
    attempt,
    draftJson: null,
    givenUp: isOverBudget(progress) ? 'BUDGET' : 'DEADLINE',
    prompt: null,
    generation: null,
    limits: { deadline, maxLookups, maxTokens, maxAttempts },
    ext: {},
  };
}
