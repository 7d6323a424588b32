import type { ToolInvocation } from '../contracts/generated.js';
import type { Answer, AnswerKind } from './audit-store.js';
import { DIGEST_MARK, storedKey, storedText, textOfStored } from './postgres-text.js';
import { invocationRow } from './sqlite-rows.js';

/** What the two tables hold in PostgreSQL. */

/** How a value is written: `key` is text that an index has, `whole` is JSON text. */
type ColumnKind = 'key' | 'text' | 'whole' | 'bigint' | 'double precision' | 'boolean' | 'bytea';

type Columns<Fields> = readonly (readonly [keyof Fields & string, ColumnKind])[];

/** Values by column, as JSON carries them. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

export interface Column {
  readonly name: string;
  /** What the server reads it as. */
  readonly type: string;
  /** JSON text within JSON is a string, which only a cast makes JSON. */
  readonly cast: string;
}

export interface Table<T> {
  readonly name: 'tool_invocation' | 'answer';
  /** The columns of which two rows never have the same. */
  readonly key: readonly string[];
  readonly columns: readonly Column[];
  row(of: T): Row;
}

const invocationColumns: Columns<ReturnType<typeof invocationRow>> = [
  ['event_id', 'key'],
  ['run_id', 'key'],
  ['occurred_at', 'bigint'],
  ['station', 'text'],
  ['version', 'text'],
  ['kind', 'text'],
  ['outcome', 'text'],
  ['code', 'text'],
  ['tool_call_id', 'text'],
  ['tool_name', 'text'],
  ['draft_id', 'text'],
  ['evidence_status', 'text'],
  ['relevance_level', 'text'],
  ['top_similarity', 'double precision'],
  ['is_low_quality', 'boolean'],
  ['count_in', 'bigint'],
  ['count_out', 'bigint'],
  ['started_at', 'bigint'],
  ['finished_at', 'bigint'],
  ['record', 'whole'],
];

export const invocationTable: Table<ToolInvocation> = {
  name: 'tool_invocation',
  key: ['event_id'],
  ...written(invocationColumns, invocationRow),
};

/** A row of answer, as it is read. */
export interface AnswerRow {
  readonly run_id: string;
  readonly kind: AnswerKind;
  readonly id: string;
  readonly event_id: string;
  /** A bigint comes as text. */
  readonly occurred_at: string;
  readonly value: Buffer;
  /** JSON text. */
  readonly long_key: string | null;
}

const answerColumns: Columns<AnswerRow> = [
  ['run_id', 'key'],
  ['kind', 'text'],
  ['id', 'key'],
  ['event_id', 'text'],
  ['occurred_at', 'bigint'],
  ['value', 'bytea'],
  ['long_key', 'whole'],
];

export const answerTable: Table<Answer> = {
  name: 'answer',
  key: ['run_id', 'kind', 'id'],
  ...written(answerColumns, (answer: Answer) => ({
    run_id: answer.runId,
    kind: answer.kind,
    id: answer.id,
    event_id: answer.eventId,
    occurred_at: String(answer.occurredAt),
    value: answer.value,
    long_key: longKey(answer),
  })),
};

function longKey({ runId, id }: Answer): string | null {
  if (![runId, id].some((key) => storedKey(key).startsWith(DIGEST_MARK))) return null;
  return JSON.stringify([runId.toWellFormed(), id.toWellFormed()]);
}

/** Selects what `answerFromRow` reads. */
export const ANSWER_COLUMNS = 'run_id, kind, id, event_id, occurred_at, value, long_key::text AS long_key';

export function answerFromRow(row: AnswerRow): Answer {
  const [runId, id] =
    row.long_key === null
      ? [textOfStored(row.run_id), textOfStored(row.id)]
      : (JSON.parse(row.long_key) as [string, string]);
  return {
    runId,
    kind: row.kind,
    id,
    eventId: textOfStored(row.event_id),
    occurredAt: Number(row.occurred_at),
    value: row.value,
  };
}

function written<T, Fields>(
  columns: Columns<Fields>,
  fieldsOf: (of: T) => Fields,
): Pick<Table<T>, 'columns' | 'row'> {
  return {
    columns: columns.map(([name, kind]) => {
      const isText = kind === 'key' || kind === 'text' || kind === 'whole';
      return { name, type: isText ? 'text' : kind, cast: kind === 'whole' ? '::json' : '' };
    }),
    row(of) {
      const fields = fieldsOf(of);
      return Object.fromEntries(columns.map(([name, kind]) => [name, writtenValue(kind, fields[name])]));
    },
  };
}

function writtenValue(kind: ColumnKind, value: unknown): Row[string] {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  if (typeof value !== 'string') return value as Row[string];
  if (kind === 'key') return storedKey(value);
  return kind === 'text' ? storedText(value) : value;
}
