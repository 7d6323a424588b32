import type Database from 'better-sqlite3';
import type { JsonObject } from '../../contracts/json.js';
import type { KnowledgeQuery, SearchOutcome } from '../knowledge-search.js';
import { answered, failed } from '../outcomes.js';
import { readFilters } from './filters.js';
import type { ChunkFilter, ChunkPlace } from './filters.js';
import { readMeta } from './index-store.js';
import { searchLimits } from './limits.js';
import type { SearchLimits } from './limits.js';
import { queryTerms } from './query-terms.js';
import { best, coverage, createTermIndex, knownTerms } from './rank.js';
import type { KnownTerm, Scored, TermIndex, Ties } from './rank.js';

/** Searches one index file; each search sees the index as it stood at one moment. */
export type SearchIndex = (query: KnowledgeQuery) => SearchOutcome;

interface ChunkRow {
  readonly number: number;
  readonly breadcrumb: string;
  readonly section_title: string | null;
  readonly content: string;
  readonly path: string;
  readonly slug: string;
  readonly title: string;
}

interface PlaceRow extends ChunkPlace {
  readonly id: number;
  readonly number: number;
}

interface Reader {
  readonly terms: TermIndex;
  readonly chunk: (id: number) => ChunkRow;
  /** Without their text: filters look at every candidate. */
  readonly places: (ids: readonly number[]) => readonly PlaceRow[];
  readonly state: () => JsonObject;
}

export function createSearchIndex(db: Database.Database, limits: SearchLimits = searchLimits): SearchIndex {
  const reader = createReader(db);
  return db.transaction((query: KnowledgeQuery) => searchOnce(reader, query, limits));
}

function createReader(db: Database.Database): Reader {
  const chunk = db.prepare<[number], ChunkRow>(
    `SELECT number, breadcrumb, section_title, content, path, slug, title
     FROM chunk JOIN document ON document.id = document_id WHERE chunk.id = ?`,
  );
  const places = db.prepare<[string], PlaceRow>(
    `SELECT chunk.id, number, breadcrumb, document.path
     FROM json_each(?) AS wanted JOIN chunk ON chunk.id = wanted.value JOIN document ON document.id = document_id`,
  );
  return {
    terms: createTermIndex(db),
    places: (ids) => places.all(JSON.stringify(ids)),
    chunk: (id) => {
      const row = chunk.get(id);
      // Terms and text are written in one transaction.
      if (row === undefined) throw new Error('a chunk has terms but no text');
      return row;
    },
    state: () => ({
      index_generation: Number(readMeta(db, 'generation') ?? 0),
      index_complete: readMeta(db, 'complete') === '1',
    }),
  };
}

function searchOnce(reader: Reader, query: KnowledgeQuery, limits: SearchLimits): SearchOutcome {
  const filter = readFilters(query.filters);
  if ('problem' in filter) return failed('PL_RETRIEVAL_REFUSED', { problem: filter.problem });
  const terms = knownTerms(queryTerms(query.query, reader.terms.count, limits), reader.terms);
  const candidates = filtered(coverage(terms), filter.passes, reader);
  const hits = best(candidates, wanted(query.topK, limits), limits.minScore, tiesOf(terms, reader));
  return answered(answerOf(query, terms, candidates.size, hits, reader, limits));
}

function tiesOf(terms: readonly KnownTerm[], reader: Reader): Ties {
  const phrases = terms.filter((term) => term.chunkIds.length > 0).map((term) => term.phrase);
  return {
    bm25: (ids) => (ids.length < 2 ? new Map() : reader.terms.bm25(phrases, ids)),
    keys: (ids) => new Map(reader.places(ids).map((place) => [place.id, orderKey(place)])),
  };
}

/** Sorts by path, then by number. */
function orderKey({ path, number }: PlaceRow): string {
  return `${path}\n${String(number).padStart(9, '0')}`;
}

function wanted(topK: number, limits: SearchLimits): number {
  return Math.min(Math.max(Math.trunc(topK) || 1, 1), limits.maxTopK);
}

function filtered(
  scores: ReadonlyMap<number, number>,
  passes: ChunkFilter | null,
  reader: Reader,
): ReadonlyMap<number, number> {
  if (passes === null) return scores;
  const passing = reader.places([...scores.keys()]).filter(passes);
  return new Map(passing.map(({ id }) => [id, scores.get(id) ?? 0]));
}

/** The answer as py-rag would write it, so that one rule maps both. */
function answerOf(
  query: KnowledgeQuery,
  terms: readonly KnownTerm[],
  recalled: number,
  scored: readonly Scored[],
  reader: Reader,
  limits: SearchLimits,
): JsonObject {
  const hits = scored.map(({ chunkId, score }) => hitOf(reader.chunk(chunkId), score, limits));
  return {
    query: query.query,
    mode: query.mode,
    hits,
    relevance_level: hits[0]?.['relevance_level'] ?? null,
    evidence_status: hits.length > 0 ? 'supported' : 'no_evidence',
    retrieval_trace: {
      mode: 'lexical',
      filters: query.filters,
      recall_count: recalled,
      rerank_model: 'local-coverage',
      no_evidence_basis: hits.length > 0 ? null : recalled === 0 ? 'no_candidates' : 'below_threshold',
      terms: terms.map((term) => term.text),
      unknown_terms: terms.filter((term) => term.chunkIds.length === 0).map((term) => term.text),
      ...reader.state(),
    },
  };
}

function hitOf(chunk: ChunkRow, score: number, limits: SearchLimits): JsonObject {
  const rounded = Math.floor(score * 1e6 + 1e-6) / 1e6;
  return {
    evidence_key: `${chunk.slug}#chunk-${chunk.number}`,
    document_id: chunk.slug,
    source: chunk.path,
    title: chunk.title,
    breadcrumb: chunk.breadcrumb,
    section_title: chunk.section_title,
    source_uri: null,
    excerpt: chunk.content,
    quality_score: rounded,
    relevance_level: rounded >= limits.preciseFrom ? 'PRECISE' : 'REFERENCE',
  };
}
