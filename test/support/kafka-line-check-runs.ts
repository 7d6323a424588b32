import { loadTokenCounter } from '../../src/context/load-token-counter.js';
import type {
  DraftSubmitted,
  Generation,
  LookupRequested,
  ProjectedEvidence,
  RunOutcome,
  RunState,
} from '../../src/contracts/generated.js';
import { GIVEN_UP_DRAFT_ID } from '../../src/contracts/ids.js';
import { defaultRunLimits, MAX_GAIN_HISTORY } from '../../src/harness/limits.js';
import type { Counts } from './kafka-line-check.js';
import { groupBy, recordsBy, type PartitionContents, type TopicRecord } from './kafka-line-topics.js';

/** Whoever gives a run up has looked this long before at the latest whether it has an outcome. */
const LOOKED_MS = 10_000;
/** A deadline is looked at once a second; a line that was hindered is given a while longer. */
const DUE_MS = 60_000;

/** What the topics hold of one run's budget. */
interface Story {
  readonly lookups: readonly LookupRequested[];
  /** First answers, in order, and refusals. */
  readonly answers: readonly ProjectedEvidence[];
  readonly refused: readonly ProjectedEvidence[];
  /** Each text once, but for the harness's own. */
  readonly drafts: readonly DraftSubmitted[];
  readonly givenUp: readonly TopicRecord<'draft-submitted.v1'>[];
  readonly verified: readonly TopicRecord<'verified.v1'>[];
  readonly review: RunOutcome | undefined;
  readonly state: RunState;
}

/**
 * The budget of each run: the state counts what the topics hold; a run must stop where its limits say so, and lookups
 * are refused only then; and who is past the deadline without an outcome is given up, once, and not before.
 * @param now epoch milliseconds
 */
export async function runProblems(
  contents: PartitionContents,
  counts: Counts,
  now: number,
): Promise<string[]> {
  const counter = await loadTokenCounter('o200k_base');
  const count = (text: string): number => counter.count(text);
  const lookups = groupBy(contents, 'lookup-requested.v1', ({ runId }) => runId);
  const answers = groupBy(contents, 'projected.v1', ({ runId }) => runId);
  const drafts = recordsBy(contents, 'draft-submitted.v1', ({ runId }) => runId);
  const verified = recordsBy(contents, 'verified.v1', ({ runId }) => runId);
  const reviews = groupBy(contents, 'run-outcome.v1', ({ runId }) => runId);
  const states = groupBy(contents, 'run-state.v1', ({ runId }) => runId);
  const problems: string[] = [];
  for (const runId of new Set([...lookups, ...answers, ...drafts, ...states].map(([run]) => run))) {
    const state = states.get(runId)?.at(-1);
    if (state === undefined) {
      problems.push(`${runId}: the harness knows nothing of it`);
      continue;
    }
    const all = drafts.get(runId) ?? [];
    const isHarness = ({ message }: (typeof all)[number]) => message!.draftId === GIVEN_UP_DRAFT_ID;
    const said = answers.get(runId) ?? [];
    const story: Story = {
      lookups: lookups.get(runId) ?? [],
      answers: said.filter((answer) => answer.state !== 'REFUSED' && !answer.repeat),
      refused: said.filter(({ failure }) => failure?.code === 'PL_STOP_REQUIRED'),
      drafts: onceEach(all.filter((each) => !isHarness(each)).map(({ message }) => message!)),
      givenUp: all.filter(isHarness),
      verified: verified.get(runId) ?? [],
      review: reviews.get(runId)?.at(-1),
      state,
    };
    counts.stopped += state.stopRequired === null ? 0 : 1;
    counts.refused += story.refused.length;
    counts.givenUp += story.givenUp.length;
    const found = [...countProblems(story, count), ...stopProblems(story), ...deadlineProblems(story, now)];
    problems.push(...found.map((problem) => `${runId}: ${problem}`));
  }
  return problems;
}

function onceEach(drafts: readonly DraftSubmitted[]): readonly DraftSubmitted[] {
  return [...new Map(drafts.map((draft) => [draft.eventId, draft])).values()];
}

function countProblems(story: Story, count: (text: string) => number): string[] {
  const { lookups, answers, drafts, review, state } = story;
  const shown = answers.map(({ agentView }) => (agentView === null ? 0 : count(agentView)));
  const generated = drafts.map(({ generation }) => tokensOf(generation));
  const attempts = [
    ...drafts.map(({ attempt }) => attempt),
    ...story.givenUp.map((each) => each.message!.attempt),
  ];
  const [first] = lookups;
  const wanted: [what: string, found: unknown, wanted: unknown][] = [
    ['lookups', state.lookups, answers.length],
    ['tokens', state.tokens, sum([...shown, ...generated])],
    ['gains', state.gainHistory.join(), gainsOf(answers).join()],
    ['max_lookups', state.maxLookups, first?.limits?.maxLookups ?? null],
    ['max_tokens', state.maxTokens, first?.limits?.maxTokens ?? null],
    ['its last attempt', state.lastAttempt, Math.max(0, ...attempts)],
    ['an outcome', state.hasOutcome, (review?.outcome ?? null) !== null],
    ['a held draft', state.isHeld, (review?.held ?? null) !== null],
    ['deadline', state.deadline, deadlineOf(first)],
  ];
  return wanted
    .filter(([, is, should]) => is !== should)
    .map(([what, is, should]) => `the harness says of ${what} ${String(is)}, not ${String(should)}`);
}

function tokensOf(generation: Generation | null): number {
  if (generation === null) return 0;
  const { totalTokens, inputTokens, outputTokens } = generation;
  return totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

function gainsOf(answers: readonly ProjectedEvidence[]): string[] {
  return answers.flatMap(({ gain }) => gain ?? []).slice(-MAX_GAIN_HISTORY);
}

function deadlineOf(first: LookupRequested | undefined): number | null {
  if (first === undefined) return null;
  return first.limits?.deadline ?? first.occurredAt + defaultRunLimits.deadlineMs;
}

/** It must stop where there is a reason to, and for one that there is; nobody else's lookups are refused. */
function stopProblems({ answers, refused, givenUp, review, state }: Story): string[] {
  const { stopRequired, maxLookups, maxTokens, lookups, tokens } = state;
  const reasons = [
    ...(maxLookups !== null && lookups >= maxLookups ? ['MAX_LOOKUPS'] : []),
    ...(maxTokens !== null && tokens >= maxTokens ? ['MAX_TOKENS'] : []),
    ...(hasNoGain(gainsOf(answers)) ? ['NO_GAIN'] : []),
  ];
  const problems: string[] = [];
  if (stopRequired === null) {
    if (reasons.length > 0) problems.push(`it may go on, in spite of ${reasons.join(', ')}`);
    if (refused.length > 0) problems.push(`${refused.length} lookups were refused, and it may go on`);
  } else {
    const isLate = givenUp.length > 0 || (review?.held ?? null) !== null || state.hasOutcome;
    const known = isLate ? [...reasons, 'DEADLINE'] : reasons;
    if (!known.includes(stopRequired.reason))
      problems.push(`it must stop for ${stopRequired.reason}, which is not so`);
  }
  return problems;
}

/** Whether there were ever so many answers in a row that brought nothing new. */
function hasNoGain(gains: readonly string[]): boolean {
  let inARow = 0;
  return gains.some((gain) => {
    inARow = gain === 'NEW' ? 0 : inARow + 1;
    return inARow >= defaultRunLimits.noGainInARow;
  });
}

function deadlineProblems({ givenUp, verified, state }: Story, now: number): string[] {
  const { deadline, hasOutcome, isHeld } = state;
  const problems: string[] = [];
  if (givenUp.length > 1) problems.push(`it was given up ${givenUp.length} times`);
  if (state.givenUp !== (givenUp[0]?.message?.occurredAt ?? null))
    problems.push(`the harness believes that it gave up at ${state.givenUp}`);
  for (const { message, timestamp } of givenUp) {
    if (message!.occurredAt !== deadline)
      problems.push(`it was given up at ${message!.occurredAt}, not ${deadline}`);
    if (deadline === null || timestamp < deadline) problems.push('it was given up before its deadline');
    if (verified.some((each) => each.timestamp < timestamp - LOOKED_MS))
      problems.push('it was given up, and had its outcome for long');
  }
  const isForgotten = !hasOutcome && !isHeld && givenUp.length === 0;
  if (isForgotten && deadline !== null && deadline + DUE_MS < now)
    problems.push('it is past its deadline, and was not given up');
  return problems;
}
