import SqliteDatabase from 'better-sqlite3';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditReader } from '../../src/audit/audit-store.js';
import {
  openSqliteAuditReader,
  openSqliteAuditStore,
  sqliteAuditStore,
} from '../../src/audit/sqlite-audit-store.js';
import { answer, describeAuditStore, invocation } from '../conformance/audit-store.js';

const newFolder = () => mkdtempSync(join(tmpdir(), 'proofline-audit-'));

describeAuditStore('SQLite', () => {
  const folder = newFolder();
  const file = join(folder, 'audit.db');
  const opened: AuditReader[] = [];
  const keep = <T extends AuditReader>(reader: T): Promise<T> => {
    opened.push(reader);
    return Promise.resolve(reader);
  };
  return Promise.resolve({
    openStore: () => keep(openSqliteAuditStore(file)),
    openReader: () => keep(openSqliteAuditReader(file)),
    dispose: async () => {
      for (const reader of opened) await reader.close();
      rmSync(folder, { recursive: true });
    },
  });
});

describe('the SQLite audit file', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = newFolder();
    file = join(folder, 'audit.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const inspect = <T>(look: (db: SqliteDatabase.Database) => T): T => {
    const db = new SqliteDatabase(file, { readonly: true });
    try {
      return look(db);
    } finally {
      db.close();
    }
  };

  it('has the key columns and the whole record as JSON for people to query', async () => {
    const store = openSqliteAuditStore(file);
    await store.appendInvocations([invocation({ eventId: 'e1', code: 'PL_X', isLowQuality: true })]);
    const row = inspect((db) => db.prepare('SELECT * FROM tool_invocation').get()) as Record<string, unknown>;
    await store.close();
    const { record, ...columns } = row;
    expect(columns).toEqual({
      event_id: 'e1',
      run_id: 'run-1',
      occurred_at: Date.parse('2026-01-02T12:00:00Z'),
      station: 'postprocess',
      version: '1.0.0',
      kind: 'POSTPROCESS',
      outcome: 'HITS',
      code: 'PL_X',
      tool_call_id: 'call_x1',
      tool_name: 'lookup_knowledge',
      draft_id: null,
      evidence_status: 'EVIDENCE_FOUND',
      relevance_level: 'PRECISE',
      top_similarity: 0.875,
      is_low_quality: 1,
      count_in: 7,
      count_out: 5,
      started_at: Date.parse('2026-01-02T12:00:00.005Z'),
      finished_at: Date.parse('2026-01-02T12:00:00.009Z'),
    });
    expect(JSON.parse(String(record))).toMatchObject({
      event_id: 'e1',
      occurred_at: '2026-01-02T12:00:00.000Z',
      is_low_quality: true,
      dropped: [{ evidence_key: 'd#chunk-2', document_id: 'd', original_rank: null, reason: 'DOC_CAP' }],
      measured: { started_at: '2026-01-02T12:00:00.005Z', finished_at: '2026-01-02T12:00:00.009Z' },
    });
  });

  it('finds a run and the latest runs by an index, without sorting all rows', async () => {
    await openSqliteAuditStore(file).close();
    const plan = (sql: string) =>
      inspect((db) => db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all())
        .map(({ detail }) => detail)
        .join('; ');
    expect(plan("SELECT record FROM tool_invocation WHERE run_id = 'r' ORDER BY occurred_at")).toBe(
      'SEARCH tool_invocation USING INDEX tool_invocation_run (run_id=?)',
    );
    expect(plan('SELECT run_id FROM tool_invocation ORDER BY occurred_at DESC, run_id')).toBe(
      'SCAN tool_invocation USING COVERING INDEX tool_invocation_latest',
    );
  });

  it('keeps what was acknowledged when its writer is killed', async () => {
    const script = `
      const { openSqliteAuditStore } = await import('./src/audit/sqlite-audit-store.ts');
      const [file, event] = process.argv.slice(1);
      const store = openSqliteAuditStore(file);
      for (let i = 0; i < 50; i++)
        await store.appendInvocations([{ ...JSON.parse(event), eventId: 'e' + i }]);
      process.kill(process.pid, 'SIGKILL');`;
    const event = JSON.stringify(invocation({ eventId: '' }));
    const options = ['--import', 'tsx', '--input-type=module', '-e', script, file, event];
    const child = spawnSync(process.execPath, options);
    expect([child.signal, child.stderr.toString()]).toEqual(['SIGKILL', '']);
    const store = openSqliteAuditStore(file);
    expect((await store.trail('run-1')).invocations).toHaveLength(50);
    await store.close();
  });

  it('is durable on every open: write-ahead log and synchronous FULL', async () => {
    for (let open = 0; open < 2; open++) {
      const db = new SqliteDatabase(file);
      const store = sqliteAuditStore(db);
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
      expect(db.pragma('synchronous', { simple: true })).toBe(2);
      await store.close();
    }
  });

  it('keeps a batch whole or not at all when the disk is full, and goes on when there is room', async () => {
    const db = new SqliteDatabase(file);
    const store = sqliteAuditStore(db);
    await store.appendInvocations([invocation({ eventId: 'before' })]);
    const batch = Array.from({ length: 200 }, (_, i) =>
      invocation({ eventId: `e${i}`, factsJson: 'x'.repeat(5_000) }),
    );
    const pages = Number(db.pragma('page_count', { simple: true }));
    db.pragma(`max_page_count = ${pages + 50}`);
    await expect(store.appendInvocations(batch)).rejects.toMatchObject({
      code: 'PL_DISK_FULL',
      retryable: true,
    });
    expect((await store.trail('run-1')).invocations).toHaveLength(1);
    await expect(store.keepAnswers([answer({ value: Buffer.alloc(1_000_000) })])).rejects.toMatchObject({
      code: 'PL_DISK_FULL',
    });
    db.pragma(`max_page_count = ${pages + 5_000}`);
    await store.appendInvocations(batch);
    expect((await store.trail('run-1')).invocations).toHaveLength(201);
    await store.close();
  });

  it('lets the process do other work while much is deleted', async () => {
    const store = openSqliteAuditStore(file);
    await store.appendInvocations(Array.from({ length: 1_500 }, (_, i) => invocation({ eventId: `e${i}` })));
    const order: string[] = [];
    setImmediate(() => order.push('other work'));
    await store.deleteBefore(Number.MAX_SAFE_INTEGER).then(() => order.push('deleted'));
    expect(order).toEqual(['other work', 'deleted']);
    await store.close();
  });

  it('reading is not held up by a writer in the middle of a step', async () => {
    const store = openSqliteAuditStore(file);
    await store.appendInvocations([invocation({ eventId: '1' })]);
    const other = new SqliteDatabase(file);
    other.exec('BEGIN IMMEDIATE; DELETE FROM tool_invocation');
    const reader = openSqliteAuditReader(file);
    expect((await reader.trail('run-1')).invocations).toHaveLength(1);
    other.close();
    await reader.close();
    await store.close();
  });

  it('a reader changes nothing and needs a writer that was there before', async () => {
    const unusable = expect.objectContaining({ code: 'PL_DATA_FOLDER_UNUSABLE' }) as Error;
    expect(() => openSqliteAuditReader(file)).toThrow(unusable);
    new SqliteDatabase(file).exec('PRAGMA journal_mode = WAL').close();
    expect(() => openSqliteAuditReader(file)).toThrow(/no writer of this version/);
    await openSqliteAuditStore(file).close();
    const reader = openSqliteAuditReader(file);
    expect(reader).not.toHaveProperty('appendInvocations');
    await reader.close();
  });

  describe('that cannot be used is refused with the reason', () => {
    const refused = (open: () => unknown, code: string, problem: RegExp) => {
      expect(open).toThrow(problem);
      expect(open).toThrow(expect.objectContaining({ code }) as Error);
    };
    const bothRefused = (problem: RegExp) => {
      refused(() => openSqliteAuditStore(file), 'PL_DATA_FOLDER_UNUSABLE', problem);
      refused(() => openSqliteAuditReader(file), 'PL_DATA_FOLDER_UNUSABLE', problem);
    };

    it('its folder does not exist', () => {
      file = join(folder, 'nowhere', 'audit.db');
      bothRefused(/directory does not exist/);
    });

    it('it is a folder', () => {
      mkdirSync(file);
      bothRefused(/audit\.db: /);
    });

    it('it is something else', () => {
      writeFileSync(file, 'not a database, but long enough to be looked at '.repeat(100));
      bothRefused(/not a database/);
    });

    it('it was made by a newer version', () => {
      const db = new SqliteDatabase(file);
      db.pragma('user_version = 99');
      db.close();
      bothRefused(/newer version \(schema 99/);
    });

    it('another process holds it: PL_AUDIT_DOWN, which passes', () => {
      const db = new SqliteDatabase(file);
      db.exec('BEGIN EXCLUSIVE');
      refused(() => openSqliteAuditStore(file), 'PL_AUDIT_DOWN', /locked/);
      db.close();
      expect(() => openSqliteAuditStore(file).close()).not.toThrow();
    });
  });

  it('that is damaged later answers PL_AUDIT_DOWN, never nothing', async () => {
    const store = openSqliteAuditStore(file);
    await store.appendInvocations([invocation({ eventId: '1' })]);
    await store.close();
    const db = new SqliteDatabase(file);
    db.exec("UPDATE tool_invocation SET record = '{'");
    db.close();
    const reader = openSqliteAuditReader(file);
    await expect(reader.trail('run-1')).rejects.toMatchObject({ code: 'PL_AUDIT_DOWN' });
    await reader.close();
  });
});
