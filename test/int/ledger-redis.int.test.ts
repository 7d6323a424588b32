import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Redis } from 'ioredis';
import { createCodec } from '../../src/contracts/codec.js';
import type { LedgerView } from '../../src/ledger/ledger-view.js';
import type { RedisConnection } from '../../src/ledger/redis/connection.js';
import { openRedisLedgerView, type RedisLedgerView } from '../../src/ledger/redis/redis-ledger-view.js';
import { ledgerViewConformance } from '../conformance/ledger-view.js';
import { apply, entriesOf, READY, valueOf } from '../conformance/ledger-view-subject.js';
import { encodedEntry, ledgerRecord } from '../support/ledger-entries.js';
import { redisMissing, startRedis, type RedisService } from '../support/services/redis.js';
import { waitUntil } from '../support/wait.js';

const missing = await redisMissing();
const codec = createCodec();
let count = 0;

describe.skipIf(missing !== null)(
  `on a real Redis${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let redis: RedisService;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis.stop());

    const opened: RedisLedgerView[] = [];
    let prefix = '';
    let raw: Redis;
    beforeEach(() => {
      prefix = `test-${++count}:`;
      raw = new Redis(redis.url);
    });
    afterEach(async () => {
      raw.disconnect();
      await Promise.all(opened.splice(0).map((each) => each.close()));
    });

    function open(epoch = 'logs', connection: RedisConnection = redis.url): RedisLedgerView {
      const view = openRedisLedgerView({ connection, prefix, epoch, codec });
      opened.push(view);
      return view;
    }

    async function openEmpty(): Promise<RedisLedgerView> {
      const view = open();
      for (const partition of [0, 1]) await (await view.rebuild(partition, 'test')).finish();
      return view;
    }

    ledgerViewConformance('the ledger view in Redis', async () => {
      const view = await openEmpty();
      return {
        view,
        scan: view.scan,
        async reopen() {
          await view.close();
          const again = open();
          await Promise.all([again.open(0), again.open(1)]);
          return again;
        },
        dispose: () => Promise.resolve(),
      };
    });

    describe('the ledger view in Redis', () => {
      test('given that nothing is there, or what is of other logs, there is nothing to believe', async () => {
        const records = [ledgerRecord(0, 'run-1', 'a', READY)];
        const nothing = async (view: RedisLedgerView): Promise<void> => {
          expect(await view.position(0)).toBeNull();
          expect(await view.open(0)).toBeNull();
          expect(await view.read(0, [{ runId: 'run-1', toolCallIds: ['a'], others: 1 }])).toBeNull();
          expect(await view.expiredBefore(0, Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
          expect(await view.foreignRun('a', 'run-2')).toBeNull();
          expect(await view.whenPast(0, -1, 0)).toBe(false);
          expect(await view.apply({ partition: 0, from: 0, to: 1, records })).toEqual({ kind: 'lost' });
        };
        await nothing(open());
        await apply(await openEmpty(), 0, records);
        const other = open('other logs');
        await nothing(other);
        expect(await other.scan(0)).toBe('other-logs');
        expect(await other.scan(1)).toBe('other-logs');
        expect(await valueOf(open(), 'run-1', 'a')).toEqual(READY);
      });

      test('given that another process has rebuilt the partition, one that has not looked since applies nothing', async () => {
        const slow = await openEmpty();
        const quick = open();
        await (await quick.rebuild(0, 'another')).finish();
        expect(await apply(slow, 0, [ledgerRecord(0, 'run-1', 'a')])).toEqual({ kind: 'lost' });
        expect(await slow.position(0)).toBe(0);
        expect(await apply(slow, 0, [ledgerRecord(0, 'run-1', 'a')])).toEqual({ kind: 'lost' });
        expect(await slow.open(0)).toEqual({ position: 0, source: 'another' });
        expect(await apply(slow, 0, [ledgerRecord(0, 'run-1', 'a')])).toMatchObject({ kind: 'applied' });
      });

      test('given a position that moves in another process, who waits for it is soon told', async () => {
        const writer = await openEmpty();
        const reader = open();
        const took: number[] = [];
        for (let i = 0; i < 20; i++) {
          const waiting = reader.whenPast(0, i, 10_000);
          await apply(writer, i, [ledgerRecord(i, 'run-1', `call-${i}`)]);
          const applied = performance.now();
          expect(await waiting).toBe(true);
          took.push(performance.now() - applied);
        }
        expect(took.toSorted((a, b) => a - b)[10]).toBeLessThan(15);
      });

      test("given keys and ids that look like the view's own, they are ids", async () => {
        const view = await openEmpty();
        const runs = ['@run', '@epoch', 'e:run-1', '12:run', 'r\n', '{p1}'];
        const calls = ['run-1', '@position', '3:a', '', 'a/b', '*', 'Z', 'a', '问'];
        const pairs = runs.flatMap((run) => calls.map((call) => [run, call] as const));
        await apply(
          view,
          0,
          pairs.map(([run, call], i) => ledgerRecord(i, run, call)),
        );
        expect(await view.position(0)).toBe(pairs.length);
        for (const run of runs) {
          const found = await entriesOf(view, run, [], 100);
          const byBytes = calls.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          expect(found.map(({ toolCallId }) => toolCallId)).toEqual(byBytes);
        }
        const removed = pairs.map(([run, call], i) => ledgerRecord(pairs.length + i, run, call, null));
        await apply(view, pairs.length, removed);
        expect((await raw.hkeys(`${prefix}{p0}/ledger`)).toSorted()).toEqual([
          '@epoch',
          '@position',
          '@source',
        ]);
        expect(await raw.exists(`${prefix}{p0}/ledger:expiry`)).toBe(0);
        expect(await raw.keys(`${prefix}calls/*`)).toEqual([]);
      });

      test('the index of call ids names 16 runs at most, and none whose entry is gone', async () => {
        const view = await openEmpty();
        const runs = Array.from({ length: 20 }, (_, i) => `run-${i}`);
        await apply(
          view,
          0,
          runs.map((run, i) => ledgerRecord(i, run, 'call-1')),
        );
        const [key = ''] = await raw.keys(`${prefix}calls/*`);
        expect((await raw.hget(key, 'call-1'))!.match(/0\/run-/g)).toHaveLength(16);
        await raw.hdel(`${prefix}{p0}/ledger`, ...runs.slice(0, 16).map((run) => `e:${run}/call-1`));
        expect(await view.foreignRun('call-1', 'run-99')).toBeNull();
      });

      test('given that the index cannot be written, the entries are applied, and it follows later', async () => {
        const view = await openEmpty();
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'call-1')]);
        const [key = ''] = await raw.keys(`${prefix}calls/*`);
        await raw.del(key);
        await raw.set(key, "somebody else's");
        expect(await apply(view, 1, [ledgerRecord(1, 'run-2', 'call-1')])).toMatchObject({ kind: 'applied' });
        await raw.del(key);
        await view.apply({ partition: 0, from: 2, to: 2, records: [] });
        expect(await view.foreignRun('call-1', 'run-1')).toBe('run-2');
      });

      test('given that Redis answers no question, every one is refused as what passes, and none as empty', async () => {
        const view = await openEmpty();
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'a')]);
        const own = await startRedis();
        const gone = open('logs', own.url);
        await gone.rebuild(0, 'test');
        await own.stop();
        const spoilt = open();
        await raw.del(`${prefix}{p0}/ledger`);
        await raw.set(`${prefix}{p0}/ledger`, "somebody else's");
        const questions: ((of: LedgerView) => Promise<unknown>)[] = [
          (of) => of.position(0),
          (of) => of.open(0),
          (of) => of.rebuild(0, 'x'),
          (of) => of.read(0, []),
          (of) => of.expiredBefore(0, 1, 1),
          (of) => of.whenPast(0, 0, 1),
        ];
        for (const question of questions)
          for (const of of [gone, spoilt])
            await expect(question(of)).rejects.toMatchObject({ code: 'PL_VIEW_DOWN', retryable: true });
        await expect(gone.foreignRun('a', 'x')).rejects.toMatchObject({ code: 'PL_VIEW_DOWN' });
        await expect(gone.scan(0)).rejects.toMatchObject({ code: 'PL_VIEW_DOWN' });
        await expect(apply(view, 1, [])).rejects.toMatchObject({ code: 'PL_VIEW_DOWN' });
      });

      test('given that its partition is rebuilt while it is read, a scan says so', async () => {
        const view = await openEmpty();
        const records = Array.from({ length: 2000 }, (_, i) => ledgerRecord(i, `run-${i}`, 'a'));
        await apply(view, 0, records);
        const scanned = await view.scan(0);
        if (scanned === null || scanned === 'other-logs') throw new Error('there is nothing to scan');
        expect(scanned.bytes! / records.length).toBeGreaterThan(encodedEntry().length);
        const read = async (): Promise<void> => {
          let seen = 0;
          for await (const _ of scanned.entries)
            if (seen++ === 0) await (await open().rebuild(0, 'new')).finish();
        };
        await expect(read()).rejects.toMatchObject({ code: 'PL_LEDGER_BEHIND', retryable: true });
      });

      test('refuses a prefix that would move the hash tags of its keys', () => {
        const options = { connection: redis.url, prefix: 'a{b}', epoch: 'logs', codec };
        expect(() => openRedisLedgerView(options)).toThrow('brace');
      });
    });

    test('in a cluster, all keys of a script lie together', async () => {
      const cluster = await startRedis({ config: { 'cluster-enabled': 'yes' } });
      const admin = new Redis(cluster.url, { enableReadyCheck: false });
      try {
        await admin.cluster('ADDSLOTS', ...Array.from({ length: 16384 }, (_, i) => i));
        await waitUntil('it is one', async () => (await admin.cluster('INFO')).includes('cluster_state:ok'));
        const view = open('logs', cluster.url);
        for (const partition of [0, 1, 11]) {
          const rebuild = await view.rebuild(partition, 'test');
          const records = [ledgerRecord(0, 'run-1', 'a', READY), ledgerRecord(1, 'run-1', 'b')];
          await rebuild.apply({ partition, from: 0, to: 2, records });
          expect(await rebuild.finish()).toBe(true);
          await apply(
            view,
            2,
            [ledgerRecord(2, 'run-2', 'a'), ledgerRecord(3, 'run-1', 'b', null)],
            partition,
          );
          expect((await entriesOf(view, 'run-1', ['a'], 9, partition)).map(({ value }) => value)).toEqual([
            READY,
          ]);
          expect(await view.expiredBefore(partition, Number.MAX_SAFE_INTEGER, 9)).toHaveLength(2);
        }
        expect(await view.foreignRun('a', 'run-1')).toBe('run-2');
      } finally {
        admin.disconnect();
        await cluster.stop();
      }
    });
  },
);
