import type { Bus, Consumption, StoredRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { isProoflineError, ProoflineError } from '../contracts/errors.js';
import type { TopicMessages } from '../contracts/topics.js';

/** Topics that carry answers, each found by the event that it answers. */
const ANSWER_TOPICS = [
  'projected.v1',
  'verdict.v1',
  'reviewed.v1',
  'repair-requested.v1',
  'verified.v1',
] as const;
type AnswerTopic = (typeof ANSWER_TOPICS)[number];

/** What a run's progress is told by: the questions, and the answers to them. */
export const RUN_EVENT_TOPICS = ['lookup-requested.v1', 'draft-submitted.v1', ...ANSWER_TOPICS] as const;

/** Waiting for what the line says to a lookup or a draft. */
export interface Answers {
  /**
   * The first message of the topic that answers the event, of those that come from now on.
   * @throws ProoflineError PL_TIMEOUT after `timeoutMs`; the signal's reason once it is aborted
   */
  wait<T extends AnswerTopic>(
    topic: T,
    eventId: string,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<TopicMessages[T]>;
  /**
   * Calls back with every record of RUN_EVENT_TOPICS that has the run's key, of those that come from now on, until
   * the function that it answers with is called. `onRecord` MUST NOT throw.
   */
  ofRun(runId: string, onRecord: (record: StoredRecord) => void): () => void;
  stop(): Promise<void>;
}

type Deliver = (message: TopicMessages[AnswerTopic]) => void;
type OnRecord = (record: StoredRecord) => void;

export function followAnswers(bus: Bus, codec: Codec): Answers {
  const waiting = new Map<string, Set<Deliver>>();
  const runs = new Map<string, Set<OnRecord>>();
  const consumption: Consumption = bus.follow(RUN_EVENT_TOPICS, (records) => {
    if (waiting.size > 0) for (const record of records) deliver(record);
    if (runs.size > 0) for (const record of records) tell(record);
  });

  function deliver(record: StoredRecord): void {
    if (!isAnswerTopic(record.topic)) return;
    const message = decodeOrNull(codec, record.topic, record.value);
    if (message === null) return;
    const waiters = waiting.get(nameOf(record.topic, answeredEvent(record.topic, message)));
    for (const give of waiters ?? []) give(message);
  }

  function tell(record: StoredRecord): void {
    for (const onRecord of runs.get(record.key?.toString('utf8') ?? '') ?? []) onRecord(record);
  }

  return {
    wait<T extends AnswerTopic>(
      topic: T,
      eventId: string,
      timeoutMs: number,
      signal?: AbortSignal,
    ): Promise<TopicMessages[T]> {
      if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
      return new Promise((resolve, reject) => {
        const give: Deliver = (message) => {
          end();
          resolve(message as TopicMessages[T]);
        };
        const end = put(waiting, nameOf(topic, eventId), give, () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        });
        const onAbort = (): void => {
          end();
          reject(signal?.reason as Error);
        };
        const timer = setTimeout(() => {
          end();
          const params = { seconds: timeoutMs / 1000, what: `${topic} for event ${eventId}` };
          reject(new ProoflineError('PL_TIMEOUT', params));
        }, timeoutMs);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
    ofRun: (runId, onRecord) => put(runs, runId, onRecord),
    stop: () => consumption.stop(),
  };
}

/** Puts the item under the name; the answer takes it away again. */
function put<T>(sets: Map<string, Set<T>>, name: string, item: T, onEnd?: () => void): () => void {
  const set = sets.get(name) ?? new Set<T>();
  sets.set(name, set.add(item));
  return () => {
    onEnd?.();
    set.delete(item);
    if (set.size === 0 && sets.get(name) === set) sets.delete(name);
  };
}

function isAnswerTopic(topic: string): topic is AnswerTopic {
  return (ANSWER_TOPICS as readonly string[]).includes(topic);
}

function nameOf(topic: AnswerTopic, eventId: string | null): string {
  return `${topic} ${eventId ?? ''}`;
}

/** A projection names its request, which a repeat shares; the others follow from what they answer. */
function answeredEvent(topic: AnswerTopic, message: TopicMessages[AnswerTopic]): string | null {
  return topic === 'projected.v1'
    ? (message as TopicMessages['projected.v1']).requestEventId
    : message.causedBy;
}

function decodeOrNull<T extends AnswerTopic>(
  codec: Codec,
  topic: T,
  value: Buffer | null,
): TopicMessages[T] | null {
  try {
    return value === null ? null : codec.decode(topic, value);
  } catch (error) {
    if (isProoflineError(error)) return null;
    throw error;
  }
}
