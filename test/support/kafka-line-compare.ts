import { topicNames, type AnyMessage, type TopicName } from '../../src/contracts/topics.js';
import type { PartitionContents } from './kafka-line-topics.js';

/** Events by their id, each as a text that equal events share. */
export type Events = ReadonlyMap<string, ComparableEvent>;

export interface ComparableEvent {
  readonly topic: TopicName;
  readonly runId: string;
  /** True of what is only there because something was published again. */
  readonly repeat: boolean;
  readonly text: string;
}

/** Fields in which equal events may differ: when and where, not what. */
const MAY_DIFFER: ReadonlySet<string> = new Set(['measured', 'partition', 'offset', 'requestOffset']);
/** Of what an agent published again, and of all that follows from it. */
export const MAY_DIFFER_AGAIN: readonly string[] = ['occurredAt', 'ext'];

/** B1 may be said for B2, where the index of call ids lags. */
const UNKNOWN_CALL = /^TOOL_CALL_(?:UNKNOWN|FOREIGN_RUN)$/;

export function comparable(event: object | undefined, without: readonly string[] = []): string {
  return JSON.stringify(event, (key, value: unknown) => {
    if (MAY_DIFFER.has(key) || key === 'foundRunId' || without.includes(key)) return undefined;
    if (key === 'violationCodes') return (value as string[]).map(plainCode);
    return isUnknownCall(value) ? { code: plainCode(value.code), path: value.path } : value;
  });
}

function isUnknownCall(value: unknown): value is { code: string; path: string } {
  const { code } = (value ?? {}) as { code?: unknown };
  return typeof code === 'string' && UNKNOWN_CALL.test(code);
}

function plainCode(code: string): string {
  return code.replace(UNKNOWN_CALL, 'TOOL_CALL_UNKNOWN');
}

/** Adds the events of a partition; tells where two events of one id are not equal. */
export function addEvents(events: Map<string, ComparableEvent>, contents: PartitionContents): string[] {
  const problems: string[] = [];
  for (const topic of topicNames) {
    for (const { message } of contents[topic]) {
      if (message === null || topic === 'dead-letter.v1') continue;
      const event = comparableEvent(topic, message);
      const before = events.get(message.eventId);
      if (before === undefined) events.set(message.eventId, event);
      else if (before.topic !== topic || withoutTimes(before) !== withoutTimes(event))
        problems.push(`${topic} and ${before.topic} have two events under ${message.eventId}`);
    }
  }
  return problems;
}

function comparableEvent(topic: TopicName, message: AnyMessage): ComparableEvent {
  const { outcome, repeat } = message as { outcome?: string; repeat?: boolean };
  const isRepeat = repeat === true || outcome === 'REPEAT' || outcome === 'ALREADY_ANSWERED';
  return { topic, runId: message.runId, repeat: isRepeat, text: comparable(message) };
}

function withoutTimes({ text }: ComparableEvent): string {
  return comparable(JSON.parse(text) as object, MAY_DIFFER_AGAIN);
}

/**
 * What sets a line apart from an undisturbed one, which may have runs that this one has not. What was published again
 * has repeats more; every other event is there, once, and equal.
 */
export function differences(events: Events, undisturbed: Events): string[] {
  const runs = new Set([...events.values()].map(({ runId }) => runId));
  const problems: string[] = [];
  for (const [id, { topic, runId, repeat, text }] of events) {
    const wanted = undisturbed.get(id);
    if (wanted === undefined && !repeat)
      problems.push(`${topic} has ${id} of ${runId}, which nobody expects`);
    if (wanted !== undefined && wanted.text !== text)
      problems.push(`${topic} has ${id} of ${runId} with other content:\n  ${text}\n  ${wanted.text}`);
  }
  for (const [id, { topic, runId, repeat }] of undisturbed) {
    if (runs.has(runId) && !repeat && !events.has(id)) problems.push(`${topic} lacks ${id} of ${runId}`);
  }
  return problems;
}
