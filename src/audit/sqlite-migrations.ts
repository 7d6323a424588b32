import type { Database } from 'better-sqlite3';

/**
 * The audit database's schema, step by step; `user_version` counts the steps that were taken. A step that was
 * released is never changed: add one.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE tool_invocation (
    event_id        TEXT NOT NULL PRIMARY KEY,
    run_id          TEXT NOT NULL,
    occurred_at     INTEGER NOT NULL, -- epoch milliseconds, as all instants outside "record"
    station         TEXT NOT NULL,
    version         TEXT NOT NULL,
    kind            TEXT NOT NULL,
    outcome         TEXT NOT NULL,
    code            TEXT,
    tool_call_id    TEXT,
    tool_name       TEXT,
    draft_id        TEXT,
    evidence_status TEXT,
    relevance_level TEXT,
    top_similarity  REAL,
    is_low_quality  INTEGER,
    count_in        INTEGER NOT NULL,
    count_out       INTEGER NOT NULL,
    started_at      INTEGER NOT NULL,
    finished_at     INTEGER NOT NULL,
    record          TEXT NOT NULL -- the whole ToolInvocation as JSON, snake_case
  ) STRICT;
  CREATE INDEX tool_invocation_run ON tool_invocation (run_id, occurred_at);
  CREATE INDEX tool_invocation_latest ON tool_invocation (occurred_at DESC, run_id);

  CREATE TABLE answer (
    run_id      TEXT NOT NULL,
    kind        TEXT NOT NULL, -- LOOKUP, VERDICT, REVIEWED, REPAIR, OUTCOME
    id          TEXT NOT NULL,
    event_id    TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    value       BLOB NOT NULL, -- the record as it was on its topic
    PRIMARY KEY (run_id, kind, id)
  ) STRICT;
  CREATE INDEX answer_occurred ON answer (occurred_at);
  `,
];

/** Takes the steps that are missing, in one transaction. Throws for a database that this version does not know. */
export function migrate(db: Database): void {
  const takeSteps = db.transaction(() => {
    const taken = schemaVersion(db);
    if (taken > MIGRATIONS.length) throw new Error(newerSchema(taken));
    for (const step of MIGRATIONS.slice(taken)) db.exec(step);
    db.pragma(`user_version = ${MIGRATIONS.length}`);
  });
  takeSteps.immediate();
}

/** For readers, which change nothing: throws where the schema is not the one of this version. */
export function checkSchema(db: Database): void {
  const taken = schemaVersion(db);
  if (taken > MIGRATIONS.length) throw new Error(newerSchema(taken));
  if (taken < MIGRATIONS.length) throw new Error('no writer of this version has opened it yet');
}

function schemaVersion(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

function newerSchema(version: number): string {
  return `it was made by a newer version (schema ${version}, this one knows ${MIGRATIONS.length})`;
}
