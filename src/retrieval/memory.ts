import type { Hit } from '../contracts/generated.js';
import type { KnowledgeQuery, KnowledgeSearch } from './knowledge-search.js';
import { down } from './outcomes.js';

/** Hits for every question, or a function that picks them. */
export type MemoryHits = readonly Hit[] | ((query: KnowledgeQuery) => readonly Hit[]);

/** A retriever without a corpus, for benchmarks and tests: it answers at once, with what it was given. */
export function memorySearch(hits: MemoryHits): KnowledgeSearch {
  let closed = false;
  return {
    name: 'memory',
    async search(query, { signal } = {}) {
      await Promise.resolve();
      signal?.throwIfAborted();
      if (closed) return down('the retriever was closed');
      const found = typeof hits === 'function' ? hits(query) : hits;
      const shown = found.slice(0, query.topK).map((hit, index) => ({ ...hit, originalRank: index + 1 }));
      return { kind: 'hits', hits: shown, trace: traceOf(query, found.length) };
    },
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

function traceOf(query: KnowledgeQuery, recalled: number) {
  return {
    mode: query.mode,
    filters: query.filters,
    recall_count: recalled,
    rerank_model: null,
    no_evidence_basis: recalled === 0 ? 'no_candidates' : null,
  };
}
