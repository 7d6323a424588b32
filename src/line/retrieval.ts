import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProoflineError } from '../contracts/errors.js';
import type { KnowledgeSearch } from '../retrieval/knowledge-search.js';
import type { IndexOptions } from '../retrieval/local/index-folder.js';
import type { IndexStats } from '../retrieval/local/index-store.js';
import { openLocalIndex, type IndexReport, type LocalIndex } from '../retrieval/local/local-index.js';
import { down } from '../retrieval/outcomes.js';
import { createPyRag } from '../retrieval/py-rag/py-rag.js';
import type { PyRagSettings } from '../retrieval/py-rag/settings.js';
import type { DataFolder } from './data-folder.js';
import { readIndexSource, writeIndexSource, type IndexSource } from './index-source.js';

/** Where the line's passages come from: py-rag when it is configured, else the index in the data folder. */
export interface Retrieval {
  readonly kind: 'py-rag' | 'local';
  /** For the line, which closes it. */
  readonly search: KnowledgeSearch;
  /** @throws ProoflineError PL_INDEX_UNUSABLE while there is nothing that a lookup could be answered from. */
  assertReady(): void;
  /** Makes the index say what the folder holds now. Rejects as `LocalIndex.indexFolder` does. */
  index(folder: string, options?: IndexOptions): Promise<IndexReport>;
  /** What the index holds, and of which folder it is; null where there is none. */
  describe(): { readonly stats: IndexStats; readonly source: IndexSource | null } | null;
}

type PyRagAccess = Pick<PyRagSettings, 'url' | 'token' | 'timeoutMs'>;

/** @throws ProoflineError PL_CONFIG_INVALID, PL_INDEX_UNUSABLE. */
export function openRetrieval(paths: DataFolder, pyRag: PyRagAccess | null): Retrieval {
  return pyRag === null ? localRetrieval(paths) : remoteRetrieval(createPyRag(pyRag));
}

function remoteRetrieval(search: KnowledgeSearch): Retrieval {
  return {
    kind: 'py-rag',
    search,
    assertReady: () => undefined,
    index: () => {
      const problem = 'lookups are configured to go to py-rag, so no folder is indexed here';
      return Promise.reject(new ProoflineError('PL_INPUT_INVALID', { problem }));
    },
    describe: () => null,
  };
}

/** The index's file is made by the first indexing: until then nothing is known, and nothing is answered. */
function localRetrieval(paths: DataFolder): Retrieval {
  let index: LocalIndex | null = existsSync(paths.index) ? openLocalIndex(paths.index) : null;
  let ready = index !== null && index.stats().generation > 0;

  return {
    kind: 'local',
    search: {
      name: 'local',
      search: (query, options) =>
        index === null ? Promise.resolve(down(NOTHING_INDEXED)) : index.search(query, options),
      close: () => index?.close() ?? Promise.resolve(),
    },
    assertReady() {
      if (!ready)
        throw new ProoflineError('PL_INDEX_UNUSABLE', { file: paths.index, problem: NOTHING_INDEXED });
    },
    async index(folder, options) {
      const source = { folder: resolve(folder), indexedAt: new Date().toISOString() };
      assertFolder(source.folder);
      index ??= openLocalIndex(paths.index);
      const report = await index.indexFolder(source.folder, options);
      writeIndexSource(paths.indexSource, source);
      ready = true;
      return report;
    },
    describe: () =>
      index === null ? null : { stats: index.stats(), source: readIndexSource(paths.indexSource) },
  };
}

const NOTHING_INDEXED = 'no folder was indexed yet';

/**
 * Told before anything is indexed, because indexing nothing would empty the index.
 * @throws ProoflineError PL_INPUT_INVALID
 */
export function assertFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const problem = found === undefined ? `${folder} does not exist` : `${folder} is no folder`;
  throw new ProoflineError('PL_INPUT_INVALID', { problem });
}
