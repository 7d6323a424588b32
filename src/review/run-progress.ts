import type { GuardVerdict, JudgedDraft, Limits, RunOutcome } from '../contracts/generated.js';
import type { Envelope } from '../station/station.js';

/** How far review is with a run: its own state, which outlives every lane. */
export type RunProgress = Omit<RunOutcome, Envelope>;

export const noProgress: RunProgress = {
  judged: [],
  lastAttempt: 0,
  attempts: 0,
  limits: null,
  outcome: null,
  outcomeEventId: null,
  held: null,
};

/** Most judged drafts that are remembered of a run. */
const REMEMBERED_DRAFTS = 1000;

/** A draft is judged once, by its first verdict, also where that came too late. */
export function withJudged(progress: RunProgress, verdict: GuardVerdict): RunProgress {
  const { draftId, draftSha256, eventId, attempt, limits } = verdict;
  const judged = { draftId, draftSha256, verdictEventId: eventId, attempt, decided: false };
  return {
    ...progress,
    judged: [...progress.judged, judged].slice(-REMEMBERED_DRAFTS),
    limits: progress.limits ?? limits,
  };
}

/** The draft is decided about by a person; no later decision changes that. */
export function withDecided(
  progress: RunProgress,
  { verdictEventId }: Pick<JudgedDraft, 'verdictEventId'>,
): RunProgress {
  const judged = progress.judged.map((each) =>
    each.verdictEventId === verdictEventId ? { ...each, decided: true } : each,
  );
  return { ...progress, judged };
}

/** How many drafts a run may hand in: what its first limits say, else what is configured. At least one. */
export function maxAttempts(limits: Limits | null, configured: number): number {
  return Math.max(1, limits?.maxAttempts ?? configured);
}

/** One more draft counts; never more than the run may hand in. */
export function countedAttempts({ attempts, limits }: RunProgress, configured: number): number {
  return Math.max(attempts, Math.min(attempts + 1, maxAttempts(limits, configured)));
}

/** How many more drafts would be judged. */
export function attemptsLeft({ attempts, limits }: RunProgress, configured: number): number {
  return Math.max(0, maxAttempts(limits, configured) - attempts);
}

/** Whether the run had to have its outcome by that instant of event time. */
export function isPastDeadline({ limits }: RunProgress, occurredAt: number): boolean {
  const deadline = limits?.deadline ?? null;
  return deadline !== null && occurredAt >= deadline;
}
