import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KnowledgeQuery, KnowledgeSearch, SearchOutcome } from '../../src/retrieval/knowledge-search.js';

/** One retriever with something to find. */
export interface SearchSubject {
  readonly search: KnowledgeSearch;
  /** A question with at least two hits. */
  readonly found: KnowledgeQuery;
  /** A question without any. */
  readonly notFound: KnowledgeQuery;
  /** A question whose filters the retriever does not understand; null where it takes none. */
  readonly refused: KnowledgeQuery | null;
  /** Removes what it was made from. */
  dispose(): Promise<void>;
}

/** What every implementation of the KnowledgeSearch port does. */
export function describeKnowledgeSearch(name: string, open: () => Promise<SearchSubject>): void {
  describe(`the KnowledgeSearch ${name}`, () => {
    let subject: SearchSubject;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(async () => {
      await subject.search.close();
      await subject.dispose();
    });

    it('given a question that it can answer, gives hits that are numbered from 1', async () => {
      const { hits } = hitsOf(await subject.search.search(subject.found));
      expect(hits.length).toBeGreaterThan(1);
      expect(hits.map((hit) => hit.originalRank)).toEqual(hits.map((_, index) => index + 1));
    });

    it('gives hits with all that the rest of the line builds on', async () => {
      const { hits } = hitsOf(await subject.search.search(subject.found));
      for (const hit of hits) {
        expect(hit.evidenceKey).toMatch(/\S/);
        expect(hit.documentId).toMatch(/\S/);
        expect(hit.content).toMatch(/\S/);
        expect(hit.scoreLabel).toBe('rerank');
        expect(hit.score).toBeGreaterThanOrEqual(0);
        expect(hit.score).toBeLessThanOrEqual(1);
        expect(hit.attempt).toBe('UNFILTERED_VECTOR');
      }
      expect(new Set(hits.map((hit) => hit.evidenceKey)).size).toBe(hits.length);
    });

    it('gives no more hits than were asked for, and the same first ones', async () => {
      const all = hitsOf(await subject.search.search(subject.found)).hits;
      const one = hitsOf(await subject.search.search({ ...subject.found, topK: 1 })).hits;
      expect(one).toEqual(all.slice(0, 1));
    });

    it('given a question that it cannot answer, gives no hits and says on what ground', async () => {
      const { hits, trace } = hitsOf(await subject.search.search(subject.notFound));
      expect(hits).toEqual([]);
      expect(trace['no_evidence_basis']).toMatch(/\S/);
    });

    it('tells in a trace of plain JSON how it went about it', async () => {
      const { trace } = hitsOf(await subject.search.search(subject.found));
      expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
      expect(Object.keys(trace)).toEqual(
        expect.arrayContaining(['mode', 'filters', 'recall_count', 'rerank_model', 'no_evidence_basis']),
      );
    });

    it('answers the same question the same way again', async () => {
      const first = await subject.search.search(subject.found);
      expect(await subject.search.search(subject.found)).toEqual(first);
    });

    it('answers searches side by side, each with its own answer', async () => {
      const questions = Array.from({ length: 20 }, (_, i) =>
        i % 2 === 0 ? subject.found : subject.notFound,
      );
      const outcomes = await Promise.all(questions.map((question) => subject.search.search(question)));
      const counts = outcomes.map((outcome) => hitsOf(outcome).hits.length > 0);
      expect(counts).toEqual(questions.map((question) => question === subject.found));
    });

    it.each(hostileQueries)('answers a hostile query with a value: %s', async (_, query) => {
      const outcome = await subject.search.search({ ...subject.notFound, query });
      expect(['hits', 'failed']).toContain(outcome.kind);
    });

    it('says failed, not hits, to filters that it does not understand', async () => {
      if (subject.refused === null) return;
      const outcome = await subject.search.search(subject.refused);
      expect(outcome).toMatchObject({
        kind: 'failed',
        failure: { code: 'PL_RETRIEVAL_REFUSED', retryable: false },
      });
    });

    it('given a signal that has aborted, rejects with its reason', async () => {
      const reason = new Error('given up');
      const search = subject.search.search(subject.found, { signal: AbortSignal.abort(reason) });
      await expect(search).rejects.toBe(reason);
    });

    it('leaves no listener on a signal that outlives the search', async () => {
      const { signal, listeners } = countedSignal();
      await subject.search.search(subject.found, { signal });
      expect(listeners()).toBe(0);
    });

    it('after close, which may come twice, says that it is down', async () => {
      await subject.search.close();
      await subject.search.close();
      expect((await subject.search.search(subject.found)).kind).toBe('down');
    });
  });
}

const hostileQueries: readonly (readonly [string, string])[] = [
  ['empty', ''],
  ['blank', ' \u200b\n'],
  ['a million characters', 'lorem '.repeat(170_000)],
  ['a million characters without a space', '长'.repeat(1_000_000)],
  ['lone surrogates', '\ud800 \udfff'],
  ['control characters', '\u0000\u0001\u001b[31m'],
  ['the syntax of full-text search', '"a" OR b* NEAR(c d, 2) AND {e f}: -g ^h '],
  ['SQL', "'; DROP TABLE chunk; --"],
  ['names of prototypes', '__proto__ constructor toString hasOwnProperty'],
  ['a pile of marks', `a${'\u0301'.repeat(100_000)}`],
  ['right-to-left marks', '\u202eetcd\u202c'],
];

function hitsOf(outcome: SearchOutcome): Extract<SearchOutcome, { kind: 'hits' }> {
  if (outcome.kind !== 'hits') throw new Error(`not hits: ${JSON.stringify(outcome)}`);
  return outcome;
}

/** A signal that knows how many listen to it. */
function countedSignal(): { signal: AbortSignal; listeners: () => number } {
  const { signal } = new AbortController();
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    count += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    count -= 1;
    remove(...args);
  };
  return { signal, listeners: () => count };
}
