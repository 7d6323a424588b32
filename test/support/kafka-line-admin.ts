import type { NewRecord } from '../../src/bus/bus.js';
import { openKafkaBus } from '../../src/bus/kafka/kafka-bus.js';
import { ConfigResourceTypes } from '../../src/bus/kafka/load-kafkajs.js';
import { topicConfig } from '../../src/bus/kafka/topics.js';
import type { TopicName } from '../../src/contracts/topics.js';
import { withAdmin } from './kafka-bus.js';
import type { KafkaTestLine } from './kafka-line.js';
import { waitUntil } from './wait.js';

/** What an operator may do to the topics of a line behind its back. */

export async function deleteBefore(
  line: KafkaTestLine,
  name: TopicName,
  partition: number,
  offset: number,
): Promise<void> {
  const topic = line.prefix + name;
  await withAdmin(line.address, async (admin) => {
    // Deleting alone knows no metadata.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(offset) }] });
  });
}

/** Deletes the topic, makes it anew, and appends the records. */
export async function makeAnew(
  line: KafkaTestLine,
  name: TopicName,
  records: readonly NewRecord[],
): Promise<void> {
  const topic = line.prefix + name;
  const configEntries = entriesOf(topicConfig(name));
  await withAdmin(line.address, async (admin) => {
    await admin.deleteTopics({ topics: [topic] });
    await waitUntil('it is gone', async () => !(await admin.listTopics()).includes(topic));
    const made = { topic, numPartitions: line.partitions, replicationFactor: 1, configEntries };
    await admin.createTopics({ topics: [made], waitForLeaders: true });
  });
  // One that knows the old topic would first have to learn that it is gone.
  const writer = await openKafkaBus({ brokers: [line.address], prefix: line.prefix, partitions: null });
  await writer.append(records);
  await writer.close();
}

/** Null puts the limit back to what the line needs. */
export async function limitBytes(line: KafkaTestLine, name: TopicName, bytes: number | null): Promise<void> {
  const limit = bytes === null ? {} : { 'max.message.bytes': String(bytes) };
  const configEntries = entriesOf({ ...topicConfig(name), ...limit });
  await withAdmin(line.address, (admin) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: line.prefix + name, configEntries }],
    }),
  );
}

function entriesOf(settings: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(settings).map(([name, value]) => ({ name, value }));
}
