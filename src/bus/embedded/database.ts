import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import { isProoflineError, ProoflineError } from '../../contracts/errors.js';
import { topicNames, topics } from '../../contracts/topics.js';
import { topicNumber } from './log.js';

/** Format of the file; another one is refused, never converted silently. */
const FORMAT = 1;

const SCHEMA = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE record (
    topic INTEGER NOT NULL, partition INTEGER NOT NULL, offset INTEGER NOT NULL,
    key BLOB, value BLOB, headers TEXT NOT NULL, timestamp INTEGER NOT NULL,
    PRIMARY KEY (topic, partition, offset)
  );
  -- The next offset is a row of its own: retention may empty a log, and its offsets never begin again.
  CREATE TABLE log (
    topic INTEGER NOT NULL, partition INTEGER NOT NULL, next INTEGER NOT NULL,
    PRIMARY KEY (topic, partition)
  ) WITHOUT ROWID;
  CREATE TABLE consumed (
    consumer TEXT NOT NULL, topic INTEGER NOT NULL, partition INTEGER NOT NULL, next INTEGER NOT NULL,
    PRIMARY KEY (consumer, topic, partition)
  ) WITHOUT ROWID;
  CREATE TABLE ledger_entry (
    partition INTEGER NOT NULL, run_id TEXT NOT NULL, tool_call_id TEXT NOT NULL,
    state TEXT NOT NULL, expires_at INTEGER, value BLOB NOT NULL,
    PRIMARY KEY (partition, run_id, tool_call_id)
  );
  CREATE INDEX ledger_entry_call ON ledger_entry (tool_call_id, run_id);
  CREATE INDEX ledger_entry_expiry ON ledger_entry (partition, expires_at);
  CREATE TABLE ledger_position (partition INTEGER PRIMARY KEY, epoch TEXT NOT NULL, next INTEGER NOT NULL);
`;

export interface OpenOptions {
  readonly file: string;
  readonly readonly: boolean;
  /** Number of partitions that a new file is made with, and that an old one must have. Null takes the file's. */
  readonly partitions: number | null;
}

export interface OpenDatabase {
  readonly db: Database.Database;
  readonly partitions: number;
  readonly epoch: string;
}

/**
 * Opens the bus's file, making it when it is new (never with `readonly`).
 * @throws ProoflineError PL_DATA_FOLDER_UNUSABLE, PL_PARTITIONS_CHANGED.
 */
export function openDatabase(options: OpenOptions): OpenDatabase {
  const { file, readonly } = options;
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly, fileMustExist: readonly, timeout: 5000 });
    if (!readonly) makeTables(db, options.partitions ?? 12);
    const meta = checked(readMeta(db), options);
    if (!readonly) setDurable(db, file);
    return { db, ...meta };
  } catch (error) {
    db?.close();
    // SQLite looks into a file only when it is first read: garbage shows up in any of these.
    throw isProoflineError(error) ? error : unusable(file, messageOf(error));
  }
}

/** A reopened WAL file has `synchronous` NORMAL: set FULL on every open, and believe only what is read back. */
function setDurable(db: Database.Database, file: string): void {
  const journal = db.pragma('journal_mode = WAL', { simple: true });
  if (journal !== 'wal') throw unusable(file, `journal_mode is ${String(journal)}, not WAL`);
  db.pragma('synchronous = FULL');
  db.pragma('wal_autocheckpoint = 4000');
  const synchronous = db.pragma('synchronous', { simple: true });
  if (synchronous !== 2) throw unusable(file, `synchronous is ${String(synchronous)}, not FULL`);
}

/** Makes the tables of a new file; one that has tables, whoever made them, is left as it is. */
function makeTables(db: Database.Database, partitions: number): void {
  const make = db.transaction(() => {
    if (db.prepare('SELECT 1 FROM sqlite_master').get() !== undefined) return;
    db.exec(SCHEMA);
    // Compaction looks for a newer record of the same key.
    for (const topic of topicNames.filter((name) => topics[name].cleanup === 'compact')) {
      const number = topicNumber(topic);
      db.exec(`CREATE INDEX record_key_${number} ON record (partition, key, offset) WHERE topic = ${number}`);
    }
    const insert = db.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
    insert.run('format', String(FORMAT));
    insert.run('partitions', String(partitions));
    insert.run('epoch', randomUUID());
  });
  make.immediate();
}

function readMeta(db: Database.Database): Map<string, string> {
  const rows = db.prepare('SELECT name, value FROM meta').all() as { name: string; value: string }[];
  return new Map(rows.map((row) => [row.name, row.value]));
}

function checked(
  meta: ReadonlyMap<string, string>,
  options: OpenOptions,
): { partitions: number; epoch: string } {
  if (meta.get('format') !== String(FORMAT)) {
    throw unusable(
      options.file,
      `its format is ${meta.get('format') ?? 'none'}, this version reads ${FORMAT}`,
    );
  }
  const partitions = Number(meta.get('partitions'));
  if (!Number.isInteger(partitions))
    throw unusable(options.file, 'it does not say how many partitions it has');
  if (options.partitions !== null && options.partitions !== partitions) {
    throw new ProoflineError('PL_PARTITIONS_CHANGED', { found: options.partitions, expected: partitions });
  }
  return { partitions, epoch: meta.get('epoch') ?? '' };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unusable(file: string, problem: string): ProoflineError {
  return new ProoflineError('PL_DATA_FOLDER_UNUSABLE', { folder: file, problem });
}
