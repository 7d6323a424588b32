import type {
  GuardVerdict,
  RepairRequested,
  Reviewed,
  ReviewDecision,
  RunOutcome,
  VerifiedDraft,
} from '../../src/contracts/generated.js';
import { isOurFault } from '../../src/review/appraise.js';
import { defaultReviewPolicy } from '../../src/review/decide-review.js';
import type { Counts } from './kafka-line-check.js';
import { groupBy, type PartitionContents } from './kafka-line-topics.js';

/** What the topics hold of one run's review. */
interface Story {
  readonly reviewed: readonly Reviewed[];
  readonly repairs: readonly RepairRequested[];
  readonly verified: readonly VerifiedDraft[];
  /** By event id. */
  readonly verdicts: ReadonlyMap<string, readonly GuardVerdict[]>;
  readonly decisions: ReadonlyMap<string, readonly ReviewDecision[]>;
  /** What review knows of the run in the end. */
  readonly state: RunOutcome | undefined;
}

/**
 * What follows from verdicts and from people's decisions: each REPAIR has one repair request, which follows from the
 * same event and says how many attempts are left; each PUBLISH and FALLBACK has one outcome; outcomes are a chain; and
 * what review knows in the end is what it has said.
 */
export function reviewProblems(contents: PartitionContents, counts: Counts): string[] {
  const reviewed = groupBy(contents, 'reviewed.v1', ({ runId }) => runId);
  const repairs = groupBy(contents, 'repair-requested.v1', ({ runId }) => runId);
  const verified = groupBy(contents, 'verified.v1', ({ runId }) => runId);
  const states = groupBy(contents, 'run-outcome.v1', ({ runId }) => runId);
  const verdicts = groupBy(contents, 'verdict.v1', ({ eventId }) => eventId);
  const decisions = groupBy(contents, 'review-decision.v1', ({ eventId }) => eventId);
  const runIds = new Set([...reviewed, ...repairs, ...verified, ...states].map(([runId]) => runId));
  const problems: string[] = [];
  for (const runId of runIds) {
    const story: Story = {
      reviewed: reviewed.get(runId) ?? [],
      repairs: repairs.get(runId) ?? [],
      verified: verified.get(runId) ?? [],
      verdicts,
      decisions,
      state: states.get(runId)?.at(-1),
    };
    counts.repairs += story.repairs.length;
    counts.held += story.reviewed.filter(({ decision }) => decision === 'HOLD').length;
    counts.decided += story.reviewed.filter(({ person }) => person !== null).length;
    counts.replaced += story.verified.filter(({ replaces }) => replaces !== null).length;
    const found = [
      ...causeProblems(story),
      ...repairProblems(story),
      ...outcomeProblems(story),
      ...stateProblems(story),
    ];
    problems.push(...found.map((problem) => `${runId}: ${problem}`));
  }
  return problems;
}

/** Each event is decided about once, and what was decided follows from it. */
function causeProblems({ reviewed, verdicts, decisions }: Story): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const { causedBy, person, verdictEventId } of reviewed) {
    const cause = causedBy ?? '';
    if (seen.has(cause)) problems.push(`${cause} was decided about twice`);
    seen.add(cause);
    const isThere = person === null ? verdicts.has(cause) : decisions.has(cause);
    if (!isThere) problems.push(`something was decided about ${cause}, which is not there`);
    if (person === null && cause !== verdictEventId) problems.push(`${cause} is not the verdict it names`);
  }
  return problems;
}

function repairProblems(story: Story): string[] {
  const { reviewed, repairs } = story;
  const problems: string[] = [];
  for (const [i, review] of reviewed.entries()) {
    if (review.decision !== 'REPAIR') continue;
    const { causedBy, draftId, attempt } = review;
    const asked = repairs.filter((repair) => repair.causedBy === causedBy);
    if (asked.length !== 1) problems.push(`${asked.length} repair requests for the REPAIR of ${draftId}`);
    const left = mostAttempts(story, i) - countedAttempts(story, i);
    for (const repair of asked) {
      if (repair.draftId !== draftId || repair.attempt !== attempt)
        problems.push(`the repair request of ${draftId} is about ${repair.draftId}`);
      if (repair.attemptsLeft !== left || left < 1)
        problems.push(`the repair request of ${draftId} leaves ${repair.attemptsLeft} attempts, not ${left}`);
    }
  }
  for (const { causedBy, draftId } of repairs)
    if (!reviewed.some((review) => review.causedBy === causedBy && review.decision === 'REPAIR'))
      problems.push(`a repair of ${draftId} is asked for, and no REPAIR was decided`);
  return problems;
}

/** Drafts that rules decided about, up to the review; no draft counts that is late, given up, or held for our fault. */
function countedAttempts({ reviewed, verdicts }: Story, last: number): number {
  return reviewed.slice(0, last + 1).filter(({ person, decision, verdictEventId }) => {
    const verdict = verdicts.get(verdictEventId)?.[0];
    if (person !== null || decision === 'STALE' || verdict === undefined) return false;
    return verdict.status !== 'ABANDONED' && !(decision === 'HOLD' && isOurFault(verdict));
  }).length;
}

/** The first limits that came with a draft count. */
function mostAttempts({ reviewed, verdicts }: Story, last: number): number {
  const limits = reviewed
    .slice(0, last + 1)
    .filter(({ code }) => code !== 'PL_REPEAT_CONFLICT')
    .map(({ verdictEventId }) => verdicts.get(verdictEventId)?.[0]?.limits ?? null)
    .find((each) => each !== null);
  return Math.max(1, limits?.maxAttempts ?? defaultReviewPolicy.maxAttempts);
}

/** Nothing, one outcome, or a FALLBACK and then what replaces it; each follows from what was decided. */
function outcomeProblems({ reviewed, verified }: Story): string[] {
  const problems: string[] = [];
  const kinds = verified.map(({ outcome }) => outcome).join();
  if (!['', 'VERIFIED', 'FALLBACK', 'FALLBACK,VERIFIED'].includes(kinds))
    problems.push(`its outcomes are ${kinds}`);
  for (const [i, { outcome, replaces, causedBy }] of verified.entries()) {
    const before = outcome === 'VERIFIED' ? (verified[i - 1]?.eventId ?? null) : null;
    if (replaces !== before) problems.push(`a ${outcome} replaces ${replaces}, not ${before}`);
    const wanted = outcome === 'VERIFIED' ? 'PUBLISH' : 'FALLBACK';
    if (!reviewed.some((review) => review.causedBy === causedBy && review.decision === wanted))
      problems.push(`a ${outcome} is out, and no ${wanted} was decided`);
  }
  for (const { decision, causedBy, draftId } of reviewed) {
    const wanted = decision === 'PUBLISH' || decision === 'FALLBACK' ? 1 : 0;
    const out = verified.filter((each) => each.causedBy === causedBy).length;
    if (out !== wanted) problems.push(`${draftId}: ${decision}, and ${out} outcomes`);
  }
  return problems;
}

function stateProblems(story: Story): string[] {
  const { reviewed, verified, state } = story;
  if (state === undefined) return ['review knows nothing of it'];
  const problems: string[] = [];
  const last = verified.at(-1);
  if (state.outcome !== (last?.outcome ?? null) || state.outcomeEventId !== (last?.eventId ?? null))
    problems.push(`review believes that its outcome is ${state.outcome} ${state.outcomeEventId}`);
  const attempts = Math.min(countedAttempts(story, reviewed.length), mostAttempts(story, reviewed.length));
  if (state.attempts !== attempts)
    problems.push(`review has counted ${state.attempts} attempts, not ${attempts}`);
  const held = heldInTheEnd(story);
  if ((state.held?.verdict.eventId ?? null) !== held)
    problems.push(`review holds ${state.held?.verdict.eventId ?? 'nothing'}, not ${held ?? 'nothing'}`);
  return problems;
}

/** The verdict on the draft that waits for a person: held, not decided about, and no newer attempt took its place. */
function heldInTheEnd({ reviewed, verdicts }: Story): string | null {
  let held: string | null = null;
  for (const { decision, verdictEventId, person } of reviewed) {
    if (decision === 'HOLD') held = verdictEventId;
    else if (person !== null) held = verdictEventId === held ? null : held;
    else if (decision === 'PUBLISH' || decision === 'REPAIR') held = null;
    // The last attempt that failed takes its place; a deadline that passed, or who gives up, does not.
    else if (decision === 'FALLBACK' && !leavesHeld(verdicts.get(verdictEventId)?.[0])) held = null;
  }
  return held;
}

function leavesHeld(verdict: GuardVerdict | undefined): boolean {
  return verdict === undefined || verdict.status === 'ABANDONED';
}
