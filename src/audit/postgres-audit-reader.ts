import type { AuditReader, AuditStats, RunSummary, TableStats } from './audit-store.js';
import { TRAIL_LIMIT } from './audit-store.js';
import { invocationFromJson } from './invocation-json.js';
import { postgresError } from './postgres-errors.js';
import { ANSWER_COLUMNS, answerFromRow, type AnswerRow } from './postgres-rows.js';
import { recentRunsQuery } from './postgres-recent-runs.js';
import { storedKey } from './postgres-text.js';
import type { Postgres } from './postgres.js';

/** Looking at every row of a large table takes its time. */
const COUNT_TIMEOUT_MS = 600_000;

/** The reading half, on the (quoted) schema with the tables of this version. */
export function postgresAuditReader(db: Postgres, schema: string): AuditReader {
  const invocations = `${schema}.tool_invocation`;
  const answers = `${schema}.answer`;
  const recentRuns = recentRunsQuery(db, invocations);
  return {
    async answer(runId, kind, id) {
      const sql = `SELECT ${ANSWER_COLUMNS} FROM ${answers} WHERE run_id = $1 AND kind = $2 AND id = $3`;
      const { rows } = await db.query<AnswerRow>(sql, [storedKey(runId), kind, storedKey(id)]);
      return rows[0] === undefined ? null : answerFromRow(rows[0]);
    },
    async trail(runId, limit = TRAIL_LIMIT) {
      const most = Math.max(0, limit);
      // One more than asked for tells whether there is more.
      const values = [storedKey(runId), most + 1];
      const [records, given] = await Promise.all([
        db.query<{ record: string }>(
          `SELECT record::text AS record FROM ${invocations} WHERE run_id = $1
           ORDER BY occurred_at, started_at, arrived LIMIT $2`,
          values,
        ),
        db.query<AnswerRow>(
          `SELECT ${ANSWER_COLUMNS} FROM ${answers} WHERE run_id = $1 ORDER BY occurred_at, arrived LIMIT $2`,
          values,
        ),
      ]);
      return {
        invocations: records.rows
          .slice(0, most)
          .map(({ record }) => reading(() => invocationFromJson(record))),
        answers: given.rows.slice(0, most).map(answerFromRow),
        truncated: records.rows.length > most || given.rows.length > most,
      };
    },
    recentRuns: (limit): Promise<RunSummary[]> => recentRuns(limit),
    stats: () => statsOf(db, invocations, answers),
    async countBefore(instantMs) {
      const sql = `SELECT (SELECT count(*) FROM ${invocations} WHERE occurred_at < $1::bigint)
        + (SELECT count(*) FROM ${answers} WHERE occurred_at < $1::bigint) AS rows`;
      const count = await db.transaction(
        (query) => query<{ rows: string }>(sql, [instantMs]),
        COUNT_TIMEOUT_MS,
      );
      return Number(count.rows[0]?.rows);
    },
    close: () => db.close(),
  };
}

/** Somebody changed it, or it is damaged: no reason to leave it out. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw postgresError(error);
  }
}

interface StatsRow {
  readonly rows: string;
  readonly oldest: string | null;
  readonly newest: string | null;
  readonly bytes: string;
}

async function statsOf(db: Postgres, invocations: string, answers: string): Promise<AuditStats> {
  return db.transaction(async (query) => {
    // Each is a statement of its own, so that each has its index.
    const tableOf = async (table: string): Promise<StatsRow | undefined> => {
      const sql = `SELECT (SELECT count(*) FROM ${table}) AS rows, (SELECT min(occurred_at) FROM ${table}) AS oldest,
        (SELECT max(occurred_at) FROM ${table}) AS newest, pg_total_relation_size($1) AS bytes`;
      return (await query<StatsRow>(sql, [table])).rows[0];
    };
    const [first, second] = [await tableOf(invocations), await tableOf(answers)];
    return {
      invocations: tableStats(first),
      answers: tableStats(second),
      bytes: Number(first?.bytes) + Number(second?.bytes),
    };
  }, COUNT_TIMEOUT_MS);
}

function tableStats(row: StatsRow | undefined): TableStats {
  const instant = (text: string | null | undefined): number | null =>
    text === null || text === undefined ? null : Number(text);
  return { rows: Number(row?.rows), oldestAt: instant(row?.oldest), newestAt: instant(row?.newest) };
}
