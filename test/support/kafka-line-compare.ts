import { topicNames, type AnyMessage, type TopicName } from '../../src/contracts/topics.js';
import { areEqual, type Equality } from '../../src/replay/equal.js';
import type { PartitionContents } from './kafka-line-topics.js';

/** Events by their id. */
export type Events = ReadonlyMap<string, ComparableEvent>;

export interface ComparableEvent {
  readonly topic: TopicName;
  readonly runId: string;
  /** True of what is only there because something was published again. */
  readonly repeat: boolean;
  /** Its JSON: a line's events are many. */
  readonly text: string;
}

/** What a run had spent at some moment: which events one state sums up is a matter of timing. */
const OF_A_MOMENT: ReadonlySet<TopicName> = new Set(['run-state.v1']);

/** Adds the events of a partition; tells where two events of one id are not equal. */
export function addEvents(events: Map<string, ComparableEvent>, contents: PartitionContents): string[] {
  const problems: string[] = [];
  for (const topic of topicNames) {
    for (const { message } of contents[topic]) {
      if (message === null || topic === 'dead-letter.v1' || OF_A_MOMENT.has(topic)) continue;
      const event = comparableEvent(topic, message);
      const before = events.get(message.eventId);
      if (before === undefined) events.set(message.eventId, event);
      else if (before.topic !== topic || !isSame(before, event, { repeated: true }))
        problems.push(`${topic} and ${before.topic} have two events under ${message.eventId}`);
    }
  }
  return problems;
}

function comparableEvent(topic: TopicName, message: AnyMessage): ComparableEvent {
  const { outcome, repeat } = message as { outcome?: string; repeat?: boolean };
  const isRepeat = repeat === true || outcome === 'REPEAT' || outcome === 'ALREADY_ANSWERED';
  return { topic, runId: message.runId, repeat: isRepeat, text: JSON.stringify(message) };
}

function isSame(a: ComparableEvent, b: ComparableEvent, equality?: Equality): boolean {
  const [event, other] = [a, b].map(({ text }) => JSON.parse(text) as object) as [object, object];
  return a.text === b.text || areEqual(event, other, equality);
}

/**
 * What sets a line apart from an undisturbed one, which may have runs that this one has not. What was published again
 * has repeats more; every other event is there, once, and equal.
 */
export function differences(events: Events, undisturbed: Events): string[] {
  const runs = new Set([...events.values()].map(({ runId }) => runId));
  const problems: string[] = [];
  for (const [id, event] of events) {
    const { topic, runId, repeat, text } = event;
    const wanted = undisturbed.get(id);
    if (wanted === undefined && !repeat)
      problems.push(`${topic} has ${id} of ${runId}, which nobody expects`);
    if (wanted !== undefined && !isSame(wanted, event))
      problems.push(`${topic} has ${id} of ${runId} with other content:\n  ${text}\n  ${wanted.text}`);
  }
  for (const [id, { topic, runId, repeat }] of undisturbed) {
    if (runs.has(runId) && !repeat && !events.has(id)) problems.push(`${topic} lacks ${id} of ${runId}`);
  }
  return problems;
}
