import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Bus } from '../../src/bus/bus.js';
import { topicConfig } from '../../src/bus/kafka/topics.js';
import { ledgerKey } from '../../src/ledger/ledger-view.js';
import { newRecord } from '../support/bus.js';
import { makeKafkaBus, withAdmin, type KafkaBusUnderTest } from '../support/kafka-bus.js';
import { encodedEntry } from '../support/ledger-entries.js';
import { freshDump, openRedisView, type RedisView } from '../support/ledger-redis.js';
import { kafkaMissing, startKafka, type KafkaService } from '../support/services/kafka.js';
import { redisMissing, startRedis, type RedisService } from '../support/services/redis.js';
import { waitUntil } from '../support/wait.js';

const missing = (await kafkaMissing()) ?? (await redisMissing());
const LEDGER = 'ledger.v1';
const PARTITIONS = 2;
const SLOW = 90_000;

describe.skipIf(missing !== null)(
  `the ledger view of a topic in Kafka${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let kafka: KafkaService;
    let redis: RedisService;
    let made: KafkaBusUnderTest;
    let station: RedisView;
    beforeAll(async () => {
      [kafka, redis] = await Promise.all([startKafka(), startRedis()]);
    }, 120_000);
    afterAll(() => Promise.all([kafka.stop(), redis.stop()]));
    beforeEach(async () => {
      made = await makeKafkaBus(kafka.address, { partitions: PARTITIONS, idleCommitMs: 300 });
      station = openRedisView(made.bus, redis.url);
      station.start();
      await append(made.bus, 'before', 20);
      await isFresh();
    }, 60_000);
    afterEach(async () => {
      await station.close();
      await made.dispose();
    });

    async function append(bus: Bus, name: string, count: number): Promise<void> {
      const records = Array.from({ length: count }, (_, i) => {
        const [runId, toolCallId] = [`run-${name}-${i}`, 'call-1'];
        const key = Buffer.from(ledgerKey(runId, toolCallId));
        return newRecord(LEDGER, i % PARTITIONS, encodedEntry({ runId, toolCallId }), { key });
      });
      await bus.append(records);
    }

    /** The view has caught up, and is what one is that nothing ever happened to. */
    async function isFresh(): Promise<void> {
      await waitUntil(
        'it is what the topic says',
        async () => {
          if (!(await station.caughtUp())) return false;
          const [is, fresh] = [await station.dump(), await freshDump(made.bus, redis.url)];
          return withoutPositions(is) === withoutPositions(fresh);
        },
        60_000,
      );
    }

    function sourceOf(partition: number): Promise<string | null> {
      return station.redis.hget(`${station.prefix}{p${partition}}/ledger`, '@source');
    }

    async function deleteLedger(): Promise<void> {
      const topic = made.prefix + LEDGER;
      await withAdmin(kafka.address, async (admin) => {
        await admin.deleteTopics({ topics: [topic] });
        await waitUntil('it is gone', async () => !(await admin.listTopics()).includes(topic));
      });
    }

    async function createLedger(): Promise<void> {
      const configEntries = Object.entries(topicConfig(LEDGER)).map(([name, value]) => ({ name, value }));
      const topic = {
        topic: made.prefix + LEDGER,
        numPartitions: PARTITIONS,
        replicationFactor: 1,
        configEntries,
      };
      await withAdmin(kafka.address, (admin) =>
        admin.createTopics({ topics: [topic], waitForLeaders: true }),
      );
    }

    async function begunAnew(count: number): Promise<void> {
      await deleteLedger();
      await createLedger();
      // A new bus: one that knows the old topic first has to learn that it is gone.
      const writer = await made.openAnother();
      await append(writer, 'after', count);
    }

    async function servesOnlyNew(): Promise<void> {
      await isFresh();
      for (let partition = 0; partition < PARTITIONS; partition++)
        expect(
          JSON.stringify(await station.redis.hkeys(`${station.prefix}{p${partition}}/ledger`)),
        ).not.toContain('before');
    }

    test.each([
      ['shorter', 4],
      ['longer', 60],
    ])(
      'given that the topic is made anew while it runs, and is %s then, it is read from the beginning',
      async (_, count) => {
        await begunAnew(count);
        await servesOnlyNew();
        await append(made.bus, 'later', 4).catch(() => append(made.bus, 'later', 4));
        await isFresh();
        expect(station.health.waiting()).toEqual([]);
      },
      SLOW,
    );

    test(
      'given that the topic was made anew while nobody looked, and is longer, it is read from the beginning',
      async () => {
        await station.stop();
        await begunAnew(60);
        station.start();
        await servesOnlyNew();
      },
      SLOW,
    );

    test(
      'given another mark than its source, for instance of offsets that somebody has set, it is read again',
      async () => {
        const before = await sourceOf(0);
        await station.stop();
        await withAdmin(kafka.address, (admin) =>
          admin.setOffsets({
            groupId: `${made.prefix}ledger-view`,
            topic: made.prefix + LEDGER,
            partitions: [{ partition: 0, offset: '0' }],
          }),
        );
        station.start();
        await waitUntil('it has another source', async () => {
          const source = await sourceOf(0);
          return source !== null && source !== before;
        });
        await isFresh();
        expect(await made.bus.mark('ledger-view', LEDGER, 0)).toBe(await sourceOf(0));
      },
      SLOW,
    );

    test(
      'given that the station is opened again, it goes on where the view is, and reads nothing again',
      async () => {
        const before = await sourceOf(0);
        await station.stop();
        await append(made.bus, 'meanwhile', 4);
        station.start();
        await isFresh();
        expect(await sourceOf(0)).toBe(before);
        expect(station.incidents).toEqual([]);
      },
      SLOW,
    );

    test(
      'given that Redis is flushed, it is read again, markers and barriers passed',
      async () => {
        await station.redis.flushall();
        await append(made.bus, 'meanwhile', 4);
        await isFresh();
        const { end } = await made.bus.bounds(LEDGER, 0);
        await waitUntil(
          'the group has moved',
          async () => (await made.bus.committed('ledger-view', LEDGER, 0))! > 0,
        );
        expect(await station.view.position(0)).toBeLessThanOrEqual(end);
      },
      SLOW,
    );

    test(
      'given that somebody adds partitions, it goes no further and says so',
      async () => {
        await withAdmin(kafka.address, (admin) =>
          admin.createPartitions({
            topicPartitions: [{ topic: made.prefix + LEDGER, count: PARTITIONS + 1 }],
          }),
        );
        await waitUntil(
          'it says so',
          () => station.health.waiting().some(({ code }) => code === 'PL_PARTITIONS_CHANGED'),
          30_000,
        );
        expect(station.incidents).toContainEqual(
          expect.objectContaining({ code: 'PL_PARTITIONS_CHANGED', params: { found: 3, expected: 2 } }),
        );
      },
      SLOW,
    );
  },
);

/** Transaction markers and barriers count in a position, and a reader of records does not see them. */
function withoutPositions(dump: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  return JSON.stringify(dump, (name, value: unknown) => (name === '@position' ? undefined : value));
}
