import type { Codec } from '../src/contracts/codec.js';
import { sha256 } from '../src/contracts/digest.js';
import { withoutLargeParts } from '../src/guard/judge-submission.js';
import type { Judge } from '../src/judge/judge.js';
import { judgePolicyDefaults, type JudgePolicy } from '../src/judge/policy.js';
import { admitDecision } from '../src/review/admit-decision.js';
import type { Reviewer } from '../src/review/appraise.js';
import { decideDecision } from '../src/review/decide-decision.js';
import {
  decideReview,
  defaultReviewPolicy,
  type ReviewPolicy,
  type ReviewStep,
} from '../src/review/decide-review.js';
import { createPassageCache } from '../src/review/rules/passage.js';
import { reviewDraft } from '../src/review/rules/review.js';
import { noProgress, type RunProgress } from '../src/review/run-progress.js';
import { recorded, secondOpinions, type JudgedReview } from '../src/review/second-opinion.js';
import { openKeyedState, type KeyedState } from '../src/station/keyed-state.js';
import type { LaneContext, Message, Outcome, Station, StationLane } from '../src/station/station.js';

/**
 * Review: decides what becomes of every verdict, and what a person's decision changes; publishes what is proven, asks
 * for a repair, or falls back. Remembers how far each run is.
 */

type ReviewTopic = 'verdict.v1' | 'review-decision.v1';

export interface ReviewPorts {
  readonly codec: Codec;
  /** The second opinion; null for rules alone. */
  readonly judge?: Judge | null;
}

/** The deterministic reviewer. It remembers what it read of the shown passages, which a run's drafts share. */
function createReviewer(): Reviewer {
  const cache = createPassageCache();
  return (draft, lookups) => reviewDraft({ draft, lookups, cache });
}

/** What is known of the batch at hand by the offsets of its records: a batch is of one topic, so they are names. */
interface Prepared {
  /** Progress after each decision, until it is remembered. */
  readonly decisions: Map<number, RunProgress>;
  /** What was asked of the judge, and what it said. */
  readonly judged: ReadonlyMap<number, JudgedReview>;
}

export interface ReviewConfig extends ReviewPolicy {
  /** How long the progress of a run is kept after its last verdict. */
  readonly runRetentionMs: number;
  readonly judge: JudgePolicy;
}

/** The drafts of a batch wait for the judge together: of many, the last would not be answered in time. */
const JUDGED_RECORDS = 4;

export const reviewDefaults: ReviewConfig = {
  ...defaultReviewPolicy,
  runRetentionMs: 30 * 86_400_000,
  judge: judgePolicyDefaults,
};

export function reviewStation(
  { codec, judge = null }: ReviewPorts,
  config: ReviewConfig = reviewDefaults,
): Station<ReviewTopic, Prepared> {
  const reviewer = createReviewer();
  return {
    name: 'review',
    inputs: ['verdict.v1', 'review-decision.v1'],
    maxRecords: judge === null || config.judge.mode === 'off' ? 500 : JUDGED_RECORDS,
    // Who wrote a decision is not known here; verdicts are the guard's.
    admit: ({ topic, value }) => (topic === 'review-decision.v1' ? admitDecision(value, sha256) : null),
    async open(context) {
      const runs = await openKeyedState('run-outcome.v1', context, codec);
      const lane = openReview({ runs, reviewer, judge, context }, config);
      return { ...lane, maintain: () => runs.forgetBefore(context.now() - config.runRetentionMs) };
    },
  };
}

interface ReviewTools {
  readonly runs: KeyedState<'run-outcome.v1'>;
  readonly reviewer: Reviewer;
  readonly judge: Judge | null;
  readonly context: LaneContext;
}

function openReview(
  { runs, reviewer, judge, context }: ReviewTools,
  config: ReviewConfig,
): StationLane<ReviewTopic, Prepared> {
  const progressOf = (runId: string): RunProgress => runs.get(runId) ?? noProgress;

  /** What the judge says of the drafts of the batch that it is asked about; it never holds the batch up for long. */
  async function askJudge(messages: readonly Message<ReviewTopic>[]): Promise<Prepared['judged']> {
    const judged = new Map<number, JudgedReview>();
    if (judge === null || config.judge.mode === 'off') return judged;
    const verdicts = messages.flatMap((each) => (each.topic === 'verdict.v1' ? [each] : []));
    const candidates = verdicts.map(({ value }) => ({ verdict: value, progress: progressOf(value.runId) }));
    const asking = { signal: context.lane.signal, now: () => context.now() };
    const opinions = await secondOpinions(candidates, reviewer, judge, config.judge, asking);
    for (const [i, { record }] of verdicts.entries()) {
      const opinion = opinions[i] ?? null;
      if (opinion !== null) judged.set(record.offset, opinion);
    }
    return judged;
  }

  function decide(message: Message<ReviewTopic>, progress: RunProgress, { judged }: Prepared): ReviewStep {
    if (message.topic !== 'verdict.v1') return decideDecision(message.value, progress, config);
    const opinion = judged.get(message.record.offset);
    if (opinion === undefined) return decideReview(message.value, progress, reviewer, config);
    const step = decideReview(message.value, progress, () => opinion.review, config);
    return recorded(step, message.value, opinion.asked);
  }

  /** What is decided, kept until it is remembered. */
  function decided({ outcome, progress }: ReviewStep, offset: number, { decisions }: Prepared): Outcome {
    if (progress !== null) decisions.set(offset, progress);
    return outcome;
  }

  return {
    async prepare(messages) {
      // A state that cannot be read holds up the lane: no message is given up for it.
      for (const { value } of messages) runs.get(value.runId);
      return { decisions: new Map(), judged: await askJudge(messages) };
    },
    decide(message, prepared) {
      const step = decide(message, progressOf(message.value.runId), prepared);
      return decided(step, message.record.offset, prepared);
    },
    tooLarge(message, prepared) {
      const progress = slimHeld(progressOf(message.value.runId));
      return decided(decide(slim(message), progress, prepared), message.record.offset, prepared);
    },
    remember(outcome, { value, record }, { decisions }) {
      const progress = decisions.get(record.offset);
      if (outcome.kind === 'emit' && progress !== undefined) runs.put(value.runId, progress);
    },
  };
}

/** A verdict without what can be large: its draft is held, and a person is told why. */
function slim(message: Message<ReviewTopic>): Message<ReviewTopic> {
  if (message.topic !== 'verdict.v1') return message;
  return { ...message, value: { ...message.value, ...withoutLargeParts(message.value) } };
}

/** The state has a held draft in it, and may be what is too large. */
export function slimHeld(progress: RunProgress): RunProgress {
  const { held } = progress;
  if (held === null) return progress;
  const verdict = { ...held.verdict, ...withoutLargeParts(held.verdict) };
  return {
    ...progress,
    held: { verdict, findings: [], status: null, code: 'PL_VERDICT_TOO_LARGE', judge: null },
  };
}
