import type Database from 'better-sqlite3';
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
  /** BM25 of these chunks for the phrases; smaller is better. Of a chunk without any of them, nothing. */
  readonly bm25: (phrases: readonly string[], chunkIds: readonly number[]) => ReadonlyMap<number, number>;
}

/** A term in a heading tells more of a chunk than one in its text. */
const HEADING_WEIGHT = 3;

export function createTermIndex(db: Database.Database): TermIndex {
  const total = db.prepare<[], number>('SELECT coalesce(sum(chunks), 0) FROM document').pluck();
  const counting = db.prepare<[string], number>('SELECT count(*) FROM term WHERE term MATCH ?').pluck();
  const matching = db.prepare<[string], number>('SELECT rowid FROM term WHERE term MATCH ?').pluck();
  const ranking = db
    .prepare<[string, string], [number, number]>(
      // The + keeps SQLite from searching once for every id.
      `SELECT rowid, bm25(term, ${HEADING_WEIGHT}, 1) FROM term
       WHERE term MATCH ? AND +rowid IN (SELECT value FROM json_each(?))`,
    )
    .raw();
  return {
    chunkCount: () => total.get() ?? 0,
    count: (phrase) => counting.get(phrase) ?? 0,
    chunkIds: (phrase) => matching.all(phrase),
    bm25: (phrases, chunkIds) => new Map(ranking.all(phrases.join(' OR '), JSON.stringify(chunkIds))),
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

/** How the chunks of one search are told apart where their scores are the same. */
export interface Ties {
  /** By chunk; smaller is better. */
  readonly bm25: (chunkIds: readonly number[]) => ReadonlyMap<number, number>;
  /** By chunk; what sorts first is better. */
  readonly keys: (chunkIds: readonly number[]) => ReadonlyMap<number, string>;
}

/**
 * The best `wanted` chunks with at least `minScore`, best first: by score; where chunks contain the same terms
 * by BM25 (how often, in a heading, in how short a text); and of chunks that are alike in all that by key, so
 * that the order does not depend on the past. The dearer an order is, the fewer chunks it is asked for.
 */
export function best(
  scores: ReadonlyMap<number, number>,
  wanted: number,
  minScore: number,
  ties: Ties,
): readonly Scored[] {
  const passing = [...scores].filter(([, score]) => score >= minScore);
  const byScore = head(
    passing.map(([chunkId, score]) => ({ chunkId, score })),
    wanted,
    (a, b) => b.score - a.score,
  );
  const bm25 = ties.bm25(byScore.map(({ chunkId }) => chunkId));
  const byTie = head(
    byScore.map((scored) => ({ ...scored, tie: bm25.get(scored.chunkId) ?? 0 })),
    wanted,
    (a, b) => b.score - a.score || a.tie - b.tie,
  );
  const keys = ties.keys(byTie.map(({ chunkId }) => chunkId));
  const key = (id: number) => keys.get(id) ?? '';
  return byTie
    .sort((a, b) => b.score - a.score || a.tie - b.tie || (key(a.chunkId) < key(b.chunkId) ? -1 : 1))
    .slice(0, wanted)
    .map(({ chunkId, score }) => ({ chunkId, score }));
}

/** The first `wanted` in this order, and all that stand level with the last of them. */
function head<T>(items: readonly T[], wanted: number, compare: (a: T, b: T) => number): T[] {
  const sorted = [...items].sort(compare);
  const last = sorted[wanted - 1];
  return last === undefined ? sorted : sorted.filter((item) => compare(item, last) <= 0);
}
