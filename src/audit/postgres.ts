import pg from 'pg';
import { auditUnusable, postgresError } from './postgres-errors.js';

/** PostgreSQL as the audit needs it: few connections, nothing that waits for ever, errors of the error table. */

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with what else pg's connection strings take. */
  readonly url: string;
  /** The schema that has the tables; the first that there is of the connection's search_path without. */
  readonly schema?: string;
  /** At most so many connections. */
  readonly connections?: number;
  /** Milliseconds for a connection: to be made, or to become free. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds for a statement. */
  readonly statementTimeoutMs?: number;
}

const defaults = { connections: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 15_000 };

/** The server ends a statement itself; who still has no answer so much later has a server that is gone. */
const GRACE_MS = 2_000;

/** A transaction whose client is gone holds no keys for longer than this. */
const ABANDONED_MS = 30_000;

export type Query = <R extends pg.QueryResultRow>(
  sql: string,
  values?: readonly unknown[],
) => Promise<pg.QueryResult<R>>;

/** Each call rejects with PL_AUDIT_DOWN or PL_DISK_FULL. What then happened to its transaction is not known. */
export interface Postgres {
  /** One statement, a transaction of its own. */
  readonly query: Query;
  /** Several statements in one transaction; `timeoutMs` holds for each of them. */
  transaction<T>(work: (query: Query) => Promise<T>, timeoutMs?: number): Promise<T>;
  /** Lets the calls at hand end. */
  close(): Promise<void>;
}

/** Connects when it is first asked. @throws ProoflineError PL_AUDIT_UNUSABLE for an address of something else. */
export function openPostgres(options: PostgresOptions): Postgres {
  const { connections, connectTimeoutMs, statementTimeoutMs } = { ...defaults, ...definedOf(options) };
  checkAddress(options.url);
  const pool = new pg.Pool({
    connectionString: options.url,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'proofline',
    keepAlive: true,
  });
  // A connection that dies while nobody uses it is no fault yet; whoever needs one gets another.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const prepared = new WeakSet<pg.PoolClient>();

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    try {
      const client = await pool.connect();
      try {
        if (!prepared.has(client)) await prepareSession(client, statementTimeoutMs);
        prepared.add(client);
        const answer = await work(client);
        client.release();
        return answer;
      } catch (error) {
        // In which state the connection is nobody knows: the next call begins with a new one.
        client.release(true);
        throw error;
      }
    } catch (error) {
      throw postgresError(error);
    }
  }

  let closed: Promise<void> | null = null;
  return {
    query: (sql, values) => withClient((client) => queryOf(client, statementTimeoutMs)(sql, values)),
    transaction: (work, timeoutMs = statementTimeoutMs) =>
      withClient(async (client) => {
        const query = queryOf(client, timeoutMs);
        await query('BEGIN');
        await query("SELECT set_config('statement_timeout', $1, true)", [String(timeoutMs)]);
        const answer = await work(query);
        await query('COMMIT');
        return answer;
      }),
    close: () => (closed ??= pool.end()),
  };
}

/** A caller that hands options through has undefined ones. */
function definedOf<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function checkAddress(url: string): void {
  const isPostgres = URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol);
  if (!isPostgres) throw auditUnusable('its address does not begin with postgres:// or is malformed');
}

function queryOf(client: pg.PoolClient, timeoutMs: number): Query {
  return (sql, values = []) => {
    // A statement without values may be several, so their protocol is used only where there are some.
    const config = { text: sql, query_timeout: timeoutMs + GRACE_MS };
    return client.query(values.length === 0 ? config : { ...config, values: [...values] });
  };
}

/** Set after connecting, since poolers refuse unknown parameters at the start. */
async function prepareSession(client: pg.PoolClient, statementTimeoutMs: number): Promise<void> {
  const settings = `SELECT set_config('statement_timeout', $1, false),
    set_config('idle_in_transaction_session_timeout', $2, false),
    -- What was acknowledged survives a power cut, whatever the server's default is.
    set_config('synchronous_commit',
      CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,
      false)`;
  const query = queryOf(client, statementTimeoutMs);
  await query(settings, [String(statementTimeoutMs), String(ABANDONED_MS)]);
}
