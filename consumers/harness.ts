import type { Codec } from '../src/contracts/codec.js';
import { sha256 } from '../src/contracts/digest.js';
import type { ErrorCode, ErrorParams } from '../src/contracts/errors.js';
import { loadTokenCounter } from '../src/context/load-token-counter.js';
import { viewTokenCounter } from '../src/context/view-tokens.js';
import { admitSubmission } from '../src/guard/admit-submission.js';
import { atDeadline, dueAt, type GivenUpDraft } from '../src/harness/deadline.js';
import { defaultRunLimits, type RunLimits } from '../src/harness/limits.js';
import {
  afterAnswer,
  afterDraft,
  afterLookup,
  afterOutcome,
  noProgress,
  type RunProgress,
} from '../src/harness/run-progress.js';
import { createSchedule, type Schedule } from '../src/harness/schedule.js';
import { admitRequest } from '../src/lookup/retrieve-rule.js';
import { invocation } from '../src/station/invocation.js';
import { openKeyedState, type KeyedState } from '../src/station/keyed-state.js';
import { readAhead } from '../src/station/read-ahead.js';
import type {
  Due,
  Emission,
  Invocation,
  LaneContext,
  Message,
  Station,
  StationLane,
} from '../src/station/station.js';

/**
 * Harness: keeps count of what each run spends and gains, says when it may ask no more, and gives a run up whose
 * deadline passes without an outcome. It reads what others are the first to read: what cannot be worked on is theirs
 * to give up.
 */

type HarnessTopic = 'lookup-requested.v1' | 'projected.v1' | 'draft-submitted.v1' | 'run-outcome.v1';

type RunEvent = Message<HarnessTopic>;

export interface HarnessConfig {
  /** Of runs whose first lookup sets none. */
  readonly limits: RunLimits;
  /** How long the state of a run is kept after its last event. */
  readonly runRetentionMs: number;
}

export const harnessDefaults: HarnessConfig = {
  limits: defaultRunLimits,
  runRetentionMs: 30 * 86_400_000,
};

export interface HarnessPorts {
  readonly codec: Codec;
}

/**
 * Between batches that are not full: lookups come first on the brokers that all share. A run that must stop is known
 * within a second, its four topics one after the other.
 */
const REST_MS = 200;
/** Each answer's tokens are counted, and the machine is not to stand still for it. */
const MAX_RECORDS = 100;
/** Runs that one step gives up at most. */
const MAX_DUE = 100;

/** What a batch makes of its runs, at the last of a run's messages that changed it. By offset. */
type Changes = ReadonlyMap<number, Change>;

interface Change {
  readonly before: RunProgress;
  readonly after: RunProgress;
}

export function harnessStation(
  { codec }: HarnessPorts,
  config: HarnessConfig = harnessDefaults,
): Station<HarnessTopic, Changes> {
  const tokenCounterFor = createTokenCounts();
  return {
    name: 'harness',
    inputs: ['lookup-requested.v1', 'projected.v1', 'draft-submitted.v1', 'run-outcome.v1'],
    maxRecords: MAX_RECORDS,
    restMs: REST_MS,
    passesOver: true,
    admit,
    async open(context) {
      const runs = await openKeyedState('run-state.v1', context, codec);
      const schedule = createSchedule();
      for (const [runId, progress] of runs.entries()) schedule.set(runId, dueAt(progress));
      return openHarness({ codec, config, context, runs, schedule, tokenCounterFor });
    },
  };
}

function admit({ topic, value }: RunEvent): { code: ErrorCode; params: ErrorParams } | null {
  switch (topic) {
    case 'lookup-requested.v1':
      return admitRequest(value);
    case 'draft-submitted.v1':
      return admitSubmission(value, sha256);
    case 'projected.v1':
    case 'run-outcome.v1':
      return null;
  }
}

interface Harness {
  readonly codec: Codec;
  readonly config: HarnessConfig;
  readonly context: LaneContext;
  readonly runs: KeyedState<'run-state.v1'>;
  readonly schedule: Schedule;
  readonly tokenCounterFor: (events: readonly RunEvent[]) => Promise<CountTokens>;
}

function openHarness(harness: Harness): StationLane<HarnessTopic, Changes> {
  const { config, context, runs, schedule, tokenCounterFor } = harness;

  function keep(runId: string, progress: RunProgress): void {
    runs.put(runId, progress);
    schedule.set(runId, dueAt(progress));
  }

  return {
    async prepare(events) {
      const countTokens = await tokenCounterFor(events);
      return changesOf(events, (runId) => runs.get(runId) ?? noProgress, config.limits, countTokens);
    },
    decide({ record }, changes) {
      const change = changes.get(record.offset);
      if (change === undefined) return { kind: 'emit', records: [] };
      const isNewlyStopped = change.before.stopRequired === null && change.after.stopRequired !== null;
      return {
        kind: 'emit',
        records: [{ topic: 'run-state.v1', body: change.after }],
        invocation: isNewlyStopped ? note(change.after, 'STOP_REQUIRED') : undefined,
      };
    },
    remember(_outcome, { value, record }, changes) {
      const change = changes.get(record.offset);
      if (change !== undefined) keep(value.runId, change.after);
    },
    async due(now) {
      const runIds = schedule.due(now, MAX_DUE);
      if (runIds.length === 0) return [];
      const known = await upToDate(harness, runIds);
      return runIds.flatMap((runId) => {
        const before = known.get(runId) ?? noProgress;
        const deadline = dueAt(before);
        // Its outcome was on its way here.
        if (deadline === null || deadline > now) return [];
        const { progress: after, draft } = atDeadline(before);
        keep(runId, after);
        return [dueOf(runId, deadline, { before, after }, draft)];
      });
    },
    maintain: () => runs.forgetBefore(context.now() - config.runRetentionMs, (runId) => schedule.has(runId)),
  };
}

/**
 * These runs with all that was said of them up to now: who is behind must not give a run up whose outcome, or whose
 * held draft, it has not read yet.
 */
async function upToDate(
  { codec, config, context, runs }: Harness,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RunProgress>> {
  const known = new Map(runIds.map((runId) => [runId, runs.get(runId) ?? noProgress] as const));
  const source = { context, codec, group: 'harness', admit };
  for (const topic of ['draft-submitted.v1', 'run-outcome.v1'] as const) {
    for await (const event of readAhead<HarnessTopic>(source, topic)) {
      const progress = known.get(event.value.runId);
      if (progress !== undefined)
        known.set(event.value.runId, afterEvent(progress, event, config.limits, noTokens));
    }
  }
  return known;
}

function noTokens(): number {
  throw new Error('no answer is read ahead');
}

type CountTokens = (view: string) => number;

/** Vocabularies are megabytes: they are loaded when there is something to count. */
function createTokenCounts(): (events: readonly RunEvent[]) => Promise<CountTokens> {
  let countTokens: CountTokens | undefined;
  return async (events) => {
    const isCounted = events.some(
      ({ topic, value }) => topic === 'projected.v1' && value.agentView !== null && !value.repeat,
    );
    if (!isCounted) return noTokens;
    const counter = await loadTokenCounter('o200k_base');
    return (countTokens ??= viewTokenCounter(counter));
  };
}

/** Pure. One record a run and batch says what all of the run's messages came to. */
function changesOf(
  events: readonly RunEvent[],
  progressOf: (runId: string) => RunProgress,
  limits: RunLimits,
  countTokens: CountTokens,
): Changes {
  const byRun = new Map<string, Change & { readonly offset: number }>();
  for (const event of events) {
    const { runId } = event.value;
    const known = byRun.get(runId);
    const before = known?.after ?? progressOf(runId);
    const after = afterEvent(before, event, limits, countTokens);
    if (after !== before)
      byRun.set(runId, { before: known?.before ?? before, after, offset: event.record.offset });
  }
  return new Map([...byRun.values()].map(({ offset, before, after }) => [offset, { before, after }]));
}

function afterEvent(
  progress: RunProgress,
  { topic, value }: RunEvent,
  limits: RunLimits,
  countTokens: CountTokens,
): RunProgress {
  switch (topic) {
    case 'lookup-requested.v1':
      return afterLookup(progress, value, limits);
    case 'projected.v1':
      return afterAnswer(progress, value, limits, countTokens);
    case 'draft-submitted.v1':
      return afterDraft(progress, value, limits);
    case 'run-outcome.v1':
      return afterOutcome(progress, value);
  }
}

function dueOf(runId: string, deadline: number, { before, after }: Change, draft: GivenUpDraft | null): Due {
  const state: Emission = { topic: 'run-state.v1', body: after };
  const stoppedNow = before.stopRequired === null;
  if (draft === null) return { runId, deadline, records: [state], invocation: note(after, 'STOP_REQUIRED') };
  return {
    runId,
    deadline,
    records: [{ topic: 'draft-submitted.v1', body: draft }, state],
    invocation: note(after, 'GIVEN_UP', { draft, stoppedNow }),
  };
}

/** What the run's trail says of it. `stopped_for` only where it was stopped just now. */
function note(
  { lookups, tokens, deadline, maxLookups, maxTokens, stopRequired }: RunProgress,
  outcome: 'STOP_REQUIRED' | 'GIVEN_UP',
  given?: { readonly draft: GivenUpDraft; readonly stoppedNow: boolean },
): Invocation {
  return invocation({
    kind: 'HARNESS',
    outcome,
    code: outcome === 'STOP_REQUIRED' ? 'PL_STOP_REQUIRED' : null,
    draftId: given?.draft.draftId ?? null,
    countIn: lookups,
    countOut: 0,
    facts: {
      stopped_for: given?.stoppedNow === false ? null : (stopRequired?.reason ?? null),
      given_up: given?.draft.givenUp ?? null,
      lookups,
      tokens,
      deadline,
      max_lookups: maxLookups,
      max_tokens: maxTokens,
    },
  });
}
