import { createCodec, type Codec } from '../src/contracts/codec.js';
import { isProoflineError, type ProoflineError } from '../src/contracts/errors.js';
import { createSeenEvents, type SeenEventsLimits } from '../src/contracts/seen-events.js';
import { isTopicName, type TopicMessages, type TopicName } from '../src/contracts/topics.js';

/**
 * Reading the line's topics with whatever Kafka client there is: decoded, and each event once.
 *
 * The client MUST read with `isolation.level=read_committed`. Stations write in transactions, and what is rolled back
 * never happened; Java's and librdkafka's defaults differ, so say it.
 */

/** What is done with the messages of a topic, one at a time within a partition. It may be called again for one that it threw for. */
export type MessageHandlers = {
  readonly [T in TopicName]?: (message: TopicMessages[T]) => Promise<void> | void;
};

/** A record as Kafka clients give it. */
export interface ForeignRecord {
  /** Its name in Kafka. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: string | number;
  readonly value: Buffer | null;
}

export interface ReadOptions {
  /** What the topics' names begin with. Default `proofline.` */
  readonly topicPrefix?: string;
  /** One that knows the ids of a registry; without it the local ids alone are read. */
  readonly codec?: Codec;
  /** How much is remembered to tell repeats. */
  readonly remember?: Partial<SeenEventsLimits>;
  /**
   * Told of a record that cannot be decoded; it is passed over. Without it the error is thrown, and the client stops
   * or tries again, as it does with errors.
   */
  readonly onUnreadable?: (record: ForeignRecord, error: ProoflineError) => void;
}

/**
 * A function that hands each event to its handler. Tombstones, topics without a handler and repeats are passed over. An
 * event counts as dealt with once its handler is done; whatever that throws is thrown.
 */
export function messageReader(
  handlers: MessageHandlers,
  options: ReadOptions = {},
): (record: ForeignRecord) => Promise<void> {
  const { topicPrefix = 'proofline.', codec = createCodec(), onUnreadable } = options;
  const seen = createSeenEvents(options.remember);

  async function decode(topic: TopicName, record: ForeignRecord): Promise<TopicMessages[TopicName] | null> {
    if (record.value === null) return null;
    await codec.learn([record.value]);
    try {
      return codec.decode(topic, record.value);
    } catch (error) {
      // A registry that is down says nothing about the record: it is read again later.
      if (onUnreadable === undefined || !isProoflineError(error) || error.retryable) throw error;
      onUnreadable(record, error);
      return null;
    }
  }

  return async (record) => {
    const topic = record.topic.startsWith(topicPrefix) ? record.topic.slice(topicPrefix.length) : '';
    const handler = isTopicName(topic) ? (handlers[topic] as Handler | undefined) : undefined;
    if (handler === undefined) return;
    const message = await decode(topic as TopicName, record);
    if (message === null || seen.has(message.eventId, message.runId)) return;
    await handler(message);
    seen.add(message.eventId, message.runId);
  };
}

type Handler = (message: TopicMessages[TopicName]) => Promise<void> | void;

/** What kafkajs, and clients that are like it, give to `eachMessage`. */
export interface EachMessagePayload {
  readonly topic: string;
  readonly partition: number;
  readonly message: { readonly offset: string; readonly value: Buffer | null };
}

/** `consumer.run({ eachMessage: eachMessage(handlers) })`. */
export function eachMessage(
  handlers: MessageHandlers,
  options?: ReadOptions,
): (payload: EachMessagePayload) => Promise<void> {
  const read = messageReader(handlers, options);
  return ({ topic, partition, message: { offset, value } }) => read({ topic, partition, offset, value });
}
