import type {
  DraftSubmitted,
  LookupRequested,
  ProjectedEvidence,
  RunOutcome,
  RunState,
} from '../contracts/generated.js';
import { LATEST_DEADLINE, MAX_COUNTED_EVENTS, MAX_GAIN_HISTORY, type RunLimits } from './limits.js';
import { stopped } from './stop.js';

/**
 * What a run has spent, event by event. The four inputs come in any interleaving, and what came before may come again:
 * each event counts once, and no count goes back. What changes nothing answers with the very same object. Pure.
 */

export type RunProgress = Omit<RunState, 'eventId' | 'causedBy' | 'runId' | 'occurredAt'>;

export const noProgress: RunProgress = {
  lookups: 0,
  tokens: 0,
  deadline: null,
  maxLookups: null,
  maxTokens: null,
  maxAttempts: null,
  shownDigests: [],
  gainHistory: [],
  lastAttempt: 0,
  countedEventIds: [],
  hasOutcome: false,
  isHeld: false,
  givenUp: null,
  stopRequired: null,
};

/** The first lookup of a run sets its limits, whatever later ones say. */
export function afterLookup(
  progress: RunProgress,
  { occurredAt, limits: asked }: Pick<LookupRequested, 'occurredAt' | 'limits'>,
  limits: RunLimits,
): RunProgress {
  if (progress.deadline !== null) return progress;
  const deadline = asked?.deadline ?? occurredAt + limits.deadlineMs;
  const begun = {
    ...progress,
    deadline: Math.min(Math.max(0, deadline), LATEST_DEADLINE),
    maxLookups: asked?.maxLookups ?? limits.maxLookups,
    maxTokens: asked?.maxTokens ?? limits.maxTokens,
    maxAttempts: asked?.maxAttempts ?? null,
  };
  return stopped(begun, limits, occurredAt);
}

/** A lookup that was answered, or that failed. One that is answered again was counted, and one that is refused is none. */
export function afterAnswer(
  progress: RunProgress,
  answer: Pick<ProjectedEvidence, 'eventId' | 'occurredAt' | 'state' | 'repeat' | 'agentView' | 'gain'>,
  limits: RunLimits,
  countTokens: (text: string) => number,
): RunProgress {
  const { eventId, occurredAt, state, repeat, agentView, gain } = answer;
  if (repeat || state === 'REFUSED' || isCounted(progress, eventId)) return progress;
  const answered = {
    ...counted(progress, eventId),
    lookups: progress.lookups + 1,
    tokens: sum(progress.tokens, agentView === null ? 0 : countTokens(agentView)),
    gainHistory:
      gain === null ? progress.gainHistory : [...progress.gainHistory, gain].slice(-MAX_GAIN_HISTORY),
  };
  return stopped(answered, limits, occurredAt);
}

/** A draft that was handed in. That the harness gave the run up is known already. */
export function afterDraft(
  progress: RunProgress,
  { eventId, occurredAt, attempt, givenUp, generation }: DraftSubmitted,
  limits: RunLimits,
): RunProgress {
  const byHarness = givenUp === 'DEADLINE' || givenUp === 'BUDGET';
  if (byHarness || isCounted(progress, eventId)) return progress;
  const handedIn = {
    ...counted(progress, eventId),
    tokens: sum(progress.tokens, tokensOf(generation)),
    lastAttempt: Math.max(progress.lastAttempt, attempt),
  };
  return stopped(handedIn, limits, occurredAt);
}

/** What review knows of the run. An outcome stays one. */
export function afterOutcome(
  progress: RunProgress,
  { outcome, held, lastAttempt }: Pick<RunOutcome, 'outcome' | 'held' | 'lastAttempt'>,
): RunProgress {
  const known = {
    hasOutcome: progress.hasOutcome || outcome !== null,
    isHeld: held !== null,
    lastAttempt: Math.max(progress.lastAttempt, lastAttempt),
  };
  const isSame =
    known.hasOutcome === progress.hasOutcome &&
    known.isHeld === progress.isHeld &&
    known.lastAttempt === progress.lastAttempt;
  return isSame ? progress : { ...progress, ...known };
}

function isCounted({ countedEventIds }: RunProgress, eventId: string): boolean {
  return countedEventIds.includes(eventId);
}

function counted(progress: RunProgress, eventId: string): RunProgress {
  return { ...progress, countedEventIds: [...progress.countedEventIds, eventId].slice(-MAX_COUNTED_EVENTS) };
}

/** The total as the caller tells it, else what it tells of the two sides. */
function tokensOf(generation: DraftSubmitted['generation']): number {
  if (generation === null) return 0;
  const { totalTokens, inputTokens, outputTokens } = generation;
  return totalTokens ?? sum(inputTokens ?? 0, outputTokens ?? 0);
}

/** Counts come from others: none takes anything back. */
function sum(count: number, more: number): number {
  return Math.min(count + Math.max(0, more), Number.MAX_SAFE_INTEGER);
}
