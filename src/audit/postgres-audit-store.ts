import type { AuditReader, AuditStore, DeleteOptions } from './audit-store.js';
import { postgresAppend } from './postgres-append.js';
import { postgresAuditReader } from './postgres-audit-reader.js';
import { usableSchema } from './postgres-migrations.js';
import { answerTable, invocationTable } from './postgres-rows.js';
import { openPostgres, type Postgres, type PostgresOptions } from './postgres.js';

/** Rows that retention deletes in one step. */
const DELETE_SLICE = 1_000;

/**
 * The audit in PostgreSQL, for any number of processes. Its tables are there already: `migratePostgresAudit` makes
 * them. Rejects with PL_AUDIT_UNUSABLE where they are not, or are of another version, and with PL_AUDIT_DOWN where the
 * server does not answer now. Afterwards a server that is gone and comes back needs nothing to be opened again.
 */
export function openPostgresAuditStore(options: PostgresOptions): Promise<AuditStore> {
  return opening(options, postgresAuditStore);
}

/** The same, for those who only read. */
export function openPostgresAuditReader(options: PostgresOptions): Promise<AuditReader> {
  return opening({ connections: 2, ...options }, postgresAuditReader);
}

async function opening<T>(options: PostgresOptions, use: (db: Postgres, schema: string) => T): Promise<T> {
  const db = openPostgres(options);
  try {
    return use(db, await usableSchema(db, options.schema));
  } catch (error) {
    await db.close();
    throw error;
  }
}

function postgresAuditStore(db: Postgres, schema: string): AuditStore {
  return {
    ...postgresAuditReader(db, schema),
    appendInvocations: postgresAppend(db, schema, invocationTable),
    keepAnswers: postgresAppend(db, schema, answerTable),
    async deleteBefore(instantMs, options) {
      let deleted = 0;
      for (const { name } of [invocationTable, answerTable])
        deleted = await deleteAll(db, deleteSliceSql(`${schema}.${name}`), instantMs, deleted, options);
      return deleted;
    },
  };
}

/**
 * Rows that somebody else deletes just now are waited for and passed over, so that a slice is short only where nothing
 * is left.
 */
function deleteSliceSql(table: string): string {
  const slice = `SELECT ctid FROM ${table} WHERE occurred_at < $1::bigint ORDER BY occurred_at
    LIMIT ${DELETE_SLICE} FOR UPDATE`;
  return `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${slice}))`;
}

/** Deletes slice by slice; how many there are then, with those of `before`. */
async function deleteAll(
  db: Postgres,
  sql: string,
  instantMs: number,
  before: number,
  { signal, onProgress }: DeleteOptions = {},
): Promise<number> {
  for (let deleted = before; ;) {
    signal?.throwIfAborted();
    const { rowCount } = await db.query(sql, [instantMs]);
    const changes = rowCount ?? 0;
    deleted += changes;
    onProgress?.(deleted);
    if (changes < DELETE_SLICE) return deleted;
  }
}
