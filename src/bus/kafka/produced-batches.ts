import type { RecordToEncode } from './encode-record.js';
import type { ProducedPartition, ProducedTopic } from './wire/produce-request.js';

export interface Message extends RecordToEncode {
  readonly partition: number;
  /** Epoch milliseconds; the time of writing where there is none. */
  readonly timestamp?: string;
}

export interface TopicMessages {
  readonly topic: string;
  readonly messages: readonly Message[];
}

export interface PartitionOf {
  /** By its name in Kafka. */
  readonly topic: string;
  readonly partition: number;
}

const LARGEST = 2 ** 31 - 1;

/** The messages of each partition as one batch, that begins with its next sequence number. */
export function toTopicData(
  topicMessages: readonly TopicMessages[],
  sequenceOf: (partition: PartitionOf) => number,
): ProducedTopic[] {
  return topicMessages.map(({ topic, messages }) => {
    const batches = new Map<number, Message[]>();
    for (const message of messages) {
      const batch = batches.get(message.partition);
      if (batch === undefined) batches.set(message.partition, [message]);
      else batch.push(message);
    }
    const partitions = [...batches].map(([partition, batch]): ProducedPartition => ({
      partition,
      firstSequence: sequenceOf({ topic, partition }),
      messages: batch,
    }));
    return { topic, partitions };
  });
}

/** After the largest comes 0. */
export function nextSequence(first: number, records: number): number {
  return first > LARGEST - records ? records - (LARGEST - first) - 1 : first + records;
}
