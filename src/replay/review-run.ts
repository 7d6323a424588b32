import { createCodec } from '../contracts/codec.js';
import { sha256 } from '../contracts/digest.js';
import type { GuardVerdict, Reviewed, RunOutcome } from '../contracts/generated.js';
import { derivedEventId } from '../contracts/ids.js';
import type { AnyMessage, TopicMessages, TopicName } from '../contracts/topics.js';
import { JUDGE_EVALUATION, recordedJudgement } from '../judge/record.js';
import { noProgress, type RunProgress } from '../review/run-progress.js';
import type { Emission } from '../station/station.js';
import type { Comparison } from './comparison.js';
import { differencesBetween, type Difference } from './equal.js';
import type { RecordedRun } from './recorded-run.js';
import type { ReviewAgain, ReviewInput } from './review-again.js';

/**
 * Review's part of a replay: the run's verdicts and decisions go through it once more in the order in which they did,
 * since what becomes of one depends on those before. Pure.
 */

/** One input of review, decided again. */
export interface ReviewStepAgain {
  readonly kind: ReviewInput['kind'];
  /** The verdict that it is about. */
  readonly verdictEventId: string;
  /** Null where review has not come to it, or had nothing to say. */
  readonly recorded: Reviewed | null;
  /** What review says now. */
  readonly replayed: Reviewed | null;
  /** Null where review has not come to it yet. */
  readonly comparison: Comparison | null;
}

/**
 * @param verdictsOf the verdict that review is given for a recorded one: that very one, or what changed rules make of it
 */
export function reviewRun(
  run: RecordedRun,
  review: ReviewAgain,
  verdictsOf: (recorded: GuardVerdict) => GuardVerdict = (recorded) => recorded,
): ReviewStepAgain[] {
  const steps: ReviewStepAgain[] = [];
  const outputs = outputsOf(run);
  let progress = noProgress;
  let gone = goneInputs(run);
  for (const { input, recorded } of inOrder(run)) {
    if (input === null) {
      // What came of an input that nobody has any more may be behind all that follows.
      gone = [`the input of ${recorded.eventId} of review`];
      continue;
    }
    const given = input.kind === 'VERDICT' ? { ...input, value: verdictsOf(input.value) } : input;
    if (lacksJudgement(input, recorded)) gone = [...gone, `what the judge said of ${input.value.draftId}`];
    const step = stepAgain(given, recorded, review, progress, outputs);
    progress = step.progress;
    const verdictEventId = input.kind === 'VERDICT' ? input.value.eventId : input.value.verdictEventId;
    const comparison = recorded === null ? unreviewed(step.replayed, input, run) : step.comparison;
    steps.push({
      kind: input.kind,
      verdictEventId,
      recorded,
      replayed: step.replayed,
      comparison: comparison?.kind === 'DIFFERENT' && gone.length > 0 ? { kind: 'GONE', gone } : comparison,
    });
  }
  return steps;
}

type Ordered =
  | { readonly input: ReviewInput; readonly recorded: Reviewed | null }
  | { readonly input: null; readonly recorded: Reviewed };

/** In the order of what review wrote; a verdict that it has written nothing about keeps its place among the verdicts. */
function inOrder(run: RecordedRun): Ordered[] {
  const { verdicts, decisions, reviewed } = run;
  const answered = new Set(reviewed.map(({ causedBy }) => causedBy));
  const unansweredVerdict = (value: GuardVerdict): Ordered => ({
    input: verdictInput(value, null, run),
    recorded: null,
  });
  let unanswered = verdicts.filter(({ eventId }) => !answered.has(eventId));
  const verdictOf = new Map(verdicts.map((verdict) => [verdict.eventId, verdict]));
  const placeOf = new Map(verdicts.map(({ eventId }, place) => [eventId, place]));
  const ordered: Ordered[] = [];
  for (const recorded of reviewed) {
    const place = placeOf.get(recorded.causedBy ?? '') ?? -1;
    const isBefore = ({ eventId }: GuardVerdict): boolean => (placeOf.get(eventId) ?? 0) < place;
    ordered.push(...unanswered.filter(isBefore).map(unansweredVerdict));
    unanswered = unanswered.filter((verdict) => !isBefore(verdict));
    const input = inputOf(recorded, run, verdictOf);
    ordered.push(input === null ? { input, recorded } : { input, recorded });
  }
  ordered.push(...unanswered.map(unansweredVerdict));
  for (const value of decisions)
    if (!answered.has(value.eventId)) ordered.push({ input: { kind: 'DECISION', value }, recorded: null });
  return ordered;
}

function verdictInput(value: GuardVerdict, recorded: Reviewed | null, { notes }: RecordedRun): ReviewInput {
  const note = notes.find(
    ({ kind, station, causedBy }) =>
      kind === JUDGE_EVALUATION && station === 'review' && causedBy === value.eventId,
  );
  const judged = note === undefined ? null : recordedJudgement(note.factsJson, note.measured);
  const wasTooLarge = recorded?.code === TOO_LARGE && value.ext['code'] !== TOO_LARGE;
  return { kind: 'VERDICT', value, judged, wasTooLarge };
}

const TOO_LARGE = 'PL_VERDICT_TOO_LARGE';

/** A judge was asked, and its answer is not to be had. */
function lacksJudgement(input: ReviewInput, recorded: Reviewed | null): boolean {
  return input.kind === 'VERDICT' && recorded !== null && recorded.judge !== null && input.judged === null;
}

/** Of several decisions under one id (one that changed nothing does not count) the one of that time was answered. */
function inputOf(
  recorded: Reviewed,
  run: RecordedRun,
  verdictOf: ReadonlyMap<string, GuardVerdict>,
): ReviewInput | null {
  const { causedBy, occurredAt } = recorded;
  const { decisions } = run;
  const verdict = verdictOf.get(causedBy ?? '');
  if (verdict !== undefined) return verdictInput(verdict, recorded, run);
  const same = decisions.filter(({ eventId }) => eventId === causedBy);
  const decision = same.find((each) => each.occurredAt === occurredAt) ?? same[0];
  return decision === undefined ? null : { kind: 'DECISION', value: decision };
}

interface StepAgain {
  readonly progress: RunProgress;
  readonly replayed: Reviewed | null;
  readonly comparison: Comparison;
}

function stepAgain(
  input: ReviewInput,
  recorded: Reviewed | null,
  review: ReviewAgain,
  before: RunProgress,
  outputs: Outputs,
): StepAgain {
  const { outcome, progress } = review(input, before);
  if (outcome.kind !== 'emit') throw new Error('review only emits');
  const written = outcome.records.flatMap((emission) =>
    isOutput(emission.topic) ? [messageOf(emission, input.value)] : [],
  );
  const replayed = written.find((each) => each.topic === 'reviewed.v1')?.message as Reviewed | undefined;
  return {
    progress: progress ?? before,
    replayed: replayed ?? null,
    comparison: recorded === null ? { kind: 'EQUAL' } : compareWritten(input.value.eventId, written, outputs),
  };
}

interface Written {
  readonly topic: TopicName;
  readonly message: AnyMessage;
}

const codec = createCodec();

/** As a reader gets it. Review writes one record of a topic at most. */
function messageOf({ topic, body }: Emission, { eventId, runId, occurredAt }: ReviewInput['value']): Written {
  const from = { station: 'review', runId, inputEventId: eventId, topic, ordinal: 0 };
  const envelope = { eventId: derivedEventId(sha256, from), causedBy: eventId, runId, occurredAt };
  const message = { ...envelope, ...body } as TopicMessages[typeof topic];
  return { topic, message: codec.decode(topic, codec.encode(topic, message as never)) };
}

/** Topics that review writes; of its state only the last one of a run is kept. */
const OUTPUTS = ['reviewed.v1', 'verified.v1', 'repair-requested.v1', 'run-outcome.v1'] as const;

type Output = (typeof OUTPUTS)[number];

function isOutput(topic: TopicName): boolean {
  return (OUTPUTS as readonly TopicName[]).includes(topic);
}

/** All that one input led to, held against all that it leads to now. */
function compareWritten(cause: string, written: readonly Written[], outputs: Outputs): Comparison {
  const differences: Difference[] = [];
  const gone: string[] = [];
  for (const topic of OUTPUTS) {
    const recorded = outputs.find(topic, cause);
    const replayed = written.find((each) => each.topic === topic)?.message;
    if (recorded === undefined && replayed === undefined) continue;
    if (topic === 'run-outcome.v1' && recorded === undefined) continue;
    if (recorded === undefined && outputs.trimmed.has(topic)) gone.push(`a record of ${topic}`);
    else differences.push(...differencesIn(topic, recorded, replayed));
  }
  if (differences.length > 0) return { kind: 'DIFFERENT', differences };
  return gone.length > 0 ? { kind: 'GONE', gone } : { kind: 'EQUAL' };
}

function differencesIn(
  topic: Output,
  recorded: AnyMessage | undefined,
  replayed: AnyMessage | undefined,
): readonly Difference[] {
  const path = `/${topic}`;
  if (recorded === undefined || replayed === undefined) return [{ path, recorded, replayed }];
  return differencesBetween(recorded, replayed).map((each) => ({ ...each, path: `${path}${each.path}` }));
}

/** What review wrote, by what it was caused by. */
interface Outputs {
  readonly trimmed: RecordedRun['trimmed'];
  find(topic: Output, cause: string): AnyMessage | undefined;
}

function outputsOf({ reviewed, verified, repairs, outcome, trimmed }: RecordedRun): Outputs {
  const byCause = (messages: readonly AnyMessage[]): ReadonlyMap<string | null, AnyMessage> =>
    new Map(messages.toReversed().map((message) => [message.causedBy, message]));
  const found = {
    'reviewed.v1': byCause(reviewed),
    'verified.v1': byCause(verified),
    'repair-requested.v1': byCause(repairs),
    'run-outcome.v1': byCause(outcome === null ? [] : [outcome]),
  };
  return { trimmed, find: (topic, cause) => found[topic].get(cause) };
}

/** Review comes later, had nothing to say, or what it said is gone. */
function unreviewed(replayed: Reviewed | null, input: ReviewInput, run: RecordedRun): Comparison | null {
  if (replayed === null) return { kind: 'EQUAL' };
  if (run.trimmed.has('reviewed.v1')) return { kind: 'GONE', gone: ['what review said'] };
  const isPassedOver = run.outcome !== null && isJudged(run.outcome, input.value.eventId);
  const difference = { path: '/reviewed.v1', recorded: undefined, replayed };
  return isPassedOver ? { kind: 'DIFFERENT', differences: [difference] } : null;
}

function isJudged({ judged }: RunOutcome, eventId: string): boolean {
  return judged.some(({ verdictEventId }) => verdictEventId === eventId);
}

/** What review is known to have worked on, and is not kept any more. */
function goneInputs({ verdicts, decisions, outcome, notes, trimmed, isAuditWhole }: RecordedRun): string[] {
  const known = new Set([...verdicts, ...decisions].map(({ eventId }) => eventId));
  const judged = (outcome?.judged ?? []).map(({ verdictEventId }) => verdictEventId);
  const noted = notes.flatMap(({ station, causedBy }) => (station === 'review' ? (causedBy ?? []) : []));
  const missing = [...new Set([...judged, ...noted])].filter((eventId) => !known.has(eventId));
  const gone = missing.map((eventId) => `the verdict or decision ${eventId}`);
  // Nothing tells whether there were more.
  const isBlind = trimmed.has('verdict.v1') && (!isAuditWhole || notes.length === 0);
  return isBlind ? [...gone, 'what came before'] : gone;
}
