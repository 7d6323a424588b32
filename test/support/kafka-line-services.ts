import { kafkaMissing, startKafka, type KafkaService } from './services/kafka.js';
import type { KafkaServiceOptions } from './services/kafka-config.js';
import { postgresMissing, startPostgres, type PostgresService } from './services/postgres.js';
import type { RedisServiceOptions } from './services/redis-config.js';
import { redisMissing, startRedis, type RedisService } from './services/redis.js';
import { registryMissing, startRegistry, type RegistryService } from './services/registry.js';

/** Everything that a line in Kafka needs besides keys. */
export interface LineServices {
  readonly kafka: KafkaService;
  readonly redis: RedisService;
  readonly registry: RegistryService;
  readonly postgres: PostgresService;
  stop(options?: { readonly keepLogs?: boolean }): Promise<void>;
}

/** Why one of them cannot be had on this machine; null where all can. */
export async function lineServicesMissing(): Promise<string | null> {
  const reasons = [kafkaMissing, redisMissing, registryMissing, postgresMissing];
  for (const missing of reasons) {
    const reason = await missing();
    if (reason !== null) return reason;
  }
  return null;
}

export async function startLineServices(
  options: { readonly kafka?: KafkaServiceOptions; readonly redis?: RedisServiceOptions } = {},
): Promise<LineServices> {
  const [kafka, redis, registry, postgres] = await Promise.all([
    startKafka(options.kafka),
    startRedis(options.redis),
    startRegistry(),
    startPostgres(),
  ]);
  const all = [kafka, redis, registry, postgres];
  return {
    kafka,
    redis,
    registry,
    postgres,
    async stop(how) {
      await Promise.all(all.map((each) => each.stop(how)));
    },
  };
}
