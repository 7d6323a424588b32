import { openPostgres, type Postgres, type PostgresOptions } from '../audit/postgres.js';
import { usableSchema } from '../audit/postgres-migrations.js';
import { failure, ok, type Check } from './check.js';
import { clockCheck } from './clock.js';

/** The PostgreSQL that holds the audit. */

export interface AuditLooking {
  readonly db: Pick<Postgres, 'query'>;
  readonly now: () => number;
}

/** Opens, looks, and closes. */
export async function lookAtAudit<T>(
  options: PostgresOptions,
  look: (db: Postgres) => Promise<T>,
): Promise<T> {
  const db = openPostgres({ connections: 1, ...options });
  try {
    return await look(db);
  } finally {
    // A connection that hangs is not waited for.
    void db.close().catch(() => undefined);
  }
}

interface Facts {
  readonly version: string;
  readonly number: number;
  readonly standby: boolean;
  readonly writes: boolean | null;
  /** Epoch milliseconds, as text: it is a numeric. */
  readonly now: string;
}

const OLDEST = 12;

/** @throws ProoflineError PL_AUDIT_UNUSABLE without the tables of this version; PL_AUDIT_DOWN. */
export async function checkAuditTables(db: Postgres): Promise<Check> {
  await usableSchema(db, undefined);
  return ok('audit', 'the tables are there, of this version');
}

export async function checkAuditServer({ db, now }: AuditLooking): Promise<readonly Check[]> {
  const before = now();
  const { rows } = await db.query<Facts & Record<string, unknown>>(FACTS);
  const after = now();
  const [facts] = rows;
  if (facts === undefined) return [];
  const checks: Check[] = [];
  if (facts.number < OLDEST * 10_000)
    checks.push(
      failure('audit', `PostgreSQL ${facts.version} is too old`, `Use PostgreSQL ${OLDEST} or later.`),
    );
  if (facts.standby)
    checks.push(
      failure('audit', 'it is a standby, and takes no writes', 'Let PROOFLINE_AUDIT_URL name the primary.'),
    );
  if (facts.writes === false)
    checks.push(
      failure(
        'audit',
        'this user may not write to the tables of the audit',
        'GRANT SELECT, INSERT, DELETE on its tables and USAGE on its sequences to the user of PROOFLINE_AUDIT_URL.',
      ),
    );
  if (checks.length === 0) checks.push(ok('audit', `PostgreSQL ${facts.version}`));
  return [...checks, clockCheck('PostgreSQL', Number(facts.now), { before, after })];
}

/** Rights only where there are tables: without them the other check has said so. */
const FACTS = `SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::int AS number,
  pg_is_in_recovery() AS standby,
  (SELECT bool_and(has_table_privilege(c.oid, 'SELECT, INSERT, DELETE')) FROM pg_catalog.pg_class c
    WHERE c.oid IN (to_regclass('tool_invocation'), to_regclass('answer'))) AS writes,
  extract(epoch FROM clock_timestamp()) * 1000 AS now`;
