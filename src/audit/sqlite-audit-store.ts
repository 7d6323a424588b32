import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createWriter } from '../sqlite/group-commit.js';
import type { AuditReader, AuditStore, DeleteOptions } from './audit-store.js';
import { sqliteAuditReader } from './sqlite-audit-reader.js';
import { answering, auditError, openError } from './sqlite-errors.js';
import { checkSchema, migrate } from './sqlite-migrations.js';
import { answerRow, invocationRow } from './sqlite-rows.js';

/** Rows that retention deletes in one step, so that neither the process nor the write-ahead log is held up. */
const DELETE_SLICE = 1_000;

/** How long a call waits for somebody else's lock. It holds up the whole process: the caller tries again instead. */
const BUSY_TIMEOUT_MS = 250;

/**
 * The audit in an SQLite file of its own, for one writing process and any number of reading ones; retention may write
 * beside it. Makes the file (not without `create`), never its folder. PL_DATA_FOLDER_UNUSABLE where the file cannot be
 * used, PL_DISK_FULL, or PL_AUDIT_DOWN while another process holds it.
 */
export function openSqliteAuditStore(file: string, { create = true } = {}): AuditStore {
  return opening(file, { fileMustExist: !create }, sqliteAuditStore);
}

/** Reads the file beside its writer; changes nothing. PL_DATA_FOLDER_UNUSABLE where no writer has made it yet. */
export function openSqliteAuditReader(file: string): AuditReader {
  return opening(file, { readonly: true, fileMustExist: true }, (db) => {
    checkSchema(db);
    return sqliteAuditReader(db);
  });
}

function opening<T>(file: string, options: SqliteDatabase.Options, use: (db: Database) => T): T {
  let db: Database | undefined;
  try {
    db = new SqliteDatabase(file, { timeout: BUSY_TIMEOUT_MS, ...options });
    return use(db);
  } catch (error) {
    db?.close();
    throw openError(file, error);
  }
}

/** A transaction that was acknowledged survives a power cut; an existing file forgets this setting on each open. */
function makeDurable(db: Database): void {
  const mode = db.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal') throw new Error(`it has no write-ahead log here, journal_mode is ${String(mode)}`);
  db.pragma('synchronous = FULL');
  const synchronous = db.pragma('synchronous', { simple: true });
  if (synchronous !== 2) throw new Error(`synchronous is ${String(synchronous)}, not FULL`);
}

/** The store on an open database, which it sets up and migrates, and closes in the end. */
export function sqliteAuditStore(db: Database): AuditStore {
  makeDurable(db);
  migrate(db);
  const reader = sqliteAuditReader(db);
  const addInvocation = db.prepare(insertSql(db, 'tool_invocation', 'event_id'));
  const addAnswer = db.prepare(insertSql(db, 'answer', 'run_id, kind, id'));
  // Appends of several callers become durable together.
  const writer = createWriter(db, { translate: auditError });
  const addAll = (add: SqliteDatabase.Statement, rows: () => readonly object[]): Promise<void> =>
    writer.write(() => {
      for (const row of rows()) add.run(row);
    });
  const deletions = ['tool_invocation', 'answer'].map((table) => db.prepare(deleteSliceSql(table)));

  return {
    ...reader,
    appendInvocations: (events) => addAll(addInvocation, () => events.map(invocationRow)),
    keepAnswers: (answers) => addAll(addAnswer, () => answers.map(answerRow)),
    async close() {
      await writer.idle();
      await reader.close();
    },
    async deleteBefore(instantMs, options) {
      let deleted = 0;
      for (const deletion of deletions) deleted = await deleteAll(deletion, instantMs, deleted, options);
      return deleted;
    },
  };
}

/** One named value for each column that the table has; a row whose key is there already is left out. */
function insertSql(db: Database, table: string, key: string): string {
  const columns = (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const values = columns.map((name) => `@${name}`);
  // Not INSERT OR IGNORE, which would also swallow a row that breaks another constraint.
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')}) ON CONFLICT (${key}) DO NOTHING`;
}

function deleteSliceSql(table: string): string {
  const slice = `SELECT rowid FROM ${table} WHERE occurred_at < ? LIMIT ${DELETE_SLICE}`;
  return `DELETE FROM ${table} WHERE rowid IN (${slice})`;
}

/** Deletes slice by slice; how many there are then, with those of `before`. */
async function deleteAll(
  deletion: SqliteDatabase.Statement,
  instantMs: number,
  before: number,
  { signal, onProgress }: DeleteOptions = {},
): Promise<number> {
  for (let deleted = before; ;) {
    signal?.throwIfAborted();
    const { changes } = await answering(() => deletion.run(instantMs));
    deleted += changes;
    onProgress?.(deleted);
    if (changes < DELETE_SLICE) return deleted;
    await nextTurn();
  }
}
