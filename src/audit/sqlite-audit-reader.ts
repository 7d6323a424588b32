import type { Database } from 'better-sqlite3';
import { TRAIL_LIMIT } from './audit-store.js';
import type { AuditReader, RunSummary, Trail } from './audit-store.js';
import { invocationFromJson } from './invocation-json.js';
import { answering } from './sqlite-errors.js';
import { sqliteStats } from './sqlite-stats.js';
import { answerFromRow } from './sqlite-rows.js';
import type { AnswerRow } from './sqlite-rows.js';

/** The reading half on an open database with the schema of this version. */
export function sqliteAuditReader(db: Database): AuditReader {
  const oneAnswer = db.prepare<[string, string, string], AnswerRow>(
    'SELECT * FROM answer WHERE run_id = ? AND kind = ? AND id = ?',
  );
  const trail = trailQuery(db);
  const recentRuns = recentRunsQuery(db);
  const { stats, countBefore } = sqliteStats(db);
  // One transaction sees one state, whatever a writer does between two statements.
  const read = <T>(work: () => T) => answering(() => db.transaction(work)());

  return {
    answer: (runId, kind, id) =>
      read(() => {
        const row = oneAnswer.get(runId, kind, id);
        return row === undefined ? null : answerFromRow(row);
      }),
    trail: (runId, limit = TRAIL_LIMIT) => read(() => trail(runId, Math.max(0, limit))),
    recentRuns: (limit) => read(() => recentRuns(limit)),
    stats: () => read(stats),
    countBefore: (instantMs) => read(() => countBefore(instantMs)),
    close: () => answering(() => void db.close()),
  };
}

function trailQuery(db: Database): (runId: string, limit: number) => Trail {
  const someRecords = db.prepare<[string, number], { record: string }>(
    `SELECT record FROM tool_invocation WHERE run_id = ?
     ORDER BY occurred_at, started_at, rowid LIMIT ?`,
  );
  const someAnswers = db.prepare<[string, number], AnswerRow>(
    'SELECT * FROM answer WHERE run_id = ? ORDER BY occurred_at, rowid LIMIT ?',
  );
  return (runId, limit) => {
    // One more than asked for tells whether there is more.
    const records = someRecords.all(runId, limit + 1);
    const answers = someAnswers.all(runId, limit + 1);
    return {
      invocations: records.slice(0, limit).map(({ record }) => invocationFromJson(record)),
      answers: answers.slice(0, limit).map(answerFromRow),
      truncated: records.length > limit || answers.length > limit,
    };
  };
}

function recentRunsQuery(db: Database): (limit: number) => RunSummary[] {
  const latest = db.prepare<[], { run_id: string; occurred_at: number }>(
    'SELECT run_id, occurred_at FROM tool_invocation ORDER BY occurred_at DESC, run_id',
  );
  const first = db.prepare<[string], { at: number }>(
    'SELECT min(occurred_at) AS at FROM tool_invocation WHERE run_id = ?',
  );
  return (limit) => {
    const lastAt = new Map<string, number>();
    // Read from the newest on, and no further than needed: grouping would read every row that there is.
    for (const row of latest.iterate()) {
      if (lastAt.size >= limit) break;
      if (!lastAt.has(row.run_id)) lastAt.set(row.run_id, row.occurred_at);
    }
    return [...lastAt].map(([runId, last]) => ({
      runId,
      firstAt: first.get(runId)?.at ?? last,
      lastAt: last,
    }));
  };
}
