import { sha256 } from '../src/contracts/digest.js';
import type { DraftSubmitted, Generation, Limits, PromptRef } from '../src/contracts/generated.js';
import { assertValidId, draftEventId } from '../src/contracts/ids.js';

/** A report that an agent hands in. */
export interface DraftHandIn {
  readonly runId: string;
  readonly draftId: string;
  /** The model's text, as it wrote it; null when the agent gives the run up. */
  readonly draftJson: string | null;
  /** Number of the draft in the run, from 1 (default). */
  readonly attempt?: number;
  readonly prompt?: PromptRef | null;
  readonly generation?: Generation | null;
  /** The run's limits, repeated. */
  readonly limits?: Limits | null;
}

/**
 * The message of a draft. Handing the same text in again makes the same event id.
 * @param now when it is handed in, epoch milliseconds
 * @throws ProoflineError PL_ID_INVALID
 */
export function draftSubmitted(draft: DraftHandIn, now: number): DraftSubmitted {
  const { runId, draftId } = draft;
  assertValidId('run_id', runId);
  assertValidId('draft_id', draftId);
  const draftJson = draft.draftJson?.toWellFormed() ?? null;
  return {
    eventId: draftEventId(sha256, { runId, draftId, draftJson }),
    causedBy: null,
    runId,
    occurredAt: now,
    draftId,
    attempt: draft.attempt ?? 1,
    draftJson,
    givenUp: draftJson === null ? 'AGENT' : null,
    prompt: draft.prompt ?? null,
    generation: draft.generation ?? null,
    limits: draft.limits ?? null,
    ext: {},
  };
}
