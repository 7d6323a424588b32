import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCodec } from '../../src/contracts/codec.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { openRedisLedgerView } from '../../src/ledger/redis/redis-ledger-view.js';
import type { ScanView } from '../../src/ledger/ledger-view.js';
import { verifyLedger, type LedgerReport } from '../../src/line/ledger-verify.js';
import { openRedisLine, type RedisLine } from '../support/ledger-redis-line.js';
import { redisMissing, startRedis, type RedisService } from '../support/services/redis.js';
import { removeTempFolders } from '../support/temp-folder.js';

const missing = await redisMissing();

describe.skipIf(missing !== null)(
  `ledger verify over a view in Redis${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let redis: RedisService;
    let line: RedisLine;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis.stop());
    beforeEach(async () => {
      line = openRedisLine(redis.url);
      await line.more(40);
    });
    afterEach(async () => {
      await line.close();
      removeTempFolders();
    });

    const verify = (scan: ScanView = line.view.scan): Promise<LedgerReport> =>
      verifyLedger({
        bus: line.line.bus,
        codec: line.line.codec,
        keyring: line.line.keyring,
        scan,
        signal: new AbortController().signal,
      });
    const keyOf = (runId: string): string => `${line.prefix}{p${partitionOf(runId, 2)}}/ledger`;

    test('given a line that runs, the view is what the topic says, whatever moves meanwhile', async () => {
      for (let i = 0; i < 8; i++) {
        const report = await verify();
        expect(report).toMatchObject({ problemCount: 0, problems: [] });
        expect(report.compared).toBeGreaterThan(20);
        expect(report.bytesPerEntry).toBeGreaterThan(500);
        await line.more(5);
      }
    }, 60_000);

    test('given entries that were changed, taken out or put in, each is named', async () => {
      await line.expectNothingLost();
      const entry = await line.redis.hgetBuffer(keyOf('run-1'), 'e:run-1/call-1');
      const forged = Buffer.from(entry!);
      forged.writeUInt8(forged.at(-1)! ^ 1, forged.length - 1);
      await line.redis.hset(keyOf('run-1'), 'e:run-1/call-1', forged);
      await line.redis.hdel(keyOf('run-2'), 'e:run-2/call-2');
      await line.redis.hset(keyOf('run-3'), 'e:run-3/call-x', entry!);
      const { problems } = await verify();
      const found = problems.map(({ code, runId, toolCallId }) => `${code} ${runId}/${toolCallId}`);
      expect(found.toSorted()).toEqual([
        'NOT_IN_VIEW run-2/call-2',
        'ONLY_IN_VIEW run-3/call-x',
        'VIEW_DIFFERS run-1/call-1',
      ]);
    }, 60_000);

    test('given a view of other logs, it is said to be that', async () => {
      const other = openRedisLedgerView({
        connection: redis.url,
        prefix: line.prefix,
        epoch: 'other logs',
        codec: createCodec(),
      });
      const { problems, compared, bytesPerEntry } = await verify(other.scan);
      await other.close();
      expect(problems.map(({ code }) => code)).toEqual(['VIEW_OF_OTHER_LOGS', 'VIEW_OF_OTHER_LOGS']);
      expect([compared, bytesPerEntry]).toEqual([0, null]);
    }, 60_000);
  },
);
