import type Database from 'better-sqlite3';
import { ProoflineError } from '../../contracts/errors.js';
import type { KnowledgeSearch } from '../knowledge-search.js';
import { down } from '../outcomes.js';
import { openIndexFile, sqliteProblem } from './database.js';
import { indexFolder } from './index-folder.js';
import type { IndexOptions, IndexRun } from './index-folder.js';
import { createIndexStore, readStats } from './index-store.js';
import type { IndexStats } from './index-store.js';
import { createSearchIndex } from './search-index.js';
import type { SearchIndex } from './search-index.js';

/** What a run did, and what the index holds after it. */
export interface IndexReport extends IndexRun, IndexStats {
  readonly milliseconds: number;
}

/** A folder of documents that can be searched by the words in them. */
export interface LocalIndex extends KnowledgeSearch {
  /**
   * Makes the index say what the folder holds now; what did not change is not read into chunks again. An
   * index is of one folder: files of another, indexed before, vanish from it. One run at a time.
   * Rejects with PL_INDEX_UNUSABLE (opened to read only, or the file cannot be written), PL_DISK_FULL,
   * PL_INPUT_INVALID (the folder cannot be read, a run is under way), or the signal's reason.
   */
  indexFolder(folder: string, options?: IndexOptions): Promise<IndexReport>;
  stats(): IndexStats;
}

export interface LocalIndexOptions {
  /** Searches only, beside whoever writes; the file must be there. */
  readonly readOnly?: boolean;
}

/**
 * Opens the index in `file`, and makes it where there is none. Throws PL_INDEX_UNUSABLE.
 *
 * Searching is lexical: `quality_score` is the share of the query's terms that a chunk contains, in its text,
 * its title or its headings, each term weighed by its idf. It is not calibrated against any judgement.
 */
export function openLocalIndex(file: string, { readOnly = false }: LocalIndexOptions = {}): LocalIndex {
  const db = openIndexFile(file, { readOnly });
  const search = openSearch(db, file);
  let running = false;
  return {
    name: 'local',
    async search(query, { signal } = {}) {
      await Promise.resolve();
      signal?.throwIfAborted();
      try {
        return db.open ? search(query) : down('the index was closed');
      } catch (error) {
        return down(`the index cannot be read: ${sqliteProblem(error)}`);
      }
    },
    async indexFolder(folder, options) {
      if (running) throw new ProoflineError('PL_INPUT_INVALID', { problem: 'the folder is being indexed' });
      running = true;
      try {
        return await runIndexing(db, file, folder, options);
      } finally {
        running = false;
      }
    },
    stats: () => readStats(db),
    close() {
      db.close();
      return Promise.resolve();
    },
  };
}

function openSearch(db: Database.Database, file: string): SearchIndex {
  try {
    return createSearchIndex(db);
  } catch (error) {
    db.close();
    throw new ProoflineError('PL_INDEX_UNUSABLE', { file, problem: sqliteProblem(error) }, { cause: error });
  }
}

async function runIndexing(
  db: Database.Database,
  file: string,
  folder: string,
  options: IndexOptions | undefined,
): Promise<IndexReport> {
  if (db.readonly)
    throw new ProoflineError('PL_INDEX_UNUSABLE', { file, problem: 'it is open to read only' });
  const started = performance.now();
  try {
    const run = await indexFolder(createIndexStore(db), folder, options);
    return { ...run, ...readStats(db), milliseconds: Math.round(performance.now() - started) };
  } catch (error) {
    options?.signal?.throwIfAborted();
    throw indexingError(error, file, folder);
  }
}

function indexingError(error: unknown, file: string, folder: string): unknown {
  const code = (error as { code?: unknown }).code;
  if (code === 'SQLITE_FULL') return new ProoflineError('PL_DISK_FULL', {}, { cause: error });
  if (typeof code !== 'string') return error;
  return code.startsWith('SQLITE_')
    ? new ProoflineError('PL_INDEX_UNUSABLE', { file, problem: sqliteProblem(error) }, { cause: error })
    : new ProoflineError(
        'PL_INPUT_INVALID',
        { problem: `${folder} cannot be read (${code})` },
        { cause: error },
      );
}
