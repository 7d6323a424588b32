import { openAuditReader } from '../audit/open-audit.js';
import { kafkaConnectionOf } from '../bus/kafka/connection.js';
import { openKafkaBus } from '../bus/kafka/kafka-bus.js';
import type { Config } from '../config/config.js';
import { openRedisLedgerView } from '../ledger/redis/redis-ledger-view.js';
import { createClosing } from './closing.js';
import { doorClient } from './door-client.js';
import { openKafkaDoors } from './kafka-doors.js';
import { kafkaServices, openCodec } from './kafka-services.js';
import { verifyingKeyring } from './verifying-keyring.js';
import type { DoorClient } from './line-client.js';

/**
 * The doors of the line in Kafka, for one command: it asks, and the stations of other processes answer.
 * @throws ProoflineError as what it opens does.
 */
export async function openKafkaClient(config: Config): Promise<DoorClient> {
  const { kafka, redisUrl, redisPrefix } = kafkaServices(config);
  const { topicPrefix: prefix } = config;
  const closing = createClosing();
  try {
    const codec = await openCodec(config);
    const audit = await openAuditReader(config);
    closing.first(() => audit.close());
    const bus = await openKafkaBus({ ...kafkaConnectionOf(kafka), prefix, partitions: null });
    closing.first(() => bus.close());
    const ledger = openRedisLedgerView({
      connection: redisUrl,
      prefix: redisPrefix,
      epoch: bus.epoch,
      codec,
    });
    closing.first(() => ledger.close());
    const doors = openKafkaDoors({ bus, codec, audit }, prefix);
    closing.first(() => doors.answers.stop());
    const line = { ...doors, bus, ledger, codec, audit, keyring: verifyingKeyring(config) };
    return { remote: true, ...doorClient(line, config.answerTimeoutMs), close: () => closing.run() };
  } catch (error) {
    await closing.run();
    throw error;
  }
}
