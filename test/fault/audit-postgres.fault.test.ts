import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AuditStore } from '../../src/audit/audit-store.js';
import { openAuditStore } from '../../src/audit/open-audit.js';
import { openPostgresAuditStore } from '../../src/audit/postgres-audit-store.js';
import { migratePostgresAudit } from '../../src/audit/postgres-migrations.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { answer, invocation } from '../conformance/audit-store.js';
import { connectPostgres, type TestDatabase } from '../support/audit-postgres.js';
import { trueDraft } from '../support/line-drafts.js';
import { closeLines, openTestLine, type TestLine } from '../support/line.js';
import { postgresMissing, startPostgres, type PostgresService } from '../support/services/postgres.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const missing = await postgresMissing();
const DOWN = { code: 'PL_AUDIT_DOWN', retryable: true };

describe.skipIf(missing !== null)(
  `PostgreSQL under the audit${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let postgres: PostgresService;
    let db: TestDatabase;
    let options: { url: string; schema: string; connectTimeoutMs: number; statementTimeoutMs: number };
    let store: AuditStore;
    let tests = 0;
    let failed = false;
    beforeAll(async () => {
      postgres = await startPostgres();
    }, 120_000);
    beforeEach(async () => {
      // A test that failed may have left it killed.
      if (failed) await postgres.restart();
      db = await connectPostgres(postgres.url);
      const schema = `audit_${++tests}`;
      await db.run(`CREATE SCHEMA ${schema}; SET search_path = ${schema}`);
      options = { url: postgres.url, schema, connectTimeoutMs: 1_000, statementTimeoutMs: 2_000 };
      await migratePostgresAudit(options);
      store = await openPostgresAuditStore(options);
    });
    afterEach(async (context) => {
      failed ||= context.task.result?.state === 'fail';
      await closeLines();
      removeTempFolders();
      await store.close();
      await db.close();
    });
    afterAll(() => postgres.stop({ keepLogs: failed }));

    const reconnect = async (): Promise<void> => {
      db = await connectPostgres(postgres.url);
      await db.run(`SET search_path = ${options.schema}`);
    };
    const events = (count: number) =>
      Array.from({ length: count }, (_, i) => invocation({ eventId: `e${i}` }));
    const rowCount = async (): Promise<number> => (await store.stats()).invocations.rows;

    /** Whatever inserts this event waits in the middle of its batch, until the function that it gives is called. */
    async function holdUpAt(eventId: string): Promise<() => Promise<unknown>> {
      await db.run(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(${tests}); RETURN NEW; END $$`);
      await db.run(`CREATE TRIGGER hold BEFORE INSERT ON tool_invocation FOR EACH ROW
        WHEN (NEW.event_id = '${eventId}') EXECUTE FUNCTION hold()`);
      await db.run(`SELECT pg_advisory_lock(${tests})`);
      return () => db.run(`SELECT pg_advisory_unlock(${tests})`);
    }
    const isHeldUp = async (): Promise<boolean> =>
      (await db.run("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length > 0;

    /** The line with this store as its audit. */
    function openLine(): TestLine {
      return openTestLine({
        wrapAudit: (sqlite) => ({ ...store, close: () => sqlite.close() }),
      });
    }

    /** Every event of the topic is in the store, once; so is every answer. */
    async function expectWhole(line: TestLine): Promise<void> {
      const published = (await line.messages('tool-invocation.v1')).map(({ eventId }) => eventId);
      const kept = await db.run('SELECT event_id FROM tool_invocation');
      expect(kept.map((row) => row['event_id']).sort()).toEqual([...new Set(published)].sort());
      const projected = await line.messages('projected.v1');
      const lookups = await db.run("SELECT id FROM answer WHERE kind = 'LOOKUP'");
      expect(lookups.map((row) => row['id']).sort()).toEqual(
        projected.map(({ requestEventId }) => requestEventId).sort(),
      );
    }

    test('given a server that is killed while the line works, then only the audit sink waits; nothing is lost or doubled', async () => {
      const line = openLine();
      for (let i = 0; i < 10; i++) await line.ask({ runId: `run-${i}` });
      await waitUntil('some is kept', async () => (await rowCount()) > 0);
      await postgres.kill();
      for (let i = 0; i < 20; i++) await line.ask({ runId: `run-${i}`, toolCallId: 'while-it-is-gone' });
      await waitUntil('the audit sink waits', () =>
        line.health.waiting().some(({ station }) => station === 'audit-sink'),
      );
      await waitUntil(
        'all lookups are answered',
        async () => (await line.messages('projected.v1')).length === 30,
      );
      await line.handIn({ runId: 'run-1', draftJson: trueDraft() });
      await waitUntil('the draft is judged', async () => (await line.messages('reviewed.v1')).length === 1);
      const waiting = line.health.waiting();
      expect(new Set(waiting.map(({ station, code }) => `${station} ${code}`))).toEqual(
        new Set(['audit-sink PL_AUDIT_DOWN']),
      );
      await postgres.restart();
      await reconnect();
      await waitUntil('the audit goes on', () => line.health.waiting().length === 0, 30_000);
      await line.idle();
      await expectWhole(line);
      expect(line.incidents).toEqual([]);
      expect(await line.messages('dead-letter.v1')).toEqual([]);
    });

    test('given one that is killed and started again and again, then nothing is lost or doubled', async () => {
      const line = openLine();
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 15; i++) await line.ask({ runId: `run-${i}`, toolCallId: `call-${round}` });
        await postgres.restart();
      }
      await reconnect();
      await line.idle();
      await expectWhole(line);
      expect(line.incidents).toEqual([]);
    });

    test('given one that is killed in the middle of a batch, then nothing of it is kept, and its repeat is', async () => {
      await holdUpAt('e1500');
      const batch = events(2_000);
      const appending = store.appendInvocations(batch).catch((error: unknown) => error);
      await waitUntil('it is in the middle', isHeldUp);
      await postgres.kill();
      expect(await appending).toMatchObject(DOWN);
      await expect(store.trail('run-1')).rejects.toMatchObject(DOWN);
      await expect(store.recentRuns(1)).rejects.toMatchObject(DOWN);
      await expect(store.answer('run-1', 'LOOKUP', 'x')).rejects.toMatchObject(DOWN);
      await postgres.restart();
      await reconnect();
      expect(await rowCount()).toBe(0);
      await store.appendInvocations(batch);
      await store.appendInvocations(batch);
      expect(await rowCount()).toBe(2_000);
    });

    test('given connections that the server ends, at rest and at work, then the next call has a new one', async () => {
      const connections = "FROM pg_stat_activity WHERE application_name = 'proofline'";
      const endAll = async (): Promise<void> => {
        await db.run(`SELECT pg_terminate_backend(pid) ${connections}`);
        await waitUntil(
          'they have ended',
          async () => (await db.run(`SELECT 1 ${connections}`)).length === 0,
        );
      };
      await store.appendInvocations(events(1));
      await endAll();
      await waitUntil('it goes on', () => appended('a'));
      expect(await rowCount()).toBe(2);
      const release = await holdUpAt('e2');
      const appending = store.appendInvocations(events(5)).catch((error: unknown) => error);
      await waitUntil('it is at work', isHeldUp);
      await endAll();
      expect(await appending).toMatchObject(DOWN);
      await release();
      await store.appendInvocations(events(5));
      expect(await rowCount()).toBe(6);
    });

    /** False while it does not pass. */
    async function appended(eventId: string): Promise<boolean> {
      try {
        await store.appendInvocations([invocation({ eventId })]);
        return true;
      } catch (error) {
        if (isProoflineError(error, 'PL_AUDIT_DOWN')) return false;
        throw error;
      }
    }

    test('given one that is too slow, then the call ends in time, and so does the statement on the server', async () => {
      const slow = await openPostgresAuditStore({ ...options, statementTimeoutMs: 300 });
      const release = await holdUpAt('e1');
      await expect(slow.appendInvocations(events(3))).rejects.toMatchObject({
        ...DOWN,
        message: expect.stringContaining('statement timeout') as string,
      });
      expect(await isHeldUp()).toBe(false);
      await release();
      await slow.appendInvocations(events(3));
      expect(await rowCount()).toBe(3);
      await slow.close();
    });

    test('given one that stops answering, then calls end in time, and it is used again when it goes on', async () => {
      const paused = await openPostgresAuditStore({ ...options, statementTimeoutMs: 300 });
      await postgres.signal('SIGSTOP');
      try {
        // One has a connection that is silent, the others need a new one that is never made.
        const calls = [
          paused.appendInvocations(events(3)),
          paused.keepAnswers([answer()]),
          paused.trail('run-1'),
          paused.recentRuns(1),
        ];
        for (const call of await Promise.allSettled(calls))
          expect(call).toMatchObject({ status: 'rejected', reason: DOWN });
      } finally {
        await postgres.signal('SIGCONT');
      }
      await waitUntil('it answers', () =>
        paused.appendInvocations(events(3)).then(
          () => true,
          () => false,
        ),
      );
      await paused.keepAnswers([answer()]);
      expect(await rowCount()).toBe(3);
      expect((await paused.trail('run-1')).answers).toHaveLength(1);
      await paused.close();
    });

    test('given a disk that is full, then the audit sink waits, and goes on when there is room', async () => {
      await db.run(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`);
      await db.run(`CREATE TRIGGER full_disk BEFORE INSERT ON tool_invocation EXECUTE FUNCTION full_disk()`);
      const line = openLine();
      await line.ask({});
      await waitUntil('the audit sink waits', () => line.health.waiting().length > 0);
      expect(line.health.waiting()).toMatchObject([{ station: 'audit-sink', code: 'PL_DISK_FULL' }]);
      await waitUntil(
        'the lookup is answered',
        async () => (await line.messages('projected.v1')).length === 1,
      );
      await db.run('DROP TRIGGER full_disk ON tool_invocation');
      await line.idle();
      await expectWhole(line);
      expect(line.incidents).toEqual([]);
    });

    test('given one that is down, then opening says so at once, and that it passes', async () => {
      await postgres.kill();
      await expect(openPostgresAuditStore(options)).rejects.toMatchObject(DOWN);
      await expect(migratePostgresAudit(options)).rejects.toMatchObject(DOWN);
      await postgres.restart();
      await reconnect();
      const again = await openPostgresAuditStore(options);
      await again.close();
    });

    test('given one that is down when the line starts, then the line starts, and the audit sink waits for it', async () => {
      await postgres.kill();
      const auditUrl = `${postgres.url}?options=${encodeURIComponent(`-c search_path=${options.schema}`)}`;
      await store.close();
      store = await openAuditStore({ auditUrl, data: '/nowhere' }, { mayBeDown: true });
      const line = openLine();
      await line.ask({});
      await waitUntil('the audit sink waits', () => line.health.waiting().length > 0);
      await waitUntil(
        'the lookup is answered',
        async () => (await line.messages('projected.v1')).length === 1,
      );
      await postgres.restart();
      await reconnect();
      await line.idle();
      await expectWhole(line);
      expect(line.incidents).toEqual([]);
    });

    test('given no tables when the line starts, then it is refused', async () => {
      await db.run(`DROP TABLE audit_version`);
      const auditUrl = `${postgres.url}?options=${encodeURIComponent(`-c search_path=${options.schema}`)}`;
      await expect(openAuditStore({ auditUrl, data: '/nowhere' }, { mayBeDown: true })).rejects.toMatchObject(
        { code: 'PL_AUDIT_UNUSABLE', retryable: false },
      );
    });
  },
);
