import type { RunSummary } from './audit-store.js';
import { invocationFromJson } from './invocation-json.js';
import { DIGEST_MARK, textOfStored } from './postgres-text.js';
import type { Postgres } from './postgres.js';

/** Rows of the index that are read at a time. */
const PAGE = 2_000;

interface LatestRow {
  readonly run_id: string;
  readonly occurred_at: string;
}

interface FirstRow {
  readonly run_id: string;
  readonly first_at: string | null;
  readonly record: string | null;
}

/** The runs with the latest invocations in the table, latest first. */
export function recentRunsQuery(db: Postgres, table: string): (limit: number) => Promise<RunSummary[]> {
  // Read from the newest on, and no further than needed: grouping would read every row that there is.
  const begin = `SELECT run_id, occurred_at FROM ${table} ORDER BY occurred_at DESC, run_id LIMIT ${PAGE}`;
  const goOn = `SELECT run_id, occurred_at FROM ${table}
    WHERE occurred_at <= $1::bigint AND (occurred_at < $1::bigint OR run_id > $2)
    ORDER BY occurred_at DESC, run_id LIMIT ${PAGE}`;
  const firsts = `SELECT given.run_id,
      (SELECT min(occurred_at) FROM ${table} AS of_run WHERE of_run.run_id = given.run_id) AS first_at,
      CASE WHEN starts_with(given.run_id, $2) THEN
        (SELECT record::text FROM ${table} AS of_run WHERE of_run.run_id = given.run_id LIMIT 1) END AS record
    FROM unnest($1::text[]) AS given (run_id)`;

  async function latest(limit: number): Promise<Map<string, number>> {
    const lastAt = new Map<string, number>();
    let rows = limit > 0 ? (await db.query<LatestRow>(begin)).rows : [];
    for (;;) {
      for (const row of rows) {
        if (lastAt.size >= limit) return lastAt;
        if (!lastAt.has(row.run_id)) lastAt.set(row.run_id, Number(row.occurred_at));
      }
      const end = rows.at(-1);
      if (end === undefined || rows.length < PAGE) return lastAt;
      rows = (await db.query<LatestRow>(goOn, [end.occurred_at, end.run_id])).rows;
    }
  }

  return async (limit) => {
    const lastAt = await latest(limit);
    if (lastAt.size === 0) return [];
    const { rows } = await db.query<FirstRow>(firsts, [[...lastAt.keys()], DIGEST_MARK]);
    const firstOf = new Map(rows.map((row) => [row.run_id, row]));
    return [...lastAt].map(([key, last]) => {
      const { first_at: first = null, record = null } = firstOf.get(key) ?? {};
      const runId = record === null ? textOfStored(key) : invocationFromJson(record).runId;
      return { runId, firstAt: first === null ? last : Number(first), lastAt: last };
    });
  };
}
