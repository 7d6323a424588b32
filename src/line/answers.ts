import type { Bus, Consumption, StoredRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { isProoflineError, ProoflineError } from '../contracts/errors.js';
import type { TopicMessages } from '../contracts/topics.js';

/** Topics that carry answers, each found by the event that it answers. */
const ANSWER_TOPICS = ['projected.v1', 'verdict.v1', 'reviewed.v1', 'verified.v1'] as const;
type AnswerTopic = (typeof ANSWER_TOPICS)[number];

/** Waiting for what the line says to a lookup or a draft. */
export interface Answers {
  /**
   * The first message of the topic that answers the event, of those that come from now on.
   * @throws ProoflineError PL_TIMEOUT after `timeoutMs`
   */
  wait<T extends AnswerTopic>(topic: T, eventId: string, timeoutMs: number): Promise<TopicMessages[T]>;
  stop(): Promise<void>;
}

type Deliver = (message: TopicMessages[AnswerTopic]) => void;

export function followAnswers(bus: Bus, codec: Codec): Answers {
  const waiting = new Map<string, Set<Deliver>>();
  const consumption: Consumption = bus.follow(ANSWER_TOPICS, (records) => {
    if (waiting.size > 0) for (const record of records) deliver(record);
  });

  function deliver(record: StoredRecord): void {
    const topic = record.topic as AnswerTopic;
    const message = decodeOrNull(codec, topic, record.value);
    if (message === null) return;
    const waiters = waiting.get(nameOf(topic, answeredEvent(topic, message)));
    for (const give of waiters ?? []) give(message);
  }

  return {
    wait<T extends AnswerTopic>(topic: T, eventId: string, timeoutMs: number): Promise<TopicMessages[T]> {
      const name = nameOf(topic, eventId);
      return new Promise((resolve, reject) => {
        const waiters = waiting.get(name) ?? new Set<Deliver>();
        const end = (): void => {
          clearTimeout(timer);
          waiters.delete(give);
          if (waiters.size === 0) waiting.delete(name);
        };
        const give: Deliver = (message) => {
          end();
          resolve(message as TopicMessages[T]);
        };
        const timer = setTimeout(() => {
          end();
          reject(
            new ProoflineError('PL_TIMEOUT', {
              seconds: timeoutMs / 1000,
              what: `${topic} for event ${eventId}`,
            }),
          );
        }, timeoutMs);
        waiting.set(name, waiters.add(give));
      });
    },
    stop: () => consumption.stop(),
  };
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
