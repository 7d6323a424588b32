import type { AnswerKind } from '../audit/audit-store.js';
import type { Codec } from '../contracts/codec.js';
import type { TopicMessages } from '../contracts/topics.js';
import type { Kept, RunData } from './run-snapshot.js';
import { readMessage } from './scan.js';

/** A run's messages from wherever they are still kept: the topics first, then the answers in the audit. */

/** Topics whose messages the audit keeps too, the first of each id. */
export const ANSWERS = {
  'projected.v1': 'LOOKUP',
  'verdict.v1': 'VERDICT',
  'reviewed.v1': 'REVIEWED',
  'repair-requested.v1': 'REPAIR',
  'verified.v1': 'OUTCOME',
} as const satisfies Partial<Record<keyof RunData['records'], AnswerKind>>;

export type AnswerTopic = keyof typeof ANSWERS;

/** A message of the run. */
export interface Seen<T extends AnswerTopic> {
  readonly message: TopicMessages[T];
  /** When the bus took it; null where only the audit has it. */
  readonly timestamp: number | null;
}

/** The topic's messages of the run, the first of each event id, in order; those that only the audit has come first. */
export function seenMessages<T extends AnswerTopic>(data: RunData, codec: Codec, topic: T): Seen<T>[] {
  const kept = (data.records[topic] as readonly Kept<T>[]).map(({ message, timestamp }) => ({
    message,
    timestamp,
  }));
  const known = new Set(kept.map(({ message }) => message.eventId));
  const gone = data.audit.answers
    .filter(({ kind, eventId }) => kind === ANSWERS[topic] && !known.has(eventId))
    .flatMap(({ value }) => readMessage(codec, topic, value).message ?? [])
    .map((message) => ({ message, timestamp: null }));
  return firstOfEach([...gone, ...kept], ({ message }) => message.eventId);
}

/** The items without those whose name came before. */
export function firstOfEach<T>(items: readonly T[], nameOf: (item: T) => string): T[] {
  const first = new Map<string, T>();
  for (const item of items) if (!first.has(nameOf(item))) first.set(nameOf(item), item);
  return [...first.values()];
}
