/**
 * The audit database's schema, step by step; each gets the quoted schema that it is made in. A step that was released
 * is never changed: add one.
 */
export const MIGRATIONS: readonly ((schema: string) => string)[] = [
  (schema) => `CREATE TABLE ${schema}.tool_invocation (
  event_id        text COLLATE "C" NOT NULL PRIMARY KEY,
  run_id          text COLLATE "C" NOT NULL,
  occurred_at     bigint NOT NULL, -- epoch milliseconds, as all instants outside "record"
  station         text NOT NULL,
  version         text NOT NULL,
  kind            text NOT NULL,
  outcome         text NOT NULL,
  code            text,
  tool_call_id    text,
  tool_name       text,
  draft_id        text,
  evidence_status text,
  relevance_level text,
  top_similarity  double precision,
  is_low_quality  boolean,
  count_in        bigint NOT NULL,
  count_out       bigint NOT NULL,
  started_at      bigint NOT NULL,
  finished_at     bigint NOT NULL,
  record          json NOT NULL, -- the whole ToolInvocation, snake_case
  arrived         bigint NOT NULL -- the order in which they came
);
CREATE SEQUENCE ${schema}.tool_invocation_arrived OWNED BY ${schema}.tool_invocation.arrived;
CREATE INDEX tool_invocation_run ON ${schema}.tool_invocation (run_id, occurred_at);
CREATE INDEX tool_invocation_latest ON ${schema}.tool_invocation (occurred_at DESC, run_id);

CREATE TABLE ${schema}.answer (
  run_id      text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL, -- LOOKUP, VERDICT, REVIEWED, REPAIR, OUTCOME
  id          text COLLATE "C" NOT NULL,
  event_id    text NOT NULL,
  occurred_at bigint NOT NULL,
  value       bytea NOT NULL, -- the record as it was on its topic
  long_key    json, -- run_id and id, where one of them is too long for an index and stands there as its digest
  arrived     bigint NOT NULL,
  PRIMARY KEY (run_id, kind, id)
);
CREATE SEQUENCE ${schema}.answer_arrived OWNED BY ${schema}.answer.arrived;
CREATE INDEX answer_occurred ON ${schema}.answer (occurred_at);
`,
];
