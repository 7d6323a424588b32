import { chooseService } from './choose-service.js';
import type { KafkaServiceOptions } from './kafka-config.js';
import { startKafkaContainer } from './kafka-container.js';
import { kafkaMissingLocally, startKafkaLocally } from './kafka-local.js';
import type { Service } from './service.js';

/** A Kafka of one node. */
export interface KafkaService extends Service {
  /** `host:port`. */
  readonly address: string;
}

const chosen = chooseService<KafkaServiceOptions>('kafka', {
  processMissing: kafkaMissingLocally,
  startProcess: startKafkaLocally,
  startContainer: startKafkaContainer,
});

/** Why Kafka cannot be had on this machine; null where it can. Fetches it when it is not there yet. */
export const kafkaMissing = chosen.missing;

/** A Kafka of its own, without topics. */
export async function startKafka(options: KafkaServiceOptions = {}): Promise<KafkaService> {
  const service = await chosen.start(options);
  return { ...service, address: `${service.host}:${service.port}` };
}
