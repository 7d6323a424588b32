import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import type { ScanView, ViewEntry } from './ledger-view.js';

/** Reads the ledger view of a bus that is open for reading, beside the line that may be running on it. */
export function scanSqliteView(db: Database.Database, epoch: string): ScanView {
  const position = db.prepare('SELECT epoch, next FROM ledger_position WHERE partition = ?');
  return (partition) => {
    const at = position.get(partition) as { epoch: string; next: number } | undefined;
    if (at === undefined) return Promise.resolve(null);
    if (at.epoch !== epoch) return Promise.resolve('other-logs');
    return Promise.resolve({ position: at.next, entries: pagesOf(db, partition), bytes: null });
  };
}

const PAGE = 500;

interface EntryRow {
  run_id: string;
  tool_call_id: string;
  value: Buffer;
}

/** In pages: one long reading would let the write-ahead log grow. */
async function* pagesOf(db: Database.Database, partition: number): AsyncGenerator<ViewEntry> {
  const page = db.prepare(`SELECT run_id, tool_call_id, value FROM ledger_entry
                           WHERE partition = ? AND (run_id, tool_call_id) > (?, ?)
                           ORDER BY run_id, tool_call_id LIMIT ?`);
  for (let last = { run_id: '', tool_call_id: '' }; ;) {
    const rows = page.all(partition, last.run_id, last.tool_call_id, PAGE) as EntryRow[];
    for (const { run_id, tool_call_id, value } of rows)
      yield { runId: run_id, toolCallId: tool_call_id, value };
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end;
    await nextTurn();
  }
}
