import type { Trail } from '../audit/audit-store.js';
import type { StoredRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import type { ToolInvocation } from '../contracts/generated.js';
import type { JsonObject } from '../contracts/json.js';
import { instantToJson } from '../contracts/record-json.js';
import type { TopicMessages } from '../contracts/topics.js';
import type { RUN_EVENT_TOPICS } from './answers.js';
import { decodeAnswer } from './kept-answers.js';
import { readMessage } from './scan.js';
import { unread, type WhereaboutsPorts } from './whereabouts.js';

/** What happens in a run, as short facts: ids, states and counts, never a text of evidence, of a question or a draft. */

export const RUN_EVENTS = [
  'lookup.requested',
  'lookup.answered',
  'draft.submitted',
  'draft.judged',
  'draft.reviewed',
  'repair.requested',
  'run.outcome',
] as const;

export interface RunEvent {
  readonly eventId: string;
  readonly event: (typeof RUN_EVENTS)[number];
  /** When what it follows from was handed in, epoch milliseconds. */
  readonly occurredAt: number;
  /** What led to it; null of what was handed in. */
  readonly causedBy: string | null;
  readonly facts: JsonObject;
}

type EventTopic = (typeof RUN_EVENT_TOPICS)[number];

/** Null of what is no progress: an answer that was given again. */
export function runEvent<T extends EventTopic>(topic: T, message: TopicMessages[T]): RunEvent | null {
  const told = factsOf(topic, message);
  if (told === null) return null;
  const { eventId, occurredAt, causedBy } = message;
  return { eventId, occurredAt, causedBy, ...told };
}

function factsOf(
  topic: EventTopic,
  message: TopicMessages[EventTopic],
): Pick<RunEvent, 'event' | 'facts'> | null {
  switch (topic) {
    case 'lookup-requested.v1':
      return { event: 'lookup.requested', facts: { tool_call_id: (message as Requested).toolCallId } };
    case 'draft-submitted.v1':
      return { event: 'draft.submitted', facts: { draft_id: (message as Submitted).draftId } };
    case 'projected.v1':
      return answered(message as TopicMessages['projected.v1']);
    case 'verdict.v1':
      return judged(message as TopicMessages['verdict.v1']);
    case 'reviewed.v1':
      return reviewed(message as TopicMessages['reviewed.v1']);
    case 'repair-requested.v1':
      return repair(message as TopicMessages['repair-requested.v1']);
    case 'verified.v1':
      return outcome(message as TopicMessages['verified.v1']);
  }
}

type Requested = TopicMessages['lookup-requested.v1'];
type Submitted = TopicMessages['draft-submitted.v1'];
type Told = Pick<RunEvent, 'event' | 'facts'>;

function answered({
  toolCallId,
  state,
  gain,
  repeat,
  failure,
  noEvidenceBasis,
}: TopicMessages['projected.v1']): Told | null {
  const facts = {
    tool_call_id: toolCallId,
    state,
    gain,
    no_evidence_basis: noEvidenceBasis,
    code: failure?.code ?? null,
  };
  return repeat ? null : { event: 'lookup.answered', facts };
}

function judged({ draftId, attempt, status, violationCount }: TopicMessages['verdict.v1']): Told {
  return {
    event: 'draft.judged',
    facts: { draft_id: draftId, attempt, status, violation_count: violationCount },
  };
}

function reviewed({
  draftId,
  attempt,
  decision,
  status,
  decidedBy,
  code,
}: TopicMessages['reviewed.v1']): Told {
  return {
    event: 'draft.reviewed',
    facts: { draft_id: draftId, attempt, decision, status, decided_by: decidedBy, code },
  };
}

function repair({
  draftId,
  attempt,
  attemptsLeft,
  findings,
  more,
}: TopicMessages['repair-requested.v1']): Told {
  const facts = { draft_id: draftId, attempt, attempts_left: attemptsLeft, findings: findings.length + more };
  return { event: 'repair.requested', facts };
}

function outcome({
  draftId,
  attempt,
  outcome: kind,
  decidedBy,
  replaces,
}: TopicMessages['verified.v1']): Told {
  return {
    event: 'run.outcome',
    facts: { draft_id: draftId, attempt, outcome: kind, decided_by: decidedBy, replaces },
  };
}

/** `{run_id, event, occurred_at, tool_call_id or draft_id, …}`. */
export function runEventJson(runId: string, { event, occurredAt, facts }: RunEvent): JsonObject {
  return { run_id: runId, event, occurred_at: instantToJson(occurredAt), ...facts };
}

/** The event of a record as it was followed. */
export function followedEvent(codec: Codec, runId: string, { topic, value }: StoredRecord): RunEvent | null {
  const { message } = readMessage(codec, topic as EventTopic, value);
  return message?.runId === runId ? runEvent(topic as EventTopic, message as never) : null;
}

/** An event that is known, and when it happened here, epoch milliseconds; Infinity where that is not noted yet. */
export interface KnownEvent extends RunEvent {
  readonly at: number;
}

/**
 * Every event of the run that happened before the call, each once. What stations have not moved on yet is looked for
 * in the line's direction, and the audit last, so that nothing slips through between the two.
 */
export async function knownEvents(ports: WhereaboutsPorts, runId: string): Promise<KnownEvent[]> {
  const { codec, audit } = ports;
  const events = new Map<string, RunEvent>();
  const see = (event: RunEvent | null): void => {
    if (event !== null && !events.has(event.eventId)) events.set(event.eventId, event);
  };
  for (const [station, topic] of UNREAD)
    for await (const message of unread(ports, station, topic, runId)) see(runEvent(topic, message));
  const notes: ToolInvocation[] = [];
  for await (const note of unread(ports, 'audit-sink', 'tool-invocation.v1', runId)) notes.push(note);
  const trail = await audit.trail(runId);
  notes.push(...trail.invocations);
  for (const note of notes) see(notedEvent(note));
  for (const event of answeredEvents(trail, codec)) see(event);
  const times = timesOf(notes);
  return [...events.values()].map((event) => ({ ...event, at: times(event) })).sort(inOrder);
}

const UNREAD = [
  ['retrieve', 'lookup-requested.v1'],
  ['guard', 'draft-submitted.v1'],
  ['audit-sink', 'projected.v1'],
  ['audit-sink', 'verdict.v1'],
  ['audit-sink', 'reviewed.v1'],
  ['audit-sink', 'repair-requested.v1'],
  ['audit-sink', 'verified.v1'],
] as const;

const KEPT = {
  LOOKUP: 'projected.v1',
  VERDICT: 'verdict.v1',
  REVIEWED: 'reviewed.v1',
  REPAIR: 'repair-requested.v1',
  OUTCOME: 'verified.v1',
} as const;

function answeredEvents({ answers }: Trail, codec: Codec): RunEvent[] {
  return answers.flatMap((answer) => {
    const topic = KEPT[answer.kind];
    const message = decodeAnswer(codec, topic, answer);
    return message === null ? [] : (runEvent(topic, message) ?? []);
  });
}

/** What was handed in is not kept itself: the note of the station that took it tells of it. */
function notedEvent({
  kind,
  outcome: result,
  causedBy,
  occurredAt,
  toolCallId,
  draftId,
}: ToolInvocation): RunEvent | null {
  if (causedBy === null) return null;
  const handedIn = { eventId: causedBy, causedBy: null, occurredAt };
  if (kind === 'RETRIEVE' && toolCallId !== null && result !== 'REPEAT')
    return { ...handedIn, event: 'lookup.requested', facts: { tool_call_id: toolCallId } };
  if (kind === 'GUARD' && draftId !== null)
    return { ...handedIn, event: 'draft.submitted', facts: { draft_id: draftId } };
  return null;
}

function timesOf(notes: readonly ToolInvocation[]): (event: RunEvent) => number {
  const [began, ended] = [new Map<string, number>(), new Map<string, number>()];
  for (const { causedBy, measured } of notes) {
    if (causedBy === null || ended.has(causedBy)) continue;
    began.set(causedBy, measured.startedAt);
    ended.set(causedBy, measured.finishedAt);
  }
  return ({ eventId, causedBy }) =>
    (causedBy === null ? began.get(eventId) : ended.get(causedBy)) ?? Infinity;
}

function inOrder(a: RunEvent, b: RunEvent): number {
  return a.occurredAt - b.occurredAt || RUN_EVENTS.indexOf(a.event) - RUN_EVENTS.indexOf(b.event);
}

/** Clocks of two machines, and two stations that end at the same time, are this far apart at most. */
const SURELY_BEFORE_MS = 30_000;

/** What somebody who saw the event may not have seen: of what happened about then, some may come again. */
export function eventsAfter(events: readonly KnownEvent[], lastEventId: string): readonly KnownEvent[] {
  const last = events.find(({ eventId }) => eventId === lastEventId);
  if (last === undefined || last.at === Infinity) return events.filter((event) => event !== last);
  return events.filter((event) => event !== last && event.at >= last.at - SURELY_BEFORE_MS);
}
