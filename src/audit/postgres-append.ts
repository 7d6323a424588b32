import pg from 'pg';
import type { Row, Table } from './postgres-rows.js';
import type { Postgres, Query } from './postgres.js';

/** One statement carries no more than this: what it is written as must fit into a string, there and here. */
const SLICE_ROWS = 1_000;
const SLICE_CHARS = 8 * 1024 * 1024;

/** Adds rows of a table, all or none; one whose key is there already is left out. */
export function postgresAppend<T>(
  db: Postgres,
  schema: string,
  table: Table<T>,
): (rows: readonly T[]) => Promise<void> {
  const sql = insertSql(schema, table);
  // One JSON text: arrays, a column each, would cost this process several times as much to write.
  const add = (query: Query, slice: readonly Row[]): Promise<unknown> => query(sql, [JSON.stringify(slice)]);
  return async (rows) => {
    const slices = slicesOf(rows.map((row) => table.row(row)));
    const [first, second] = slices;
    if (first === undefined) return;
    // One statement is a transaction already.
    if (second === undefined) await add(db.query, first);
    else
      await db.transaction(async (query) => {
        for (const slice of slices) await add(query, slice);
      });
  };
}

/**
 * Rows are numbered in the order in which they came, and added in the order of their keys: two that add the same keys
 * in different orders would wait for each other.
 */
function insertSql<T>(schema: string, { name, key, columns }: Table<T>): string {
  const names = columns.map((column) => column.name).join(', ');
  const values = columns.map(({ name: column, cast }) => column + cast).join(', ');
  const typed = columns.map(({ name: column, type }) => `${column} ${type}`).join(', ');
  const next = `nextval(${pg.escapeLiteral(`${schema}.${name}_arrived`)}::regclass)`;
  const inOrder = [...key.map((column) => `${column} COLLATE "C"`), 'arrived'].join(', ');
  return `WITH given AS MATERIALIZED (
      SELECT ${next} AS arrived, rows.* FROM json_to_recordset($1::json) AS rows (${typed})
    )
    INSERT INTO ${schema}.${name} (${names}, arrived)
    SELECT ${values}, arrived FROM given ORDER BY ${inOrder}
    ON CONFLICT (${key.join(', ')}) DO NOTHING`;
}

function slicesOf(rows: readonly Row[]): Row[][] {
  const slices: Row[][] = [];
  let chars = Infinity;
  for (const row of rows) {
    const size = Object.values(row).reduce<number>((sum, value) => sum + sizeOf(value), 0);
    const last = slices.at(-1);
    if (last === undefined || last.length >= SLICE_ROWS || chars + size > SLICE_CHARS) {
      slices.push([row]);
      chars = size;
    } else {
      last.push(row);
      chars += size;
    }
  }
  return slices;
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 8;
}
