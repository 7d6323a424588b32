import type { Headers, NewRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { sha256 } from '../contracts/digest.js';
import { deadlineEventId, derivedEventId } from '../contracts/ids.js';
import { partitionOf } from '../contracts/partition.js';
import type { AnyMessage, TopicMessages, TopicName } from '../contracts/topics.js';
import { VERSION } from '../version.js';
import type { Due, Emission } from './station.js';
import { isTraceparent, TRACEPARENT } from './traceparent.js';

/** Who emits, and how. */
export interface Emitter {
  readonly station: string;
  readonly codec: Codec;
  readonly partitions: number;
  /** Prefix of the topics' names on the bus. */
  readonly prefix: string;
  now(): number;
}

/** What an output takes over from its input. */
export interface Cause {
  readonly eventId: string;
  readonly runId: string;
  readonly occurredAt: number;
  readonly headers: Headers;
}

/** The records of an outcome, encoded, in the order of the emissions; ordinals count per topic. */
export function encodeEmissions(emitter: Emitter, cause: Cause, emissions: readonly Emission[]): NewRecord[] {
  return withOrdinals(emissions, (emission, ordinal) => encodeEmission(emitter, cause, emission, ordinal));
}

/** What follows from a run's deadline, encoded: it was then that it happened, and no event caused it. */
export function encodeDue(
  emitter: Emitter,
  { runId, deadline }: Pick<Due, 'runId' | 'deadline'>,
  emissions: readonly Emission[],
): NewRecord[] {
  const { station } = emitter;
  return withOrdinals(emissions, ({ topic, body, key }, ordinal) => {
    const eventId = deadlineEventId(sha256, { station, runId, deadline, topic, ordinal });
    const message = { eventId, causedBy: null, runId, occurredAt: deadline, ...body } as AnyMessage;
    return encodeRecord(emitter, topic, message as never, {}, key);
  });
}

function withOrdinals(
  emissions: readonly Emission[],
  encode: (emission: Emission, ordinal: number) => NewRecord,
): NewRecord[] {
  const ordinals = new Map<TopicName, number>();
  return emissions.map((emission) => {
    const ordinal = ordinals.get(emission.topic) ?? 0;
    ordinals.set(emission.topic, ordinal + 1);
    return encode(emission, ordinal);
  });
}

function encodeEmission(emitter: Emitter, cause: Cause, emission: Emission, ordinal: number): NewRecord {
  const { topic, mark } = emission;
  const from = { station: emitter.station, runId: cause.runId, inputEventId: cause.eventId, topic, ordinal };
  const message = {
    eventId: derivedEventId(sha256, mark === undefined ? from : { ...from, mark }),
    causedBy: cause.eventId,
    runId: cause.runId,
    occurredAt: cause.occurredAt,
    ...emission.body,
  } as AnyMessage;
  return encodeRecord(emitter, topic, message as never, cause.headers, emission.key);
}

/** A record of any message, with the headers that every record has. */
export function encodeRecord<T extends TopicName>(
  emitter: Emitter,
  topic: T,
  message: TopicMessages[T],
  inherited: Headers = {},
  key: string = message.runId,
): NewRecord {
  return {
    topic,
    partition: partitionOf(message.runId, emitter.partitions),
    key: Buffer.from(key, 'utf8'),
    value: emitter.codec.encode(topic, message),
    headers: cloudEventHeaders(emitter, topic, message, inherited),
  };
}

/** CloudEvents' Kafka binary mode, and the trace that the input belongs to. */
function cloudEventHeaders(
  emitter: Emitter,
  topic: TopicName,
  message: AnyMessage,
  inherited: Headers,
): Headers {
  const traceparent = inherited[TRACEPARENT];
  const headers: Record<string, string> = {
    ce_specversion: '1.0',
    ce_id: message.eventId,
    ce_type: `${emitter.prefix}${topic}`,
    ce_source: `proofline/${emitter.station}/${VERSION}`,
    ce_time: timeText(emitter.now()),
  };
  if (isTraceparent(traceparent)) headers[TRACEPARENT] = traceparent;
  return headers;
}

let [textOf, text] = [NaN, ''];

/** RFC 3339. Records of a batch are written in the same millisecond, and the text takes longer than all else here. */
function timeText(ms: number): string {
  if (ms !== textOf) [textOf, text] = [ms, new Date(ms).toISOString()];
  return text;
}
