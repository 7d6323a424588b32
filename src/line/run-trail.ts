import type { Codec } from '../contracts/codec.js';
import { sha256 } from '../contracts/digest.js';
import type { DeadLetter, ToolInvocation } from '../contracts/generated.js';
import { derivedEventId } from '../contracts/ids.js';
import { toSnakeJson, type JsonObject } from '../contracts/json.js';
import type { TopicName } from '../contracts/topics.js';
import type { RunTrace } from '../trace/run-trace.js';
import { withInstants } from './instants.js';
import { traceOfTrail } from './read-trace.js';
import type { RunData, RunTopic } from './run-snapshot.js';
import { draftTrails, runOutcome, type DraftTrail, type RunOutcomeTrail } from './trail-drafts.js';
import { lookupTrails, type LookupTrail } from './trail-lookups.js';

/** A run's story from question to verdict. Pure: everything comes from what was read of the run. */
export interface RunTrail {
  readonly runId: string;
  readonly partition: number;
  readonly outcome: RunOutcomeTrail;
  /** The first and last thing that is known to have happened, wall clock, epoch milliseconds. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly lookups: readonly LookupTrail[];
  readonly drafts: readonly DraftTrail[];
  readonly deadLetters: readonly DeadLetterTrail[];
  /** Texts that were made of the run's evidence for prompts. */
  readonly contexts: RunTrace['contexts'];
  /** What the model used, of each draft. */
  readonly generations: RunTrace['generations'];
  readonly judgements: RunTrace['judgements'];
  /** What else stations noted about the run. */
  readonly notes: readonly NoteTrail[];
  /** Topics that must have had records of this run and keep them no longer, with how many are missing. */
  readonly gone: readonly { readonly topic: TopicName; readonly records: number }[];
  readonly audit: { readonly events: number; readonly truncated: boolean };
}

export interface DeadLetterTrail extends Pick<
  DeadLetter,
  'eventId' | 'origin' | 'station' | 'code' | 'message' | 'attempt'
> {
  readonly at: number;
}

export interface NoteTrail extends Pick<
  ToolInvocation,
  'station' | 'kind' | 'outcome' | 'code' | 'toolCallId' | 'draftId'
> {
  readonly at: number;
}

export function runTrail(data: RunData, codec: Codec): RunTrail {
  const { runId, partition, audit } = data;
  const drafts = draftTrails(data, codec);
  const { contexts, generations, judgements } = traceOfTrail(runId, audit, codec);
  return {
    runId,
    partition,
    outcome: runOutcome(data, codec, drafts),
    ...spanOf(data),
    lookups: lookupTrails(data, codec),
    drafts,
    deadLetters: data.deadLetters.map(({ timestamp, message }) => {
      const { eventId, origin, station, code, message: words, attempt } = message;
      return { at: timestamp, eventId, origin, station, code, message: words, attempt };
    }),
    contexts,
    generations,
    judgements,
    notes: audit.invocations.filter(({ kind }) => !TOLD.has(kind)).map(noteTrail),
    gone: goneRecords(data),
    audit: { events: audit.invocations.length, truncated: audit.truncated },
  };
}

/** Kinds that are told already, by what they are about. */
const TOLD = new Set([
  ...['RETRIEVE', 'POSTPROCESS', 'PROJECT', 'GUARD', 'REVIEW', 'DEAD_LETTER'],
  ...['CONTEXT_ASSEMBLED', 'GENERATION_USAGE', 'JUDGE_EVALUATION'],
]);

function noteTrail({
  station,
  kind,
  outcome,
  code,
  toolCallId,
  draftId,
  measured,
}: ToolInvocation): NoteTrail {
  return { at: measured.finishedAt, station, kind, outcome, code, toolCallId, draftId };
}

function spanOf({ records, audit, deadLetters }: RunData): Pick<RunTrail, 'startedAt' | 'endedAt'> {
  let [startedAt, endedAt] = [Infinity, -Infinity];
  const see = (instant: number): void => {
    startedAt = Math.min(startedAt, instant);
    endedAt = Math.max(endedAt, instant);
  };
  for (const kept of [...Object.values(records), deadLetters])
    for (const { timestamp } of kept) see(timestamp);
  for (const { measured } of audit.invocations) {
    see(measured.startedAt);
    see(measured.finishedAt);
  }
  return endedAt < startedAt ? { startedAt: null, endedAt: null } : { startedAt, endedAt };
}

/** The records that each station's work shows to have been there: what it took in, and what it gave out. Ids are derived. */
const TRACES: Readonly<Record<string, { readonly input: RunTopic; readonly output: RunTopic }>> = {
  RETRIEVE: { input: 'lookup-requested.v1', output: 'raw-hits.v1' },
  POSTPROCESS: { input: 'raw-hits.v1', output: 'postprocessed.v1' },
  PROJECT: { input: 'postprocessed.v1', output: 'projected.v1' },
  GUARD: { input: 'draft-submitted.v1', output: 'verdict.v1' },
  REVIEW: { input: 'verdict.v1', output: 'reviewed.v1' },
  DECISION: { input: 'review-decision.v1', output: 'reviewed.v1' },
};

function goneRecords({ runId, records, audit }: RunData): RunTrail['gone'] {
  const missing = new Map<RunTopic, Set<string>>();
  const expect = (topic: RunTopic, eventId: string): void => {
    if (records[topic].some(({ message }) => message.eventId === eventId)) return;
    missing.set(topic, (missing.get(topic) ?? new Set()).add(eventId));
  };
  for (const { kind, station, outcome, causedBy } of audit.invocations) {
    const trace = TRACES[kind];
    if (trace === undefined || causedBy === null) continue;
    expect(trace.input, causedBy);
    if (gaveNothing(kind, outcome)) continue;
    const from = { station, runId, inputEventId: causedBy, topic: trace.output, ordinal: 0 };
    expect(trace.output, derivedEventId(sha256, { ...from, ...markOf(outcome) }));
  }
  return [...missing].map(([topic, names]) => ({ topic, records: names.size }));
}

/** What repeats and refusals are told apart from the first answer by. */
function markOf(outcome: string): { readonly mark?: 'REPEAT' | 'REFUSED' } {
  return outcome === 'REPEAT' || outcome === 'REFUSED' ? { mark: outcome } : {};
}

function gaveNothing(kind: string, outcome: string): boolean {
  if (kind === 'DECISION') return outcome === 'REPEAT' || outcome === 'REFUSED';
  return outcome === 'ALREADY_ANSWERED' || (kind === 'REVIEW' && outcome === 'REPEAT');
}

/** The trail as JSON: snake_case, instants (the fields that end in `_at`) in RFC 3339, durations in milliseconds. */
export function runTrailJson(trail: RunTrail): JsonObject {
  return withInstants(toSnakeJson(trail)) as JsonObject;
}
