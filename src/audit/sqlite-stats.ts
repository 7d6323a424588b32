import type { Database } from 'better-sqlite3';
import type { AuditStats, TableStats } from './audit-store.js';

interface StatsRow {
  readonly rows: number;
  readonly oldest: number | null;
  readonly newest: number | null;
}

/** How much an open database holds. */
export function sqliteStats(db: Database): {
  stats: () => AuditStats;
  countBefore: (instantMs: number) => number;
} {
  const [invocations, answers] = ['tool_invocation', 'answer'].map((table) =>
    // Each is a statement of its own, so that each has its index.
    db.prepare<[], StatsRow>(
      `SELECT (SELECT count(*) FROM ${table}) AS rows, (SELECT min(occurred_at) FROM ${table}) AS oldest,
         (SELECT max(occurred_at) FROM ${table}) AS newest`,
    ),
  );
  const before = db.prepare<{ at: number }, { rows: number }>(
    `SELECT (SELECT count(*) FROM tool_invocation WHERE occurred_at < @at)
       + (SELECT count(*) FROM answer WHERE occurred_at < @at) AS rows`,
  );
  const pragma = (name: string): number => Number(db.pragma(name, { simple: true }));
  return {
    stats: () => ({
      invocations: tableStats(invocations?.get()),
      answers: tableStats(answers?.get()),
      bytes: pragma('page_count') * pragma('page_size'),
    }),
    countBefore: (at) => before.get({ at })?.rows ?? 0,
  };
}

function tableStats(
  { rows, oldest, newest }: StatsRow = { rows: 0, oldest: null, newest: null },
): TableStats {
  return { rows, oldestAt: oldest, newestAt: newest };
}
