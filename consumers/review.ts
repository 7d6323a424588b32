import type { Codec } from '../src/contracts/codec.js';
import { withoutLargeParts } from '../src/guard/judge-submission.js';
import { decideReview, noProgress, type Reviewer, type RunProgress } from '../src/review/decide-review.js';
import { createPassageCache } from '../src/review/rules/passage.js';
import { reviewDraft } from '../src/review/rules/review.js';
import { openKeyedState, type KeyedState } from '../src/station/keyed-state.js';
import type { Station, StationLane } from '../src/station/station.js';

/** Review: decides what becomes of every verdict, and publishes what is proven. Remembers how far each run is. */

export interface ReviewPorts {
  readonly codec: Codec;
}

/** The deterministic reviewer. It remembers what it read of the shown passages, which a run's drafts share. */
function createReviewer(): Reviewer {
  const cache = createPassageCache();
  return (draft, lookups) => reviewDraft({ draft, lookups, cache });
}

/** Progress after each decision of the batch at hand, until it is remembered. */
type Decisions = Map<number, RunProgress>;

export interface ReviewConfig {
  /** How long the progress of a run is kept after its last verdict. */
  readonly runRetentionMs: number;
}

export const reviewDefaults: ReviewConfig = { runRetentionMs: 30 * 86_400_000 };

export function reviewStation(
  { codec }: ReviewPorts,
  config: ReviewConfig = reviewDefaults,
): Station<'verdict.v1', Decisions> {
  const reviewer = createReviewer();
  return {
    name: 'review',
    inputs: ['verdict.v1'],
    maxRecords: 500,
    async open(context) {
      const runs = await openKeyedState('run-outcome.v1', context, codec);
      const lane = openReview(runs, reviewer);
      return { ...lane, maintain: () => runs.forgetBefore(context.now() - config.runRetentionMs) };
    },
  };
}

function openReview(
  runs: KeyedState<'run-outcome.v1'>,
  reviewer: Reviewer,
): StationLane<'verdict.v1', Decisions> {
  return {
    prepare(verdicts) {
      // A state that cannot be read holds up the lane: no verdict is given up for it.
      for (const { value } of verdicts) runs.get(value.runId);
      return Promise.resolve(new Map());
    },
    decide({ value, record }, decisions) {
      const { outcome, progress } = decideReview(value, runs.get(value.runId) ?? noProgress, reviewer);
      if (progress !== null) decisions.set(record.offset, progress);
      return outcome;
    },
    tooLarge({ value, record }, decisions) {
      const slim = { ...value, ...withoutLargeParts(value), eventId: value.eventId };
      const { outcome, progress } = decideReview(slim, runs.get(value.runId) ?? noProgress, reviewer);
      if (progress !== null) decisions.set(record.offset, progress);
      return outcome;
    },
    remember(outcome, { value, record }, decisions) {
      const progress = decisions.get(record.offset);
      if (outcome.kind === 'emit' && progress !== undefined)
        runs.put(value.runId, progress, value.occurredAt);
    },
  };
}
