import Database from 'better-sqlite3';
import { ProoflineError } from '../../contracts/errors.js';

/** An index file is told from any other SQLite file by this. */
const APPLICATION_ID = 0x504c4958;
/** Raised when tables change, or when the same file would be cut into other chunks or tokens than before. */
const VERSION = 1;

/**
 * `term` has no text of its own, only what of it is searched: tokens that are cut already, so that SQLite need
 * only split them at spaces and bring English words to their stems (Porter).
 */
const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE document (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, slug TEXT NOT NULL, title TEXT NOT NULL,
    titled INTEGER NOT NULL, digest TEXT NOT NULL, chunks INTEGER NOT NULL);
  CREATE TABLE chunk (
    id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL, number INTEGER NOT NULL,
    breadcrumb TEXT NOT NULL, section_title TEXT, content TEXT NOT NULL);
  CREATE INDEX chunk_of_document ON chunk (document_id, number);
  CREATE VIRTUAL TABLE term USING fts5(
    heading, body, content='', contentless_delete=1, tokenize="porter ascii tokenchars '_'");
`;

/**
 * Opens an index file, WAL so that others read while one writes. Creates it unless `readOnly`.
 * Throws PL_INDEX_UNUSABLE when it is missing, no index, or of another version.
 */
export function openIndexFile(file: string, { readOnly }: { readonly readOnly: boolean }): Database.Database {
  let db: Database.Database | null = null;
  try {
    db = new Database(file, { readonly: readOnly, fileMustExist: readOnly });
    db.pragma('busy_timeout = 10000');
    if (!readOnly) prepareForWriting(db);
    checkKind(db);
    return db;
  } catch (error) {
    db?.close();
    throw new ProoflineError('PL_INDEX_UNUSABLE', { file, problem: sqliteProblem(error) }, { cause: error });
  }
}

function prepareForWriting(db: Database.Database): void {
  if (isEmpty(db)) {
    db.pragma('journal_mode = WAL');
    db.transaction(() => createTables(db)).immediate();
  }
  // Enough in WAL: a crash may lose the last files indexed, never half of one, and the next run indexes them.
  db.pragma('synchronous = NORMAL');
}

function isEmpty(db: Database.Database): boolean {
  return db.prepare('SELECT count(*) FROM sqlite_master').pluck().get() === 0;
}

/** Under the write lock: of two processes that begin with the same file, one makes the tables. */
function createTables(db: Database.Database): void {
  if (!isEmpty(db)) return;
  db.exec(SCHEMA);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${VERSION}`);
}

function checkKind(db: Database.Database): void {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) throw new Error('it is no index');
  const version = db.pragma('user_version', { simple: true });
  if (version !== VERSION)
    throw new Error(`it was made by another version (${String(version)}, not ${VERSION})`);
}

/** What went wrong, by SQLite's own code where there is one. */
export function sqliteProblem(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error instanceof Database.SqliteError ? `${error.message} (${error.code})` : error.message;
}
