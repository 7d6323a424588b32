import type { Broker } from './kafkajs-internals.js';
import type { PartitionBrokers } from './partition-brokers.js';
import type { PartitionOf } from './produced-batches.js';
import type {
  ProduceAnswer,
  ProducedPartition,
  ProducedTopic,
  ProduceRequest,
} from './wire/produce-request.js';

/** Where the first record of a batch was written. */
export interface BatchOffset extends PartitionOf {
  readonly baseOffset: number;
}

/** Who writes: a transaction, or nobody in particular. */
type Writer = Pick<ProduceRequest, 'transactionalId' | 'producerId' | 'producerEpoch'>;

/** Sends each batch to its leader, and answers once all of them are with all replicas. */
export async function sendToLeaders(
  brokers: PartitionBrokers,
  writer: Writer,
  topicData: readonly ProducedTopic[],
): Promise<BatchOffset[]> {
  const parts = await byLeader(brokers, topicData);
  const asked = parts.map(([leader, part]) => leader.produce({ ...writer, acks: -1, topicData: part }));
  // What goes on after an error must not go on beside what is still under way.
  await Promise.allSettled(asked);
  const answers = await Promise.all(asked);
  return answers.flatMap(toOffsets);
}

async function byLeader(
  brokers: PartitionBrokers,
  topicData: readonly ProducedTopic[],
): Promise<[Broker, ProducedTopic[]][]> {
  const leaders = new Map<Broker, Map<string, ProducedPartition[]>>();
  for (const { topic, partitions } of topicData) {
    for (const each of partitions) {
      const leader = await brokers.leader(topic, each.partition);
      const part = leaders.get(leader) ?? new Map<string, ProducedPartition[]>();
      leaders.set(leader, part);
      part.set(topic, [...(part.get(topic) ?? []), each]);
    }
  }
  return [...leaders].map(([leader, part]) => [
    leader,
    [...part].map(([topic, partitions]) => ({ topic, partitions })),
  ]);
}

function toOffsets({ topics }: ProduceAnswer): BatchOffset[] {
  return topics.flatMap(({ topicName: topic, partitions }) =>
    partitions.map(({ partition, baseOffset }) => ({ topic, partition, baseOffset: Number(baseOffset) })),
  );
}
