import type { NewRecord } from '../src/bus/bus.js';
import { createCodec, type Codec } from '../src/contracts/codec.js';
import type { TopicMessages } from '../src/contracts/topics.js';
import { encodeRecord, type Emitter } from '../src/station/envelope.js';
import { TRACEPARENT } from '../src/station/traceparent.js';
import { draftSubmitted, type DraftHandIn } from './drafts.js';
import { lookupRequested, type Lookup } from './lookups.js';

/** Lookups and drafts as records for whatever Kafka client the agent has. Nothing is sent here. */

/** A record, with everything that the line asks of it. Send it to this partition, and to no other. */
export interface KafkaRecord {
  /** Its name in Kafka. */
  readonly topic: string;
  /** (murmur2(run_id) & 0x7fffffff) mod the number of partitions: where the line looks for the run. */
  readonly partition: number;
  /** The run_id in UTF-8. */
  readonly key: Buffer;
  /** 0x00, the schema id, Avro. */
  readonly value: Buffer;
  /** CloudEvents' binary mode and, where given, `traceparent`. `ce_id` is the event_id, by which the answer is known. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface RecordOptions {
  /** Partitions of the line's topics; all have the same number. */
  readonly partitions: number;
  /** What the topics' names begin with. Default `proofline.` */
  readonly topicPrefix?: string;
  /** One that writes the ids of a registry; without it the local ids, which every line reads. */
  readonly codec?: Codec;
  /** Who writes; stands in `ce_source`. Default `agent`. */
  readonly source?: string;
  /** W3C Trace Context of the caller; what is none is left out. */
  readonly traceparent?: string;
  /** When it is asked or handed in, epoch milliseconds. Default now. */
  readonly now?: number;
}

/**
 * The record of a lookup. The projection that answers it has its `ce_id` as `request_event_id`.
 * @throws ProoflineError PL_ID_INVALID, PL_INPUT_INVALID
 */
export function lookupRecord(lookup: Lookup, options: RecordOptions): KafkaRecord {
  const { now = Date.now() } = options;
  return recordOf('lookup-requested.v1', lookupRequested(lookup, now), now, options);
}

/**
 * The record of a draft. The verdict about it has its `ce_id` as `caused_by`.
 * @throws ProoflineError PL_ID_INVALID
 */
export function draftRecord(draft: DraftHandIn, options: RecordOptions): KafkaRecord {
  const { now = Date.now() } = options;
  return recordOf('draft-submitted.v1', draftSubmitted(draft, now), now, options);
}

const DEFAULT_PREFIX = 'proofline.';
const localCodec = createCodec();

function recordOf<T extends 'lookup-requested.v1' | 'draft-submitted.v1'>(
  topic: T,
  message: TopicMessages[T],
  now: number,
  options: RecordOptions,
): KafkaRecord {
  const { topicPrefix = DEFAULT_PREFIX, codec = localCodec, source = 'agent', traceparent } = options;
  const emitter: Emitter = {
    station: source,
    codec,
    partitions: options.partitions,
    prefix: topicPrefix,
    now: () => now,
  };
  const inherited = traceparent === undefined ? {} : { [TRACEPARENT]: traceparent };
  const { partition, key, value, headers } = encodeRecord(emitter, topic, message, inherited);
  return { topic: `${topicPrefix}${topic}`, partition, key, value: written(value), headers };
}

/** Only a tombstone has no value. */
function written(value: NewRecord['value']): Buffer {
  return value ?? Buffer.alloc(0);
}
