import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AuditReader } from '../../src/audit/audit-store.js';
import { openAuditReader, openAuditStore } from '../../src/audit/open-audit.js';
import { openPostgresAuditReader, openPostgresAuditStore } from '../../src/audit/postgres-audit-store.js';
import { migratePostgresAudit, SCHEMA_VERSION } from '../../src/audit/postgres-migrations.js';
import { storedText } from '../../src/audit/postgres-text.js';
import { answer, describeAuditStore, invocation } from '../conformance/audit-store.js';
import { connectPostgres, type TestDatabase } from '../support/audit-postgres.js';
import { cli, type CliRun } from '../support/cli-run.js';
import { postgresMissing, startPostgres, type PostgresService } from '../support/services/postgres.js';
import { freePorts } from '../support/services/processes.js';

const missing = await postgresMissing();
const NOON = Date.parse('2026-01-02T12:00:00Z');

describe.skipIf(missing !== null)(
  `on a real server${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let postgres: PostgresService;
    let db: TestDatabase;
    let schemas = 0;
    let failed = false;
    beforeAll(async () => {
      postgres = await startPostgres();
      db = await connectPostgres(postgres.url);
    }, 120_000);
    afterEach((context) => {
      failed ||= context.task.result?.state === 'fail';
    });
    afterAll(async () => {
      await db.close();
      await postgres.stop({ keepLogs: failed });
    });

    /** A new schema, whose name needs its quotes. */
    async function newSchema(): Promise<string> {
      const schema = `Audit "${++schemas}'`;
      await db.run(`CREATE SCHEMA "${schema.replaceAll('"', '""')}"`);
      return schema;
    }

    describeAuditStore('PostgreSQL', async () => {
      const options = { url: postgres.url, schema: await newSchema() };
      await migratePostgresAudit(options);
      const opened: AuditReader[] = [];
      const keep = async <T extends AuditReader>(opening: Promise<T>): Promise<T> => {
        const reader = await opening;
        opened.push(reader);
        return reader;
      };
      return {
        openStore: () => keep(openPostgresAuditStore(options)),
        openReader: () => keep(openPostgresAuditReader(options)),
        dispose: async () => {
          for (const reader of opened) await reader.close();
        },
      };
    });

    describe('the tables', () => {
      let url: string;
      beforeEach(async () => {
        const name = `plain_${++schemas}`;
        await db.run(`CREATE SCHEMA ${name}`);
        url = `${postgres.url}?options=${encodeURIComponent(`-c search_path=${name}`)}`;
        await db.run(`SET search_path = ${name}`);
      });

      test('given an address with a search_path, they lie there, with columns and JSON for people to query', async () => {
        await migratePostgresAudit({ url });
        const store = await openAuditStore({ auditUrl: url, data: '/nowhere' });
        await store.appendInvocations([invocation({ eventId: 'e1', code: 'PL_X', isLowQuality: true })]);
        await store.close();
        const [row] = await db.run('SELECT * FROM tool_invocation');
        expect(row).toMatchObject({
          event_id: 'e1',
          run_id: 'run-1',
          occurred_at: String(NOON),
          code: 'PL_X',
          draft_id: null,
          top_similarity: 0.875,
          is_low_quality: true,
          count_in: '7',
          started_at: String(NOON + 5),
          record: {
            event_id: 'e1',
            occurred_at: '2026-01-02T12:00:00.000Z',
            cuts: [{ code: 'EXCERPT_CUT' }],
          },
        });
        expect(await db.run("SELECT record->>'query' AS query FROM tool_invocation")).toEqual([
          { query: '网关超时怎么排查' },
        ]);
        const reader = await openAuditReader({ auditUrl: url, data: '/nowhere' });
        expect((await reader.trail('run-1')).invocations).toHaveLength(1);
        await reader.close();
      });

      test('given many rows, then a run, the latest runs and what is old are found by an index', async () => {
        await migratePostgresAudit({ url });
        const store = await openPostgresAuditStore({ url });
        const many = Array.from({ length: 5_000 }, (_, i) =>
          invocation({ eventId: `e${i}`, runId: `run-${i % 500}`, occurredAt: NOON + i }),
        );
        await store.appendInvocations(many);
        expect((await store.recentRuns(3)).map(({ runId }) => runId)).toEqual([
          'run-499',
          'run-498',
          'run-497',
        ]);
        // More than one page of the index.
        expect(await store.recentRuns(1_000)).toHaveLength(500);
        await store.close();
        await db.run('ANALYZE');
        const planOf = async (sql: string): Promise<string> =>
          (await db.run(`EXPLAIN ${sql}`)).map((row) => String(row['QUERY PLAN'])).join('\n');
        expect(await planOf("SELECT record FROM tool_invocation WHERE run_id = 'run-7'")).toMatch(
          /tool_invocation_run/,
        );
        expect(
          await planOf('SELECT run_id FROM tool_invocation ORDER BY occurred_at DESC, run_id LIMIT 10'),
        ).toMatch(/Index Only Scan using tool_invocation_latest/);
        expect(
          await planOf(`SELECT run_id FROM tool_invocation WHERE occurred_at <= ${NOON + 9}
            AND (occurred_at < ${NOON + 9} OR run_id > 'a') ORDER BY occurred_at DESC, run_id LIMIT 10`),
        ).toMatch(/Index Only Scan using tool_invocation_latest[^]*Index Cond: \(occurred_at/);
      });

      test('given none, then a store and a reader are refused, with the command that makes them', async () => {
        const refused = {
          code: 'PL_AUDIT_UNUSABLE',
          message: expect.stringContaining('proofline audit migrate') as string,
        };
        await expect(openPostgresAuditStore({ url })).rejects.toMatchObject(refused);
        await expect(openPostgresAuditReader({ url })).rejects.toMatchObject(refused);
        const found = await db.run('SELECT tablename FROM pg_tables WHERE schemaname = current_schema()');
        expect(found).toEqual([]);
      });

      test('given those of a newer version, then nothing touches them', async () => {
        await migratePostgresAudit({ url });
        await db.run('INSERT INTO audit_version (version) VALUES (99)');
        const refused = {
          code: 'PL_AUDIT_UNUSABLE',
          message: expect.stringContaining('newer version of proofline (schema 99') as string,
        };
        await expect(openPostgresAuditStore({ url })).rejects.toMatchObject(refused);
        await expect(migratePostgresAudit({ url })).rejects.toMatchObject(refused);
        await expect(migratePostgresAudit({ url }, { dryRun: true })).rejects.toMatchObject(refused);
      });

      test('given eight processes that migrate at once, then one of them does it', async () => {
        const all = await Promise.all(Array.from({ length: 8 }, () => migratePostgresAudit({ url })));
        expect(all.map(({ from }) => from).sort()).toEqual([0, ...Array<number>(7).fill(SCHEMA_VERSION)]);
        expect(await db.run('SELECT version FROM audit_version')).toEqual(
          Array.from({ length: SCHEMA_VERSION }, (_, i) => ({ version: i + 1 })),
        );
      });

      test('given a dry run, then nothing is made, and its SQL by hand does the same', async () => {
        const planned = await migratePostgresAudit({ url }, { dryRun: true });
        expect(planned).toMatchObject({ from: 0, to: SCHEMA_VERSION });
        await expect(openPostgresAuditStore({ url })).rejects.toMatchObject({ code: 'PL_AUDIT_UNUSABLE' });
        await db.run(planned.sql);
        const store = await openPostgresAuditStore({ url });
        await store.appendInvocations([invocation({ eventId: '1' })]);
        await store.close();
        expect(await migratePostgresAudit({ url })).toMatchObject({ from: SCHEMA_VERSION, sql: '' });
      });

      test('given a migration that fails half-way, then nothing of it stays', async () => {
        await db.run('CREATE TABLE answer (mine text)');
        await expect(migratePostgresAudit({ url })).rejects.toMatchObject({
          message: expect.stringContaining('already exists') as string,
        });
        const found = await db.run('SELECT tablename FROM pg_tables WHERE schemaname = current_schema()');
        expect(found).toEqual([{ tablename: 'answer' }]);
      });
    });

    describe('an address that cannot work is refused at once, without its password', () => {
      const refusal = (problem: RegExp) =>
        expect.objectContaining({
          code: 'PL_AUDIT_UNUSABLE',
          message: expect.stringMatching(problem) as string,
        }) as Error;
      const swapped = (part: string, by: string): string => postgres.url.replace(part, by);
      const onDatabase = (name: string): string => postgres.url.replace(/\w+$/, name);

      test('given a wrong password', async () => {
        const url = swapped(':proofline@', ':secret-word@');
        const refused = await openPostgresAuditStore({ url }).catch((error: unknown) => error);
        expect(refused).toEqual(refusal(/password authentication failed/));
        expect(JSON.stringify(refused) + String((refused as Error).stack)).not.toContain('secret-word');
      });

      test('given a database or a schema that is not there', async () => {
        await expect(openPostgresAuditStore({ url: onDatabase('none') })).rejects.toEqual(
          refusal(/"none" does not exist/),
        );
        await expect(openPostgresAuditStore({ url: postgres.url, schema: 'none' })).rejects.toEqual(
          refusal(/no schema "none"/),
        );
      });

      test('given no right to read the tables', async () => {
        const schema = await newSchema();
        await migratePostgresAudit({ url: postgres.url, schema });
        await db.run("CREATE USER guest PASSWORD 'guest'");
        const url = swapped('proofline:proofline@', 'guest:guest@');
        await expect(openPostgresAuditReader({ url, schema })).rejects.toEqual(refusal(/permission denied/));
      });

      test('given something that is no address of PostgreSQL', async () => {
        for (const url of ['mysql://a:b@c/d', 'postgres', ''])
          await expect(openPostgresAuditStore({ url })).rejects.toEqual(refusal(/postgres:\/\//));
      });

      test('given a database that does not hold every text', async () => {
        await db.run("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
        const url = onDatabase('latin');
        await expect(migratePostgresAudit({ url })).rejects.toEqual(refusal(/encoding is LATIN1/));
        await expect(openPostgresAuditStore({ url })).rejects.toEqual(refusal(/encoding is LATIN1/));
      });
    });

    describe('a store', () => {
      let options: { url: string; schema: string };
      let table: (name: string) => string;
      beforeEach(async () => {
        const schema = await newSchema();
        options = { url: postgres.url, schema };
        table = (name) => `"${schema.replaceAll('"', '""')}".${name}`;
        await migratePostgresAudit(options);
      });

      test('given a batch of more than one statement holds, then it is still kept whole or not at all', async () => {
        const store = await openPostgresAuditStore(options);
        const batch = Array.from({ length: 2_500 }, (_, i) => invocation({ eventId: `e${i}` }));
        await refuseRows(table('tool_invocation'), "NEW.event_id = 'e2400'", 'disk_full');
        await expect(store.appendInvocations(batch)).rejects.toMatchObject({
          code: 'PL_DISK_FULL',
          retryable: true,
        });
        expect((await store.stats()).invocations.rows).toBe(0);
        await db.run(`DROP TRIGGER refuse ON ${table('tool_invocation')}`);
        await store.appendInvocations(batch);
        expect((await store.stats()).invocations.rows).toBe(2_500);
        const { invocations } = await store.trail('run-1', 3);
        expect(invocations.map(({ eventId }) => eventId)).toEqual(['e0', 'e1', 'e2']);
        await store.close();
      });

      test('given records of several megabytes each, then they are kept in one call', async () => {
        const store = await openPostgresAuditStore(options);
        const value = Buffer.alloc(3 * 1024 * 1024, 7);
        await store.keepAnswers(Array.from({ length: 8 }, (_, i) => answer({ id: `a${i}`, value })));
        expect((await store.stats()).answers.rows).toBe(8);
        expect((await store.answer('run-1', 'LOOKUP', 'a7'))?.value.equals(value)).toBe(true);
        await store.close();
      });

      test('given the same keys in opposite orders from two processes, then neither waits for the other for ever', async () => {
        const [one, other] = [await openPostgresAuditStore(options), await openPostgresAuditStore(options)];
        const events = Array.from({ length: 400 }, (_, i) => invocation({ eventId: `e${i}` }));
        for (let round = 0; round < 10; round++) {
          await Promise.all([
            one.appendInvocations(events),
            other.appendInvocations([...events].reverse()),
            one.keepAnswers(events.map(({ eventId }) => answer({ id: eventId }))),
            other.keepAnswers(events.map(({ eventId }) => answer({ id: eventId })).reverse()),
          ]);
          expect((await one.stats()).invocations.rows).toBe(400);
          await Promise.all([one.deleteBefore(NOON + 1), other.deleteBefore(NOON + 1)]);
          expect(await one.countBefore(NOON + 1)).toBe(0);
        }
        await one.close();
        await other.close();
      });

      test('given two that delete at once, then each row is counted by one of them, and neither ends before the other', async () => {
        const [one, other] = [await openPostgresAuditStore(options), await openPostgresAuditStore(options)];
        await one.appendInvocations(
          Array.from({ length: 8_000 }, (_, i) => invocation({ eventId: `e${i}`, occurredAt: NOON - i })),
        );
        const deleteAll = async (): Promise<number> => {
          const deleted = await one.deleteBefore(NOON + 1);
          expect(await one.countBefore(NOON + 1)).toBe(0);
          return deleted;
        };
        const deleted = await Promise.all([deleteAll(), deleteAll(), other.deleteBefore(NOON + 1)]);
        expect(deleted.reduce((sum, rows) => sum + rows, 0)).toBe(8_000);
        await one.close();
        await other.close();
      });

      test('given a server that is set to answer before it is durable, then this store is not', async () => {
        await db.run('ALTER ROLE proofline SET synchronous_commit = off');
        const store = await openPostgresAuditStore(options);
        await db.run(`CREATE TABLE ${table('seen')} (setting text)`);
        await db.run(`CREATE FUNCTION ${table('note')}() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO ${table('seen')} VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$`);
        await db.run(
          `CREATE TRIGGER note BEFORE INSERT ON ${table('answer')} FOR EACH ROW EXECUTE FUNCTION ${table('note')}()`,
        );
        await store.keepAnswers([answer()]);
        expect(await db.run(`SELECT setting FROM ${table('seen')}`)).toEqual([{ setting: 'on' }]);
        await store.close();
        await db.run('ALTER ROLE proofline RESET synchronous_commit');
      });

      test('given tables that somebody dropped, then it answers PL_AUDIT_DOWN, never nothing', async () => {
        const store = await openPostgresAuditStore(options);
        await db.run(`DROP TABLE ${table('answer')}, ${table('tool_invocation')}`);
        const down = { code: 'PL_AUDIT_DOWN', message: expect.stringContaining('does not exist') as string };
        await expect(store.trail('run-1')).rejects.toMatchObject(down);
        await expect(store.answer('run-1', 'LOOKUP', 'x')).rejects.toMatchObject(down);
        await expect(store.recentRuns(1)).rejects.toMatchObject(down);
        await expect(store.appendInvocations([invocation({ eventId: '1' })])).rejects.toMatchObject(down);
        await store.close();
      });

      test('given more callers than connections, then all are served, by no more connections', async () => {
        const store = await openPostgresAuditStore({ ...options, connections: 2 });
        const most = { found: 0 };
        const calls = Array.from({ length: 60 }, async (_, i) => {
          await store.appendInvocations([invocation({ eventId: `e${i}` })]);
          const [row] = await db.run(
            "SELECT count(*)::int AS now FROM pg_stat_activity WHERE application_name = 'proofline'",
          );
          most.found = Math.max(most.found, Number(row!['now']));
        });
        await Promise.all(calls);
        expect(most.found).toBeGreaterThan(0);
        expect(most.found).toBeLessThanOrEqual(2);
        expect((await store.stats()).invocations.rows).toBe(60);
        await store.close();
      });
    });

    describe('proofline audit', () => {
      let env: { PROOFLINE_AUDIT_URL: string };
      let where: string;
      beforeEach(async () => {
        const schema = `cli_${++schemas}`;
        await db.run(`CREATE SCHEMA ${schema}`);
        const search = encodeURIComponent(`-c search_path=${schema}`);
        env = { PROOFLINE_AUDIT_URL: `${postgres.url}?options=${search}` };
        where = `PostgreSQL at ${postgres.host}:${postgres.port}/proofline`;
      });
      const audit = (...argv: readonly string[]): Promise<CliRun> =>
        cli(['--data', '/nowhere', 'audit', ...argv], { env });

      test('given no tables, then stats and prune name the command, which makes them', async () => {
        for (const argv of [
          ['stats'],
          ['prune', '--older-than', '1d'],
          ['prune', '--older-than', '1d', '--dry-run'],
        ]) {
          const { code, err } = await audit(...argv);
          expect([code, err]).toEqual([3, expect.stringContaining('PL_AUDIT_UNUSABLE')]);
          expect(err).toContain('proofline audit migrate');
        }
        expect(await audit('migrate')).toMatchObject({
          code: 0,
          out: `${where}, schema cli_${schemas}: tables made, version ${SCHEMA_VERSION}\n`,
        });
        expect((await audit('migrate')).out).toContain(`version ${SCHEMA_VERSION} already, nothing to do`);
        expect((await audit('migrate', '--dry-run')).out).toMatch(/^-- .* nothing to do\n$/);
      });

      test('given a dry run, then migrate prints SQL that can be run as it is, and makes nothing', async () => {
        const { code, out } = await audit('migrate', '--dry-run');
        expect(code).toBe(0);
        const again = JSON.parse((await audit('migrate', '--dry-run', '--json')).out) as unknown;
        expect(again).toMatchObject({ where, from: 0, to: SCHEMA_VERSION, dry_run: true });
        await db.run(out);
        expect((await audit('stats')).code).toBe(0);
      });

      test('it tells how much there is and deletes what is old', async () => {
        await audit('migrate');
        const store = await openPostgresAuditStore({ url: env.PROOFLINE_AUDIT_URL });
        const old = Date.now() - 100 * 86_400_000;
        const many = Array.from({ length: 1_200 }, (_, i) =>
          invocation({ eventId: `o${i}`, occurredAt: old }),
        );
        await store.appendInvocations([...many, invocation({ eventId: 'new', occurredAt: Date.now() })]);
        await store.keepAnswers([answer({ occurredAt: old })]);
        expect((await audit('prune', '--older-than', '90d', '--dry-run')).out).toContain(
          'would delete 1201 rows',
        );
        expect((await audit()).out).toMatch(/tool invocations +1201 /);
        const pruned = JSON.parse((await audit('prune', '--older-than', '90d', '--json')).out) as unknown;
        expect(pruned).toMatchObject({ where, rows: 1_201, dry_run: false });
        const stats = JSON.parse((await audit('stats', '--json')).out) as unknown;
        expect(stats).toMatchObject({
          where,
          tool_invocations: { rows: 1 },
          answers: { rows: 0, oldest_at: null },
        });
        expect((await store.trail('run-1')).invocations.map(({ eventId }) => eventId)).toEqual(['new']);
        await store.close();
      });

      test('given a server that is not there, then it says so, without the password', async () => {
        const [port = 0] = await freePorts(1);
        env = { PROOFLINE_AUDIT_URL: `postgres://mia:secret-word@127.0.0.1:${port}/audit` };
        for (const command of ['stats', 'migrate']) {
          const { code, out, err } = await audit(command);
          expect([code, err]).toEqual([3, expect.stringContaining('PL_AUDIT_DOWN')]);
          expect(out + err).not.toContain('secret-word');
        }
      });
    });

    /** Rows of the table for which the condition holds are refused, as the server itself would. */
    async function refuseRows(table: string, when: string, condition: string): Promise<void> {
      await db.run(`CREATE OR REPLACE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${condition}'; END $$`);
      await db.run(
        `CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION pg_temp.refuse()`,
      );
    }
  },
);

test('what PostgreSQL cannot hold is written so that texts keep their order', () => {
  const texts = [
    '',
    '\u0000',
    '\u0000\u0000',
    '\u0000\u0002',
    '\u0001',
    '\u0001\u0001',
    '\u0002',
    'a',
    'a\u0000',
    'aa',
  ];
  const written = texts.map((text) => storedText(text));
  expect(written.join('')).not.toContain('\u0000');
  expect([...written].sort()).toEqual(written);
});
