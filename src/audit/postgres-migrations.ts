import pg from 'pg';
import { auditUnusable, postgresOpenError } from './postgres-errors.js';
import { MIGRATIONS } from './postgres-schema.js';
import { openPostgres, type Postgres, type PostgresOptions, type Query } from './postgres.js';

/** The version of the schema that this version of the package works with. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** What a migration does, or did. */
export interface Migration {
  /** The schema's name, not quoted. */
  readonly schema: string;
  /** Versions before and after; 0 is a database without the tables. */
  readonly from: number;
  readonly to: number;
  /** One transaction that does it, for whoever runs it by hand; empty where nothing is missing. */
  readonly sql: string;
}

const MIGRATE_TIMEOUT_MS = 600_000;

/**
 * Takes the steps that are missing, in one transaction; several may start at once. With `dryRun` changes nothing.
 * @throws ProoflineError PL_AUDIT_UNUSABLE, also for a database that only a newer version knows; PL_AUDIT_DOWN.
 */
export async function migratePostgresAudit(
  options: PostgresOptions,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<Migration> {
  const db = openPostgres(options);
  try {
    const schema = await findSchema(db.query, options.schema);
    return await db.transaction(async (query) => {
      if (!dryRun) await query(lockSql(schema));
      const from = await versionOf(query, schema);
      if (from > SCHEMA_VERSION) throw newerSchema(from);
      const steps = stepsFrom(schema, from);
      if (!dryRun) for (const step of steps) await query(step);
      return { schema, from, to: SCHEMA_VERSION, sql: transactionSql(schema, steps) };
    }, MIGRATE_TIMEOUT_MS);
  } catch (error) {
    throw postgresOpenError(error);
  } finally {
    await db.close();
  }
}

/** The quoted schema with the tables of this version. @throws ProoflineError PL_AUDIT_UNUSABLE, PL_AUDIT_DOWN. */
export async function usableSchema(db: Postgres, name: string | undefined): Promise<string> {
  try {
    const schema = await findSchema(db.query, name);
    const version = await versionOf(db.query, schema);
    if (version > SCHEMA_VERSION) throw newerSchema(version);
    const found = version === 0 ? 'has no tables of the audit' : `has version ${version} of the tables`;
    if (version < SCHEMA_VERSION)
      throw auditUnusable(
        `the schema ${schema} ${found}, and version ${SCHEMA_VERSION} is needed: run \`proofline audit migrate\``,
      );
    return quoted(schema);
  } catch (error) {
    throw postgresOpenError(error);
  }
}

/** The name of the schema that was asked for, else of the first of the search_path that there is. */
async function findSchema(query: Query, name: string | undefined): Promise<string> {
  const found = await query<{ schema: string | null; encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding, CASE WHEN $1::text IS NULL THEN current_schema()
       ELSE (SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = $1) END AS schema`,
    [name ?? null],
  );
  const { schema = null, encoding = '' } = found.rows[0] ?? {};
  if (encoding !== 'UTF8')
    throw auditUnusable(`its encoding is ${encoding}; only a database in UTF8 holds every text`);
  if (schema !== null) return schema;
  const which = name === undefined ? 'of its search_path' : JSON.stringify(name);
  throw auditUnusable(`there is no schema ${which}; make it first (CREATE SCHEMA)`);
}

/** 0 where there is no table of versions yet. */
async function versionOf(query: Query, schema: string): Promise<number> {
  const table = `${quoted(schema)}.audit_version`;
  const found = await query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [table]);
  if (found.rows[0]?.there !== true) return 0;
  const { rows } = await query<{ version: number | null }>(`SELECT max(version) AS version FROM ${table}`);
  return rows[0]?.version ?? 0;
}

function stepsFrom(schema: string, from: number): readonly string[] {
  const name = quoted(schema);
  const versions = `CREATE TABLE ${name}.audit_version (
  version    integer NOT NULL PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now()
);
`;
  const steps = MIGRATIONS.map(
    (step, i) => `${step(name)}INSERT INTO ${name}.audit_version (version) VALUES (${i + 1});\n`,
  ).slice(from);
  return from === 0 ? [versions, ...steps] : steps;
}

function transactionSql(schema: string, steps: readonly string[]): string {
  if (steps.length === 0) return '';
  return ['BEGIN;', `${lockSql(schema)};`, ...steps.map((step) => step.trimEnd()), 'COMMIT;', ''].join('\n');
}

/** Whoever comes second waits until the first has committed, and then finds nothing to do. */
function lockSql(schema: string): string {
  const what = pg.escapeLiteral(`proofline audit ${schema}`);
  return `SELECT pg_advisory_xact_lock(hashtextextended(${what}, 0))`;
}

function newerSchema(version: number): Error {
  return auditUnusable(
    `it was made by a newer version of proofline (schema ${version}, this one knows ${SCHEMA_VERSION})`,
  );
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}
