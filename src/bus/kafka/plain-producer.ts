import type { CuttableCluster } from './client.js';
import { createPartitionBrokers } from './partition-brokers.js';
import { toTopicData, type TopicMessages } from './produced-batches.js';
import { sendToLeaders, type BatchOffset } from './send-to-leaders.js';

/** Writes without a transaction. What is not answered is sent again, so it may be there twice. */
export interface PlainProducer {
  connect(): Promise<void>;
  /** One batch a partition. Answers with where each was written. */
  sendBatch(records: { readonly topicMessages: readonly TopicMessages[] }): Promise<BatchOffset[]>;
  disconnect(): Promise<void>;
}

const NOT_IDEMPOTENT = 0;

export function createPlainProducer(connection: CuttableCluster): PlainProducer {
  const brokers = createPartitionBrokers(connection.cluster);
  return {
    connect: () => connection.cluster.connect(),
    async sendBatch({ topicMessages }) {
      const topicData = toTopicData(topicMessages, () => NOT_IDEMPOTENT);
      try {
        return await sendToLeaders(brokers, {}, topicData);
      } catch (error) {
        if (!brokers.mayBeRepeated(error)) throw error;
      }
      // Apart: what one partition is sent again for, the others are not.
      const apart = topicData.flatMap(({ topic, partitions }) =>
        partitions.map((each) => [{ topic, partitions: [each] }]),
      );
      const asked = apart.map((one) => brokers.whileUnanswered(() => sendToLeaders(brokers, {}, one)));
      await Promise.allSettled(asked);
      return (await Promise.all(asked)).flat();
    },
    disconnect: () => connection.close(),
  };
}
