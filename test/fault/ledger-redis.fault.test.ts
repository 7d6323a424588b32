import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openRedisLine, type RedisLine } from '../support/ledger-redis-line.js';
import { redisMissing, startRedis, type RedisService } from '../support/services/redis.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const missing = await redisMissing();

/** Stations that cannot go on without the view. */
function waitingFor(line: RedisLine, station: string, code: string): boolean {
  return [...line.health.waiting(), ...line.line.health.waiting()].some(
    (each) => each.station === station && each.code === code,
  );
}

describe.skipIf(missing !== null)(
  `a line whose ledger view in Redis${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let redis: RedisService;
    let line: RedisLine;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis.stop());
    beforeEach(async () => {
      await redis.restart();
      line = openRedisLine(redis.url);
      await line.more(30);
    });
    afterEach(async () => {
      await line.close();
      removeTempFolders();
    });

    const keysOf = (partition: number): string[] =>
      ['', ':expiry'].map((suffix) => `${line.prefix}{p${partition}}/ledger${suffix}`);

    test('is flushed, is built again from the topic while the line runs', async () => {
      await line.redis.flushall();
      await line.more(60);
      await line.expectNothingLost();
    }, 90_000);

    test('is flushed while nothing comes, notices it by itself', async () => {
      await line.expectNothingLost();
      await line.redis.flushall();
      await waitUntil('it is there again', () => line.caughtUp());
      await line.expectNothingLost();
    }, 90_000);

    test('is restarted empty, is built again, also with scripts that it no longer knows', async () => {
      await redis.restart();
      await line.more(60);
      await line.expectNothingLost();
    }, 90_000);

    test('is restored from an old dump, goes on where that ends', async () => {
      await line.redis.save();
      await line.more(60);
      await redis.kill();
      await redis.restart();
      await line.more(60);
      await line.expectNothingLost();
      expect(line.incidents.map(({ code }) => code)).not.toContain('PL_PARTITIONS_CHANGED');
    }, 90_000);

    test('is gone, waits with all that needs it, and goes on', async () => {
      await redis.kill();
      await waitUntil('the station says so', () => waitingFor(line, 'ledger-view', 'PL_VIEW_DOWN'));
      await waitUntil('so does the guard, or who comes before it', () =>
        ['guard', 'retrieve', 'project'].some((station) => waitingFor(line, station, 'PL_VIEW_DOWN')),
      );
      const before = line.judged();
      await waitUntil(
        'the line has tried for a while',
        () => line.health.waiting()[0]!.since < Date.now() - 2000,
      );
      // What was on its way may still end.
      expect(line.judged() - before).toBeLessThan(12);
      await redis.restart();
      await line.more(60);
      await line.expectNothingLost();
    }, 90_000);

    test('hangs for longer than anybody waits, applies late commands twice without harm', async () => {
      await redis.signal('SIGSTOP');
      await waitUntil('the station says so', () => waitingFor(line, 'ledger-view', 'PL_VIEW_DOWN')).finally(
        () => redis.signal('SIGCONT'),
      );
      await line.more(60);
      await line.expectNothingLost();
    }, 90_000);

    test('is full, waits until there is room', async () => {
      await line.redis.config('SET', 'maxmemory', '1');
      await waitUntil('the station says so', () => waitingFor(line, 'ledger-view', 'PL_VIEW_DOWN')).finally(
        () => line.redis.config('SET', 'maxmemory', '0'),
      );
      await line.more(60);
      await line.expectNothingLost();
    }, 90_000);

    test('forgets its scripts, is told them again', async () => {
      for (let i = 0; i < 5; i++) {
        await line.redis.script('FLUSH');
        await line.more(10);
      }
      await line.expectNothingLost();
      expect(line.incidents).toEqual([]);
    }, 90_000);

    test('fails over and loses the last seconds, has them again', async () => {
      const copies = await Promise.all(
        [0, 1].flatMap((partition) =>
          keysOf(partition).map(async (key) => [key, await line.redis.dumpBuffer(key)] as const),
        ),
      );
      await line.more(60);
      const restored = line.redis.multi();
      for (const [key, copy] of copies) restored.restore(key, 0, copy, 'REPLACE');
      for (const [error] of (await restored.exec())!) expect(error).toBeNull();
      await line.more(60);
      await line.expectNothingLost();
    }, 90_000);

    test('loses one partition while it is being built again, begins once more', async () => {
      for (let i = 0; i < 3; i++) {
        await line.redis.unlink(
          ...keysOf(0),
          ...keysOf(0).map((key) => key.replace('ledger', 'ledger:next')),
        );
        await line.more(20);
      }
      await line.expectNothingLost();
    }, 90_000);

    test('is of another source than the log says, is not believed', async () => {
      await line.stop();
      const [hash = ''] = keysOf(1);
      await line.redis.hset(hash, '@source', 'of another log', 'e:run-forged/call-0', 'Rforged');
      line.start();
      await line.more(40);
      await line.expectNothingLost();
    }, 90_000);

    test('is further than its log ends, is not believed', async () => {
      // Who has seen a position never believes a smaller one: these begin anew as well.
      const readers = ['retrieve', 'project', 'guard'] as const;
      await Promise.all([line.stop(), line.line.stop(...readers)]);
      const [hash = ''] = keysOf(0);
      await line.redis.hset(hash, '@position', '1000000');
      line.start();
      await waitUntil('it is believed no more', async () => (await line.view.position(0)) !== 1_000_000);
      line.line.start(...readers);
      await line.more(40);
      await line.expectNothingLost();
    }, 90_000);
  },
);
