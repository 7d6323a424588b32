import type { Measured } from '../contracts/generated.js';
import type { Sha256 } from '../text/text.js';
import type { Convention, Described, TextOfHit } from './convention.js';
import { STAGES, type LookupTrace, type Stage } from './lookup-trace.js';
import type { RunTrace } from './run-trace.js';
import { known, type Attributes, type TraceSpan } from './span.js';

export interface SpansOptions {
  /** 32 hex digits: the trace that the run's live spans are in. */
  readonly traceId: string;
  readonly convention: Convention;
  readonly textOf?: TextOfHit;
}

/**
 * A run's trace as spans: the run, its lookups with their stages, contexts, generations, verdicts and judgements. Ids are
 * derived, so that the same run is the same spans whenever it is exported. Empty where nothing was measured.
 */
export function traceSpans(trace: RunTrace, options: SpansOptions, sha256: Sha256): TraceSpan[] {
  const { convention, traceId, textOf = () => null } = options;
  const steps = [
    ...trace.lookups.flatMap((lookup) => lookupSteps(lookup, convention, textOf)),
    ...otherSteps(trace, convention),
  ];
  const whole = wholeOf(steps.map(({ measured }) => measured));
  if (whole === null) return [];
  const run: Step = { key: ['run'], ids: {}, described: convention.run(trace), measured: whole };
  const spanIdOf = (key: Key): string =>
    sha256(`proofline-span-1\n${JSON.stringify([traceId, ...key])}`).slice(0, 16);
  return [run, ...steps].map((step) => ({
    traceId,
    spanId: spanIdOf(step.key),
    parentSpanId: step === run ? null : spanIdOf(step.within ?? run.key),
    name: step.described.name,
    startedAt: step.measured.startedAt,
    finishedAt: Math.max(step.measured.startedAt, step.measured.finishedAt),
    attributes: { 'proofline.run_id': trace.runId, ...step.ids, ...step.described.attributes },
    events: step.described.events ?? [],
    failed: step.failed ?? false,
  }));
}

/** What a step is of: its kind, and an id within the run. */
type Key = readonly [what: string, id?: string];

interface Step {
  readonly key: Key;
  /** The step that it is a part of; the run where there is none. */
  readonly within?: Key;
  readonly ids: Attributes;
  readonly described: Described;
  readonly measured: Measured;
  readonly failed?: boolean;
}

function lookupSteps(lookup: LookupTrace, convention: Convention, textOf: TextOfHit): Step[] {
  const { toolCallId, requestEventId, outcome, measured } = lookup;
  const ids = known({ 'proofline.tool_call_id': toolCallId, 'proofline.event_id': requestEventId });
  const key: Key = ['lookup', toolCallId];
  const stages = (Object.keys(STAGES) as Stage[]).flatMap((stage): Step[] => {
    const at = measured[stage];
    if (at === null) return [];
    const described = convention[stage](lookup, textOf);
    return [{ key: [stage, toolCallId], within: key, ids, described, measured: at }];
  });
  const whole = wholeOf(stages.map((stage) => stage.measured));
  if (whole === null) return [];
  const failed = outcome === 'FAILED';
  return [{ key, ids, described: convention.lookup(lookup), measured: whole, failed }, ...stages];
}

function otherSteps({ contexts, generations, guards, judgements }: RunTrace, convention: Convention): Step[] {
  return [
    ...contexts.map((context): Step => ({
      key: ['context', context.contextId],
      ids: { 'proofline.event_id': context.eventId },
      described: convention.context(context),
      measured: context.measured,
    })),
    ...generations.map((generation): Step => ({
      key: ['generation', generation.draftId],
      ids: ofDraft(generation),
      described: convention.generation(generation),
      // How long the model took is not known here.
      measured: { startedAt: generation.at, finishedAt: generation.at },
    })),
    ...guards.map((guard): Step => ({
      key: ['guard', guard.eventId],
      ids: ofDraft(guard),
      described: convention.guard(guard),
      measured: guard.measured,
    })),
    ...judgements.map((judgement): Step => ({
      key: ['judgement', judgement.eventId],
      ids: ofDraft(judgement),
      described: convention.judgement(judgement),
      measured: judgement.measured,
      failed: judgement.outcome === 'FAILED',
    })),
  ];
}

function ofDraft({ draftId, eventId }: { readonly draftId: string; readonly eventId: string }): Attributes {
  return { 'proofline.draft_id': draftId, 'proofline.event_id': eventId };
}

function wholeOf(parts: readonly Measured[]): Measured | null {
  if (parts.length === 0) return null;
  return {
    startedAt: Math.min(...parts.map(({ startedAt }) => startedAt)),
    finishedAt: Math.max(...parts.map(({ finishedAt }) => finishedAt)),
  };
}
