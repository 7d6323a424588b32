import type Database from 'better-sqlite3';
import type { Chunk } from './chunk.js';
import { indexTokens } from './words.js';

/** A file as it goes into the index. */
export interface IndexedDocument {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly slug: string;
  readonly title: string;
  readonly titled: boolean;
  /** Of the file's bytes. */
  readonly digest: string;
  readonly chunks: readonly Chunk[];
}

export interface IndexStats {
  readonly documents: number;
  readonly chunks: number;
  /** Share (0..1) of chunks whose title is only their file's name. */
  readonly withoutTitle: number;
  /** Share (0..1) of chunks that stand under no heading. */
  readonly withoutSection: number;
  /** Runs that were completed. */
  readonly generation: number;
  /** False while a run is under way or was broken off: some files are as they were before it. */
  readonly complete: boolean;
}

/** What indexing writes. Every function is one transaction. */
export interface IndexStore {
  /** The digest of every file in the index, by path. */
  digests(): ReadonlyMap<string, string>;
  begin(): void;
  /** Puts a file's chunks in the place of those it had. */
  replace(document: IndexedDocument, tokens: readonly ChunkTokens[]): void;
  remove(paths: readonly string[]): void;
  complete(): void;
}

/** The tokens of one chunk, by where they stand. */
export interface ChunkTokens {
  readonly heading: string;
  readonly body: string;
}

/** Title and headings are indexed beside the text: a chunk is about what it stands under. */
export function chunkTokens(document: IndexedDocument, chunk: Chunk): ChunkTokens {
  return { heading: indexTokens(chunk.breadcrumb), body: indexTokens(chunk.content) };
}

export function createIndexStore(db: Database.Database): IndexStore {
  const insert = prepareInsert(db);
  const remove = prepareRemove(db);
  const write = (work: () => void) => db.transaction(work).immediate();
  return {
    digests: () => new Map(db.prepare<[], [string, string]>('SELECT path, digest FROM document').raw().all()),
    begin: () => write(() => writeMeta(db, 'complete', '0')),
    replace: (document, tokens) =>
      write(() => {
        remove(document.path);
        insert(document, tokens);
      }),
    remove: (paths) => write(() => paths.forEach(remove)),
    complete: () =>
      write(() => {
        writeMeta(db, 'generation', String(Number(readMeta(db, 'generation') ?? 0) + 1));
        writeMeta(db, 'complete', '1');
      }),
  };
}

function prepareInsert(db: Database.Database) {
  const insertDocument = db.prepare(
    'INSERT INTO document (path, slug, title, titled, digest, chunks) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const insertChunk = db.prepare(
    'INSERT INTO chunk (document_id, number, breadcrumb, section_title, content) VALUES (?, ?, ?, ?, ?)',
  );
  const insertTerms = db.prepare('INSERT INTO term (rowid, heading, body) VALUES (?, ?, ?)');
  return (document: IndexedDocument, tokens: readonly ChunkTokens[]) => {
    const { path, slug, title, titled, digest, chunks } = document;
    const id = insertDocument.run(path, slug, title, Number(titled), digest, chunks.length).lastInsertRowid;
    for (const [number, chunk] of chunks.entries()) {
      const row = insertChunk.run(id, number, chunk.breadcrumb, chunk.sectionTitle, chunk.content);
      insertTerms.run(row.lastInsertRowid, tokens[number]?.heading ?? '', tokens[number]?.body ?? '');
    }
  };
}

function prepareRemove(db: Database.Database) {
  const documentId = db.prepare<[string], number>('SELECT id FROM document WHERE path = ?').pluck();
  const removals = [
    'DELETE FROM term WHERE rowid IN (SELECT id FROM chunk WHERE document_id = ?)',
    'DELETE FROM chunk WHERE document_id = ?',
    'DELETE FROM document WHERE id = ?',
  ].map((sql) => db.prepare(sql));
  return (path: string) => {
    const id = documentId.get(path);
    if (id !== undefined) for (const removal of removals) removal.run(id);
  };
}

export function readStats(db: Database.Database): IndexStats {
  const count = (sql: string) => Number(db.prepare(sql).pluck().get());
  const chunks = count('SELECT coalesce(sum(chunks), 0) FROM document');
  const share = (part: number) => (chunks === 0 ? 0 : part / chunks);
  return {
    documents: count('SELECT count(*) FROM document'),
    chunks,
    withoutTitle: share(count('SELECT coalesce(sum(chunks), 0) FROM document WHERE titled = 0')),
    withoutSection: share(count('SELECT count(*) FROM chunk WHERE section_title IS NULL')),
    generation: Number(readMeta(db, 'generation') ?? 0),
    complete: readMeta(db, 'complete') === '1',
  };
}

export function readMeta(db: Database.Database, key: string): string | undefined {
  return db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(key);
}

function writeMeta(db: Database.Database, key: string, value: string): void {
  db.prepare('INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value').run(
    key,
    value,
  );
}
