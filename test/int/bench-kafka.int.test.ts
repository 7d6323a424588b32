import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Figure } from '../../src/bench/measure.js';
import { createKafkaClient } from '../../src/bus/kafka/client.js';
import { cli } from '../support/cli-run.js';
import { kafkaMissing, startKafka, type KafkaService } from '../support/services/kafka.js';
import { redisMissing, startRedis, type RedisService } from '../support/services/redis.js';
import { tempFolder, removeTempFolders } from '../support/temp-folder.js';

const missing = (await kafkaMissing()) ?? (await redisMissing());

describe.skipIf(missing !== null)(
  `proofline bench kafka${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let kafka: KafkaService;
    let redis: RedisService;

    beforeAll(async () => {
      [kafka, redis] = await Promise.all([startKafka(), startRedis()]);
      // The files of its processes are TypeScript here.
      vi.stubEnv('NODE_OPTIONS', '--import tsx');
    }, 120_000);
    afterAll(async () => {
      vi.unstubAllEnvs();
      await Promise.all([kafka.stop(), redis.stop()]);
      removeTempFolders();
    });

    test('given two processes, then all figures come, and nothing is left in the broker', async () => {
      const env = {
        PROOFLINE_KAFKA_BROKERS: kafka.address,
        PROOFLINE_KAFKA_REPLICATION: '1',
        PROOFLINE_REDIS_URL: redis.url,
      };
      const load = ['--lookups', '100', '--alone', '10', '--partitions', '2', '--processes', '2'];
      const { code, out, err } = await cli(['bench', 'kafka', '--json', '--data', tempFolder(), ...load], {
        env,
      });
      expect(code, out).toBe(0);
      expect(err).toContain('starting 2 processes of the line');
      const figures = JSON.parse(out) as Figure[];
      expect(figures.map(({ value }) => value).filter((value) => !(value > 0))).toEqual([]);
      const names = figures.map(({ name }) => name);
      expect(names).toContain('lookups to the projection, 5 × 200, 2 processes');
      expect(names).toContain('the same work without Kafka, on one core');
      expect(await benchTopics(kafka.address)).toEqual([]);
    }, 180_000);
  },
);

async function benchTopics(broker: string): Promise<string[]> {
  const admin = createKafkaClient({ brokers: [broker] }).admin();
  await admin.connect();
  try {
    return (await admin.listTopics()).filter((topic) => topic.startsWith('bench-'));
  } finally {
    await admin.disconnect();
  }
}
