import { chmodSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { AclEntry } from 'kafkajs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createKafkaClient } from '../../src/bus/kafka/client.js';
import { topicConfig } from '../../src/bus/kafka/topics.js';
import { topicNames, type TopicName } from '../../src/contracts/topics.js';
import type { Check } from '../../src/doctor/check.js';
import { assertMayStart } from '../../src/doctor/may-start.js';
import { readConfig } from '../../src/config/config.js';
import { stationNames } from '../../src/line/station-names.js';
import { cli, startCli, type CliRun, type RunningCli } from '../support/cli-run.js';
import { docsFolder } from '../support/docs-folder.js';
import { withAdmin } from '../support/kafka-bus.js';
import { lineServicesMissing, startLineServices, type LineServices } from '../support/kafka-line-services.js';
import { freePorts } from '../support/services/processes.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const PREFIX = 'line.';
const PARTITIONS = 2;
/** A broker that asks for rights, and gives those that nobody was denied. */
const RIGHTS = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'allow.everyone.if.no.acl.found': 'true',
};

const missing = await lineServicesMissing();

describe.skipIf(missing !== null)(
  `looking at a line in Kafka${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let services: LineServices;
    let env: Record<string, string>;
    let data = '';
    let port = 0;
    let failed = false;

    beforeAll(async () => {
      const redis = { config: { 'maxmemory-policy': 'allkeys-lru' } };
      services = await startLineServices({ kafka: { extra: RIGHTS }, redis });
      [port = 0] = await freePorts(1);
      data = join(tempFolder(), 'data');
      env = {
        PROOFLINE_KAFKA_BROKERS: services.kafka.address,
        PROOFLINE_KAFKA_REPLICATION: '1',
        PROOFLINE_TOPIC_PREFIX: PREFIX,
        PROOFLINE_REDIS_URL: services.redis.url,
        PROOFLINE_AUDIT_URL: services.postgres.url,
        PROOFLINE_SCHEMA_REGISTRY_URL: services.registry.url,
        PROOFLINE_HTTP_PORT: String(port),
      };
    }, 180_000);
    afterEach((context) => {
      failed ||= context.task.result?.state === 'fail';
    });
    afterAll(async () => {
      removeTempFolders();
      await services.stop({ keepLogs: failed });
    });

    const run = (argv: readonly string[], more: Record<string, string> = {}): Promise<CliRun> =>
      cli(['--data', data, ...argv], { env: { ...env, ...more } });

    async function doctor(more: Record<string, string> = {}): Promise<{ code: number; checks: Check[] }> {
      const { code, out } = await run(['doctor', '--json'], more);
      return { code, checks: (JSON.parse(out) as { checks: Check[] }).checks };
    }

    const failuresOf = (checks: readonly Check[]): string[] =>
      checks.filter(({ status }) => status === 'fail').map(({ name, finding }) => `${name}: ${finding}`);

    const redisSet = async (policy: string): Promise<void> => {
      const redis = new Redis(services.redis.url);
      await redis.config('SET', 'maxmemory-policy', policy);
      redis.disconnect();
    };

    /** How many offsets the groups of the line have committed. */
    const committed = (): Promise<number> =>
      withAdmin(services.kafka.address, async (admin) => {
        const offsetsOf = (name: string): Promise<readonly unknown[]> =>
          waitUntil('its coordinator knows', () =>
            admin.fetchOffsets({ groupId: PREFIX + name }).catch(() => null),
          );
        return (await Promise.all(stationNames.map(offsetsOf))).flat().length;
      });

    async function commit(group: string, topic: TopicName, offset: number): Promise<void> {
      const writer = createKafkaClient({ brokers: [services.kafka.address] }).transactionalProducer('mover');
      await writer.connect();
      const transaction = await writer.transaction();
      const partitions = [{ partition: 0, offset: String(offset) }];
      const topics = [{ topic: PREFIX + topic, partitions }];
      await transaction.sendOffsets({ consumerGroupId: PREFIX + group, topics });
      await transaction.commit();
      await writer.disconnect();
    }

    describe('given every mistake at once', () => {
      beforeAll(async () => {
        await withAdmin(services.kafka.address, async (admin) => {
          const wrong: Partial<Record<TopicName, { partitions?: number; cleanup?: string }>> = {
            'verified.v1': { partitions: 3 },
            'ledger.v1': { cleanup: 'delete' },
          };
          await admin.createTopics({
            topics: topicNames
              .filter((name) => name !== 'verdict.v1')
              .map((name) => ({
                topic: PREFIX + name,
                numPartitions: wrong[name]?.partitions ?? PARTITIONS,
                replicationFactor: 1,
                configEntries: Object.entries({
                  ...topicConfig(name),
                  ...(wrong[name]?.cleanup === undefined ? {} : { 'cleanup.policy': wrong[name].cleanup }),
                }).map(([entry, value]) => ({ name: entry, value })),
              })),
          });
          await admin.createAcls({ acl: [NO_TRANSACTIONS] });
        });
      }, 60_000);

      const MISTAKES = [
        'topics: missing: line.verdict.v1',
        'topics: most have 2 partitions, but line.verified.v1 has 3',
        'topics: line.ledger.v1 has cleanup.policy=delete, but needs compact',
        'writing: the brokers refuse a transaction of line.doctor',
        'registry: not registered: line.lookup-requested.v1-value, line.raw-hits.v1-value',
        'redis: maxmemory-policy is allkeys-lru',
        'audit: The audit database cannot be used: the schema public has no tables of the audit',
        'keys: there is no key to sign with in',
      ];

      test('`up` refuses to begin with one error that lists all, each with its cure, and consumes nothing', async () => {
        const { code, err, out } = await run(['up']);
        expect(code).toBe(3);
        expect(err).toContain('PL_UP_REFUSED');
        for (const mistake of MISTAKES) expect(err).toContain(mistake);
        for (const cure of ['topics create', 'schemas register', 'CONFIG SET', 'audit migrate', 'keys new'])
          expect(err).toContain(cure);
        expect(out).toBe('');
        expect(await committed()).toBe(0);
      });

      test('`doctor` tells them too, exit code 3, and goes on looking at the rest', async () => {
        const { code, checks } = await doctor();
        expect(code).toBe(3);
        const failures = failuresOf(checks).join('\n');
        for (const mistake of MISTAKES) expect(failures).toContain(mistake);
        expect(checks.every(({ status, fix }) => (status === 'ok') === (fix === null))).toBe(true);
        expect(checks.filter(({ name }) => name === 'kafka')).toMatchObject([{ status: 'ok' }]);
      });
    });

    describe('given all is put right', () => {
      beforeAll(async () => {
        await withAdmin(services.kafka.address, async (admin) => {
          await admin.deleteAcls({ filters: [NO_TRANSACTIONS] });
          const topics = (await admin.listTopics()).filter((name) => name.startsWith(PREFIX));
          await admin.deleteTopics({ topics });
          await waitUntil('the topics are gone', async () =>
            (await admin.listTopics()).every((name) => !name.startsWith(PREFIX)),
          );
        });
        await redisSet('noeviction');
        for (const command of [
          ['topics', 'create', '--partitions', String(PARTITIONS)],
          ['schemas', 'register', '--compatibility', 'BACKWARD'],
          ['audit', 'migrate'],
          ['keys', 'new'],
          ['index', docsFolder(tempFolder())],
        ]) {
          const { code, err } = await run(command);
          expect({ command, code, err }).toEqual({ command, code: 0, err: '' });
        }
      }, 120_000);

      test('nothing is in the way, and a single broker and a Redis without a disk are told', async () => {
        const { code, checks } = await doctor();
        expect(failuresOf(checks)).toEqual([]);
        expect(code).toBe(0);
        const warnings = checks.filter(({ status }) => status === 'warn').map(({ name }) => name);
        expect([...new Set(warnings)].sort()).toEqual(['brokers', 'copies', 'redis']);
        const names = new Set(checks.map(({ name }) => name));
        for (const name of ['rights', 'offsets', 'open', 'clock', 'audit', 'registry', 'keys', 'http'])
          expect(names).toContain(name);
      });

      test('the gate is quick, and processes that begin at once do not get in each other’s way', async () => {
        const { config } = readConfig(env, { data });
        await assertMayStart(config);
        const before = performance.now();
        await assertMayStart(config);
        const ms = Math.round(performance.now() - before);
        expect(ms).toBeLessThan(5000);
        await Promise.all(Array.from({ length: 6 }, () => assertMayStart(config)));
      });

      test('`up` becomes ready, and doctor knows who has its port', async () => {
        const { up, stop } = start(['up']);
        await ready(up);
        const { checks } = await doctor();
        expect(failuresOf(checks)).toEqual([]);
        expect(findingOf(checks, 'http')).toBe(`a process of proofline listens at 127.0.0.1:${port}`);
        stop();
        expect((await up.ended).code).toBe(0);
      }, 60_000);

      test('another process at the port blocks', async () => {
        const server = createServer((_request, response) => response.end('hello'));
        await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
        const { code, checks } = await doctor();
        server.close();
        expect(code).toBe(3);
        expect(failuresOf(checks)).toEqual([`http: another process listens at 127.0.0.1:${port}`]);
      });

      test('a transaction that a foreign writer leaves open is told, with how long it has been', async () => {
        const writer = createKafkaClient({ brokers: [services.kafka.address] }).transactionalProducer(
          'foreign',
        );
        await writer.connect();
        const transaction = await writer.transaction();
        await transaction.send({
          topic: `${PREFIX}raw-hits.v1`,
          messages: [
            { key: 'a', value: 'b', partition: 1, timestamp: String(Date.now() - 90_000) },
            { key: 'a', value: 'c', partition: 1 },
          ],
        });
        const { code, checks } = await doctor();
        await transaction.abort();
        await writer.disconnect();
        expect(code).toBe(3);
        expect(failuresOf(checks)).toEqual([
          expect.stringMatching(
            /^open: a transaction on raw-hits.v1\/1 is open for at least 9\d s: 2 offsets/,
          ),
        ]);
      });

      test('offsets that lie beyond the log block, and say which station', async () => {
        await commit('postprocess', 'raw-hits.v1', 77);
        const { code, checks } = await doctor();
        await commit('postprocess', 'raw-hits.v1', 0);
        expect(code).toBe(3);
        expect(failuresOf(checks)).toEqual([
          'offsets: postprocess is to read raw-hits.v1/0 from 77, but the log holds 0 to 0',
        ]);
      });

      test('rights that are missing are told without writing anything', async () => {
        const verdict = { ...DENY, resourceType: ACL.topic, resourceName: `${PREFIX}verdict.v1` };
        const ledger = { ...DENY, resourceType: ACL.topic, resourceName: `${PREFIX}ledger.v1` };
        const guard = { ...DENY, resourceType: ACL.group, resourceName: `${PREFIX}guard` };
        const denied = [
          { ...verdict, operation: ACL.write },
          { ...ledger, operation: ACL.read },
          { ...guard, operation: ACL.describe },
          // Once somebody is denied something, all else must be allowed.
          ...[verdict, ledger].map((each) => ({ ...each, operation: ACL.all, permissionType: ACL.allow })),
        ] as unknown as AclEntry[];
        await withAdmin(services.kafka.address, (admin) => admin.createAcls({ acl: denied }));
        const { code, checks } = await doctor();
        await withAdmin(services.kafka.address, (admin) => admin.deleteAcls({ filters: denied }));
        expect(code).toBe(3);
        expect(failuresOf(checks).sort()).toEqual([
          'offsets: this user may not see the offsets of the group of guard',
          'rights: this user may not read ledger.v1',
          'rights: this user may not write verdict.v1',
        ]);
      });

      test('a key that others may read is refused', async () => {
        const keys = join(data, 'keys');
        const file = join(
          keys,
          readdirSync(keys).find((name) => name.endsWith('.key.pem'))!,
        );
        chmodSync(file, 0o644);
        const { code, err } = await run(['up']);
        chmodSync(file, 0o600);
        expect(code).toBe(3);
        expect(err).toContain('chmod 600');
      });

      test('what is down is waited for, and looked at when it comes', async () => {
        await services.redis.kill();
        const { up, stop } = start(['up']);
        const reasons = await waitUntil('it says what it waits for', async () => {
          const { status, text } = await readyz();
          return status === 503 && text.includes('PL_VIEW_DOWN') ? text : null;
        });
        expect(reasons).toContain('PL_NOT_SERVING');
        // It comes up with the policy that it was configured with.
        await services.redis.restart();
        const { code, err } = await up.ended;
        stop();
        expect(code).toBe(3);
        expect(err).toContain('redis: maxmemory-policy is allkeys-lru');
        await redisSet('noeviction');
      }, 60_000);

      test('an audit that is down keeps no station from its work', async () => {
        await services.postgres.kill();
        const { up, stop } = start(['up', '--stations', 'ledger-view,retrieve,project']);
        await ready(up);
        stop();
        await up.ended;
        await services.postgres.restart();
      }, 60_000);
    });

    function start(argv: readonly string[]): { up: RunningCli; stop: () => void } {
      const stopping = new AbortController();
      const up = startCli(['--data', data, ...argv], { env, signal: stopping.signal });
      return { up, stop: () => stopping.abort(new Error('stopped')) };
    }

    async function readyz(): Promise<{ status: number; text: string }> {
      try {
        const response = await fetch(`http://127.0.0.1:${port}/readyz`);
        return { status: response.status, text: await response.text() };
      } catch {
        return { status: 0, text: '' };
      }
    }

    async function ready(up: RunningCli): Promise<void> {
      let ended: CliRun | null = null;
      void up.ended.then((run) => (ended = run));
      await waitUntil(
        'it is ready',
        async () => {
          if (ended !== null) throw new Error(`it ended: ${JSON.stringify(ended)}`);
          return (await readyz()).status === 200;
        },
        40_000,
      );
    }

    function findingOf(checks: readonly Check[], name: string): string {
      return checks.find((check) => check.name === name)?.finding ?? '';
    }
  },
);

/** Kafka's numbers; kafkajs's own names for them are values, and it is loaded in one place only. */
const ACL = { topic: 2, group: 3, transactionalId: 5, allow: 3, all: 2, read: 3, write: 4, describe: 8 };
const DENY = { resourcePatternType: 3, principal: 'User:ANONYMOUS', host: '*', permissionType: 2 };
const NO_TRANSACTIONS = {
  ...DENY,
  resourceType: ACL.transactionalId,
  resourceName: PREFIX,
  resourcePatternType: 4,
  operation: ACL.write,
} as unknown as AclEntry;
