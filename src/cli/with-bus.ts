import type { Bus } from '../bus/bus.js';
import type { CommandContext } from './command.js';
import { configOf } from './with-line.js';

/**
 * Does something with the line's logs, no station running: Kafka's where brokers are named, else the data folder's.
 * @throws ProoflineError as opening them does; PL_DATA_FOLDER_LOCKED while a line runs on the folder.
 */
export async function withBus<T>(context: CommandContext, work: (bus: Bus) => Promise<T>): Promise<T> {
  const bus = await openBus(context);
  try {
    return await work(bus);
  } finally {
    await bus.close();
  }
}

async function openBus(context: CommandContext): Promise<Bus> {
  const { kafka, topicPrefix: prefix, data } = await configOf(context);
  if (kafka === null) {
    const { openEmbeddedBus } = await import('../bus/embedded/embedded-bus.js');
    return openEmbeddedBus({ folder: data });
  }
  const { openKafkaBus } = await import('../bus/kafka/kafka-bus.js');
  const { kafkaConnectionOf } = await import('../bus/kafka/connection.js');
  return openKafkaBus({ ...kafkaConnectionOf(kafka), prefix, partitions: null });
}
