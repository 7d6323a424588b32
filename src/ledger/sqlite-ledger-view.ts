import type Database from 'better-sqlite3';
import type { Writer } from '../sqlite/group-commit.js';
import type { Codec } from '../contracts/codec.js';
import { mayReplace, readEntry, type EntryState } from './entry-state.js';
import {
  parseLedgerKey,
  type Applied,
  type LedgerBatch,
  type LedgerRecord,
  type LedgerView,
  type ViewEntry,
  type ViewQuery,
} from './ledger-view.js';
import { createPositionWaiters } from './position-waiters.js';

interface EntryRow {
  run_id: string;
  tool_call_id: string;
  value: Buffer;
}

export interface SqliteLedgerViewOptions {
  readonly writer: Writer;
  readonly codec: Codec;
  /** The epoch of the logs: a position of other logs is none. */
  readonly epoch: string;
}

/** The ledger view in the tables of the embedded bus. */
export function openSqliteLedgerView({ writer, codec, epoch }: SqliteLedgerViewOptions): LedgerView {
  const waiters = createPositionWaiters();
  const unfinished = unfinishedOf(epoch);
  const position = (partition: number): Promise<number | null> =>
    writer.read((db) => positionOf(db, partition, epoch));

  function apply({ partition, from, to, records }: LedgerBatch, of: string): Promise<Applied> {
    return writer.write((db) => {
      const at = positionOf(db, partition, of);
      if (at === null) return { kind: 'lost' };
      if (from > at) return { kind: 'gap', position: at };
      if (selectPosition(db, partition)?.epoch !== of) forget(db, partition);
      const fresh = records.filter((record) => record.offset >= at);
      const takenBack = applyRecords(db, codec, partition, fresh);
      movePosition(db, partition, of, Math.max(to, at));
      return { kind: 'applied', takenBack };
    });
  }

  return {
    position,
    async open(partition) {
      const at = await position(partition);
      return at === null ? null : { position: at, source: null };
    },

    async apply(batch) {
      const result = await apply(batch, epoch);
      if (result.kind === 'applied') waiters.moved(batch.partition, batch.to);
      return result;
    },

    async rebuild(partition) {
      await writer.write((db) => {
        forget(db, partition);
        movePosition(db, partition, unfinished, 0);
      });
      return {
        source: null,
        apply: (batch) => apply(batch, unfinished),
        async finish() {
          const to = await writer.write((db) => {
            const at = selectPosition(db, partition);
            if (at?.epoch !== unfinished) return null;
            movePosition(db, partition, epoch, at.next);
            return at.next;
          });
          if (to !== null) waiters.moved(partition, to);
          return to !== null;
        },
      };
    },

    read: (partition, queries) =>
      writer.read((db) => {
        const at = positionOf(db, partition, epoch);
        if (at === null) return null;
        if (selectPosition(db, partition)?.epoch !== epoch) return { position: 0, entries: [] };
        return { position: at, entries: queries.flatMap((query) => selectEntries(db, partition, query)) };
      }),

    foreignRun: (toolCallId, exceptRunId) =>
      writer.read((db) => {
        const sql = 'SELECT run_id FROM ledger_entry WHERE tool_call_id = ? AND run_id <> ? LIMIT 1';
        return (statement(db, sql).pluck().get(toolCallId, exceptRunId) as string | undefined) ?? null;
      }),

    expiredBefore: (partition, instant, limit) =>
      writer.read((db) => {
        const sql = `SELECT run_id, tool_call_id FROM ledger_entry
                     WHERE partition = ? AND expires_at < ? ORDER BY expires_at LIMIT ?`;
        const rows = statement(db, sql).all(partition, instant, limit) as Omit<EntryRow, 'value'>[];
        return rows.map((row) => ({ runId: row.run_id, toolCallId: row.tool_call_id }));
      }),

    whenPast: (partition, offset, timeoutMs) =>
      waiters.past({ partition, offset, timeoutMs, position: () => position(partition) }),
  };
}

/** Prepared statements by connection and text: preparing costs more than running. */
const prepared = new WeakMap<Database.Database, Map<string, Database.Statement>>();

function statement(db: Database.Database, sql: string): Database.Statement {
  const known = prepared.get(db) ?? new Map<string, Database.Statement>();
  prepared.set(db, known);
  const found = known.get(sql) ?? db.prepare(sql);
  known.set(sql, found);
  return found;
}

function selectPosition(
  db: Database.Database,
  partition: number,
): { readonly epoch: string; readonly next: number } | null {
  const sql = 'SELECT epoch, next FROM ledger_position WHERE partition = ?';
  const row = statement(db, sql).get(partition);
  return (row as { epoch: string; next: number } | undefined) ?? null;
}

/** Where what is of this epoch stands: at 0 where nothing is yet, or other logs', and null while it is rebuilt. */
function positionOf(db: Database.Database, partition: number, epoch: string): number | null {
  const at = selectPosition(db, partition);
  if (at?.epoch === epoch) return at.next;
  return at?.epoch === unfinishedOf(epoch) || epoch.startsWith(UNFINISHED) ? null : 0;
}

/** The epoch of a partition whose rebuild is not finished. */
const UNFINISHED = 'unfinished ';
const unfinishedOf = (epoch: string): string => UNFINISHED + epoch;

function movePosition(db: Database.Database, partition: number, epoch: string, next: number): void {
  const sql = `INSERT INTO ledger_position (partition, epoch, next) VALUES (?, ?, ?)
               ON CONFLICT (partition) DO UPDATE SET epoch = excluded.epoch, next = excluded.next`;
  statement(db, sql).run(partition, epoch, next);
}

/** Drops what is left of other logs. */
function forget(db: Database.Database, partition: number): void {
  statement(db, 'DELETE FROM ledger_entry WHERE partition = ?').run(partition);
}

/** Answers with how many records would have taken a terminal entry back. */
function applyRecords(
  db: Database.Database,
  codec: Codec,
  partition: number,
  records: readonly LedgerRecord[],
): number {
  let takenBack = 0;
  for (const { key, value } of records) {
    const id = key === null ? null : parseLedgerKey(key.toString('utf8'));
    if (id === null) continue;
    if (value === null) {
      const sql = 'DELETE FROM ledger_entry WHERE partition = ? AND run_id = ? AND tool_call_id = ?';
      statement(db, sql).run(partition, id.runId, id.toolCallId);
    } else if (!putEntry(db, codec, partition, { ...id, value })) {
      takenBack += 1;
    }
  }
  return takenBack;
}

/** False when the entry that is there is terminal and this is another one. */
function putEntry(db: Database.Database, codec: Codec, partition: number, entry: ViewEntry): boolean {
  const sql = 'SELECT state, value FROM ledger_entry WHERE partition = ? AND run_id = ? AND tool_call_id = ?';
  const before = statement(db, sql).get(partition, entry.runId, entry.toolCallId) as
    { state: EntryState; value: Buffer } | undefined;
  const decoded = readEntry(codec, entry.value);
  const state = decoded?.state ?? 'UNREADABLE';
  if (!mayReplace(before?.state, state))
    return before?.state === 'PENDING' || before?.value.equals(entry.value) === true;
  const upsert = `INSERT INTO ledger_entry (partition, run_id, tool_call_id, state, expires_at, value)
                  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (partition, run_id, tool_call_id) DO UPDATE
                  SET state = excluded.state, expires_at = excluded.expires_at, value = excluded.value`;
  statement(db, upsert).run(
    partition,
    entry.runId,
    entry.toolCallId,
    state,
    decoded?.expiresAt ?? null,
    entry.value,
  );
  return true;
}

function selectEntries(db: Database.Database, partition: number, query: ViewQuery): ViewEntry[] {
  const ofRun = 'SELECT run_id, tool_call_id, value FROM ledger_entry WHERE partition = ? AND run_id = ?';
  const one = `${ofRun} AND tool_call_id = ?`;
  const rows = query.toolCallIds.flatMap(
    (id) => statement(db, one).all(partition, query.runId, id) as EntryRow[],
  );
  if (query.others > 0) {
    const named = new Set(query.toolCallIds);
    const all = `${ofRun} ORDER BY tool_call_id LIMIT ?`;
    const found = statement(db, all).all(partition, query.runId, query.others + named.size) as EntryRow[];
    rows.push(...found.filter((row) => !named.has(row.tool_call_id)).slice(0, query.others));
  }
  return rows.map(toEntry);
}

function toEntry(row: EntryRow): ViewEntry {
  return { runId: row.run_id, toolCallId: row.tool_call_id, value: row.value };
}
