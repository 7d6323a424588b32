import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isBlank } from '../../text/text.js';
import { cutChunks } from './chunk.js';
import { chunkTokens } from './index-store.js';
import type { ChunkTokens, IndexedDocument, IndexStore } from './index-store.js';
import { createLeftOutTally } from './left-out.js';
import type { LeftOut, LeftOutReason } from './left-out.js';
import { indexLimits } from './limits.js';
import type { IndexLimits } from './limits.js';
import { parserOf } from './parsers.js';
import { decodeText, readFileBounded } from './read-file.js';
import { slugOf } from './slug.js';
import { walkFolder } from './walk-folder.js';
import type { FoundFile } from './walk-folder.js';

export interface IndexProgress {
  readonly filesDone: number;
  readonly filesTotal: number;
  /** Chunks made by this run so far. */
  readonly chunks: number;
  /** The file that is being read; null when all are done. */
  readonly currentFile: string | null;
}

export interface IndexOptions {
  readonly onProgress?: (progress: IndexProgress) => void;
  /** Breaks the run off between two files; the next run goes on from there. */
  readonly signal?: AbortSignal;
  readonly limits?: IndexLimits;
}

/** What a run did, in files. */
export interface IndexRun {
  /** Read into chunks because they are new or other than before. */
  readonly indexed: number;
  /** As they were. */
  readonly unchanged: number;
  /** In the index before, and gone. */
  readonly removed: number;
  readonly leftOut: LeftOut;
}

/**
 * Makes the index say what the folder holds now. A file is read into chunks only when its bytes have changed.
 * Broken off at any point, every file is in the index whole, as it was before or as it is now, and the next
 * run does the rest. Rejects with the signal's reason, or when the folder cannot be read.
 */
export async function indexFolder(
  store: IndexStore,
  folder: string,
  { onProgress, signal, limits = indexLimits }: IndexOptions = {},
): Promise<IndexRun> {
  const leftOut = createLeftOutTally();
  const files = await walkFolder(folder, leftOut, limits);
  const before = store.digests();
  const kept = new Set<string>();
  const done = { indexed: 0, unchanged: 0, chunks: 0 };
  store.begin();
  for (const [index, file] of files.entries()) {
    signal?.throwIfAborted();
    onProgress?.({ filesDone: index, filesTotal: files.length, chunks: done.chunks, currentFile: file.path });
    const result = await indexFile(store, file, before.get(file.path), limits);
    if (result.kind === 'left_out') leftOut.add(result.reason, file.path);
    else kept.add(file.path);
    if (result.kind === 'unchanged') done.unchanged += 1;
    if (result.kind === 'indexed') {
      done.indexed += 1;
      done.chunks += result.chunks;
    }
  }
  const gone = [...before.keys()].filter((path) => !kept.has(path));
  store.remove(gone);
  store.complete();
  onProgress?.({ filesDone: files.length, filesTotal: files.length, chunks: done.chunks, currentFile: null });
  return { indexed: done.indexed, unchanged: done.unchanged, removed: gone.length, leftOut };
}

type FileResult =
  | { readonly kind: 'indexed'; readonly chunks: number }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'left_out'; readonly reason: LeftOutReason };

async function indexFile(
  store: IndexStore,
  file: FoundFile,
  before: string | undefined,
  limits: IndexLimits,
): Promise<FileResult> {
  const read = await readFileBounded(file.location, limits.maxFileBytes);
  if ('leftOut' in read) return { kind: 'left_out', reason: read.leftOut };
  const digest = createHash('sha256').update(read.bytes).digest('hex');
  if (digest === before) return { kind: 'unchanged' };
  const decoded = decodeText(read.bytes);
  if ('leftOut' in decoded) return { kind: 'left_out', reason: decoded.leftOut };
  const document = documentOf(file.path, decoded.text, digest, limits);
  if (document.chunks.length === 0) return { kind: 'left_out', reason: 'empty' };
  store.replace(document, await tokensOf(document));
  return { kind: 'indexed', chunks: document.chunks.length };
}

function documentOf(path: string, text: string, digest: string, limits: IndexLimits): IndexedDocument {
  const { base, ext } = posix.parse(path);
  const fileTitle = base.slice(0, base.length - ext.length).toWellFormed();
  const parse = parserOf(path);
  const parsed = parse === null || isBlank(text) ? null : parse(text, fileTitle);
  return {
    path,
    slug: slugOf(path),
    title: parsed?.title ?? fileTitle,
    titled: parsed?.titled ?? false,
    digest,
    chunks: parsed === null ? [] : cutChunks(parsed, limits),
  };
}

/** Chunks between which others get their turn: cutting words is the long part of a large file. */
const CHUNKS_A_TURN = 50;

async function tokensOf(document: IndexedDocument): Promise<readonly ChunkTokens[]> {
  const tokens: ChunkTokens[] = [];
  for (const [index, chunk] of document.chunks.entries()) {
    if (index % CHUNKS_A_TURN === 0) await nextTurn();
    tokens.push(chunkTokens(document, chunk));
  }
  return tokens;
}
