import { existsSync } from 'node:fs';
import pg from 'pg';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { httpAnswers } from '../support/services/http-answers.js';
import { kafkaAnswers } from '../support/services/kafka-answers.js';
import { kafkaMissing, startKafka } from '../support/services/kafka.js';
import { postgresAnswers } from '../support/services/postgres-answers.js';
import { postgresUrl } from '../support/services/postgres-config.js';
import { postgresMissing, startPostgres } from '../support/services/postgres.js';
import { redisAnswers } from '../support/services/redis-answers.js';
import { redisMissing, startRedis } from '../support/services/redis.js';
import { registryUrl } from '../support/services/registry-url.js';
import { registryMissing, startRegistry } from '../support/services/registry.js';
import type { Service } from '../support/services/service.js';

interface Kind {
  readonly name: string;
  readonly missing: () => Promise<string | null>;
  readonly start: () => Promise<Service>;
  readonly answers: (service: Service) => Promise<boolean>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'Kafka',
    missing: kafkaMissing,
    start: startKafka,
    answers: ({ host, port }) => kafkaAnswers(host, port),
  },
  {
    name: 'Redis',
    missing: redisMissing,
    start: startRedis,
    answers: ({ host, port }) => redisAnswers(host, port),
  },
  {
    name: 'PostgreSQL',
    missing: postgresMissing,
    start: startPostgres,
    answers: ({ host, port }) => postgresAnswers(postgresUrl(host, port)),
  },
  {
    name: 'the schema registry',
    missing: registryMissing,
    start: startRegistry,
    answers: ({ host, port }) => httpAnswers(`${registryUrl(host, port)}/subjects`),
  },
];

for (const { name, missing, start, answers } of KINDS) {
  const reason = await missing();
  describe.skipIf(reason !== null)(
    `${name} for tests${reason === null ? '' : ` (left out: ${reason})`}`,
    () => {
      let service: Service;
      let failed = false;
      beforeAll(async () => {
        service = await start();
      }, 120_000);
      afterEach((context) => {
        failed ||= context.task.result?.state === 'fail';
      });
      afterAll(() => service.stop({ keepLogs: failed }));

      test('answers once it has started', async () => {
        expect(await answers(service)).toBe(true);
      });

      test('given SIGSTOP it is silent until SIGCONT', async () => {
        await service.signal('SIGSTOP');
        expect(await answers(service)).toBe(false);
        await service.signal('SIGCONT');
        await expect.poll(() => answers(service), { timeout: 15_000 }).toBe(true);
      });

      test('killed it is silent, and restarted it answers at the same address', async () => {
        await service.kill();
        expect(await answers(service)).toBe(false);
        await service.restart();
        expect(await answers(service)).toBe(true);
      }, 90_000);

      test('it can be killed while it is paused', async () => {
        await service.signal('SIGSTOP');
        await service.kill();
        await service.restart();
        expect(await answers(service)).toBe(true);
      }, 90_000);

      test('stopped it is gone with its folder', async () => {
        expect(existsSync(service.folder)).toBe(true);
        await service.stop();
        expect(await answers(service)).toBe(false);
        expect(existsSync(service.folder)).toBe(false);
        service = { ...service, stop: () => Promise.resolve() };
      });
    },
  );
}

const noRedis = await redisMissing();

describe.skipIf(noRedis !== null)(
  `a Redis for tests${noRedis === null ? '' : ` (left out: ${noRedis})`}`,
  () => {
    test('takes lines of its configuration', async () => {
      const redis = await startRedis({ config: { 'maxmemory-policy': 'allkeys-lru' } });
      const client = new Redis(redis.url);
      const policy = await client.config('GET', 'maxmemory-policy');
      await client.quit();
      await redis.stop();
      expect(policy).toEqual(['maxmemory-policy', 'allkeys-lru']);
    });
  },
);

const noPostgres = await postgresMissing();

describe.skipIf(noPostgres !== null)(
  `a PostgreSQL for tests${noPostgres === null ? '' : ` (left out: ${noPostgres})`}`,
  () => {
    test('has what was committed after it was killed', async () => {
      const postgres = await startPostgres();
      const query = async (sql: string): Promise<unknown[]> => {
        const client = new pg.Client({ connectionString: postgres.url });
        await client.connect();
        const { rows } = await client.query<{ a: number }>(sql).finally(() => client.end());
        return rows;
      };
      await query('create table kept (a int)');
      await query('insert into kept values (7)');
      await postgres.restart();
      const rows = await query('select a from kept');
      await postgres.stop();
      expect(rows).toEqual([{ a: 7 }]);
    });
  },
);
