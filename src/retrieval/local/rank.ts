import type Database from 'better-sqlite3';
import type { SearchLimits } from './limits.js';
import type { Term } from './query-terms.js';

/** A term and what the index knows of it. */
export interface KnownTerm extends Term {
  readonly chunkIds: readonly number[];
  /** How much the term says: the rarer, the more. */
  readonly idf: number;
}

/** A chunk and the share of the query's terms that it contains, each term by its idf. */
export interface Scored {
  readonly chunkId: number;
  /** 0..1. */
  readonly score: number;
}

/** What the index can be asked about terms. */
export interface TermIndex {
  readonly chunkCount: () => number;
  readonly count: (phrase: string) => number;
  readonly chunkIds: (phrase: string) => readonly number[];
  /** BM25 of every chunk with any of the phrases; smaller is better. */
  readonly bm25: (phrases: readonly string[]) => ReadonlyMap<number, number>;
}

/** A term in a heading tells more of a chunk than one in its text. */
const HEADING_WEIGHT = 3;

export function createTermIndex(db: Database.Database): TermIndex {
  const total = db.prepare<[], number>('SELECT coalesce(sum(chunks), 0) FROM document').pluck();
  const counting = db.prepare<[string], number>('SELECT count(*) FROM term WHERE term MATCH ?').pluck();
  const matching = db.prepare<[string], number>('SELECT rowid FROM term WHERE term MATCH ?').pluck();
  const ranking = db
    .prepare<[string], [number, number]>(
      `SELECT rowid, bm25(term, ${HEADING_WEIGHT}, 1) FROM term WHERE term MATCH ?`,
    )
    .raw();
  return {
    chunkCount: () => total.get() ?? 0,
    count: (phrase) => counting.get(phrase) ?? 0,
    chunkIds: (phrase) => matching.all(phrase),
    bm25: (phrases) => new Map(ranking.all(phrases.join(' OR '))),
  };
}

export function knownTerms(terms: readonly Term[], index: TermIndex): readonly KnownTerm[] {
  const total = index.chunkCount();
  return terms.map((term) => {
    const chunkIds = index.chunkIds(term.phrase);
    return { ...term, chunkIds, idf: idfOf(chunkIds.length, total) };
  });
}

/** The inverse document frequency of BM25, which is above 0 also for a term that nearly every chunk has. */
function idfOf(containing: number, total: number): number {
  return Math.log1p((total - containing + 0.5) / (containing + 0.5));
}

/** Every chunk that contains any term. */
export function coverage(terms: readonly KnownTerm[]): ReadonlyMap<number, number> {
  const whole = terms.reduce((sum, term) => sum + term.idf, 0);
  const found = new Map<number, number>();
  for (const term of terms) {
    for (const id of term.chunkIds) found.set(id, (found.get(id) ?? 0) + term.idf);
  }
  for (const [id, sum] of found) found.set(id, Math.min(1, sum / whole));
  return found;
}

/**
 * Best first: by score, and where chunks contain the same terms by BM25 (how often, how near to the heading, in
 * how short a text), then by key.
 */
export function ranked(
  scores: ReadonlyMap<number, number>,
  bm25: ReadonlyMap<number, number>,
  limits: Pick<SearchLimits, 'minScore'>,
): readonly Scored[] {
  return [...scores]
    .filter(([, score]) => score >= limits.minScore)
    .map(([chunkId, score]) => ({ chunkId, score, tie: bm25.get(chunkId) ?? 0 }))
    .sort((a, b) => b.score - a.score || a.tie - b.tie || a.chunkId - b.chunkId)
    .map(({ chunkId, score }) => ({ chunkId, score }));
}
