import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RawHits, ToolInvocation } from '../../src/contracts/generated.js';
import { evidenceLimits } from '../../src/evidence/limits.js';
import { postprocess } from '../../src/evidence/postprocess.js';
import { decidePostprocess } from '../../src/lookup/postprocess-rule.js';
import type { Message } from '../../src/station/station.js';
import { factsOf, objectsIn } from '../../src/trace/facts.js';
import { planFacts, rerankedFacts, retrievedFacts } from '../../src/trace/hit-facts.js';
import { traceLimits } from '../../src/trace/limits.js';
import { lookupTrace } from '../../src/trace/lookup-trace.js';
import { governableHits, hitOf } from '../support/evidence.js';

describe('what the audit keeps of hits', () => {
  test('given any hits, it has all of them, in rank order, each with its final rank or its reason', () => {
    fc.assert(
      fc.property(governableHits, (hits) => {
        const governed = postprocess(hits);
        const retrieved = objectsIn(retrievedFacts(hits)['retrieved_hits']);
        const reranked = objectsIn(rerankedFacts(hits, governed)['reranked_hits']);
        expect(retrieved.map((hit) => hit['evidence_key'])).toEqual(hits.map((hit) => hit.evidenceKey));
        expect(reranked).toHaveLength(hits.length);
        const ranks = reranked.map((hit) => (hit['original_rank'] as number | null) ?? Infinity);
        expect(ranks).toEqual(ranks.toSorted((a, b) => (a === b ? 0 : a - b)));
        const kept = reranked.filter((hit) => 'final_rank' in hit);
        expect(kept.map((hit) => [hit['final_rank'], hit['evidence_key'], hit['original_rank']])).toEqual(
          governed.blocks.map((block) => [block.finalRank, block.evidenceKey, block.originalRank]),
        );
        const dropped = reranked.filter((hit) => 'dropped' in hit);
        expect(dropped.map((hit) => [hit['evidence_key'], hit['dropped']])).toEqual(
          governed.dropped.map(({ evidenceKey, reason }) => [evidenceKey, reason]),
        );
      }),
    );
  });

  test('given any hits, no text of them is in what is kept', () => {
    fc.assert(
      fc.property(governableHits, (hits) => {
        const named = hits.map((hit) => ({ ...hit, content: `${hit.content}SECRET` }));
        const kept = { ...retrievedFacts(named), ...rerankedFacts(named, postprocess(named)) };
        expect(JSON.stringify(kept)).not.toContain('SECRET');
      }),
    );
  });

  test('given hits without end, or keys without end, it is bounded, counts what it leaves out, and has every block', () => {
    const key = fc.integer({ min: 1, max: 4000 });
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 400 }), fc.nat(399), (lengths, late) => {
        const hits = lengths.map((length, i) =>
          hitOf({
            evidenceKey: `${i}`.padEnd(length, 'k'),
            documentId: `d${i}`,
            originalRank: i + 1,
            content: i < late ? ' ' : `text ${i}`,
          }),
        );
        const governed = postprocess(hits);
        const retrieved = retrievedFacts(hits);
        const reranked = rerankedFacts(hits, governed);
        for (const [list, left, count] of [
          [retrieved['retrieved_hits'], retrieved['retrieved_left_out'], hits.length],
          [reranked['reranked_hits'], reranked['reranked_left_out'], hits.length],
        ] as const)
          expect(objectsIn(list).length + ((left as number | undefined) ?? 0)).toBe(count);
        const blocks = objectsIn(reranked['reranked_hits']).filter((hit) => 'final_rank' in hit);
        expect(blocks).toHaveLength(governed.blocks.length);
        const most = traceLimits.keyChars + traceLimits.hits * 150;
        expect(JSON.stringify(retrieved).length).toBeLessThan(most);
        expect(JSON.stringify(reranked).length).toBeLessThan(most + evidenceLimits.maxBlocks * 4200);
      }),
      { numRuns: 30 },
    );
  });

  test('given evidence far behind what was dropped, it is kept all the same', () => {
    const hits = Array.from({ length: 300 }, (_, i) =>
      hitOf({ evidenceKey: `k${i}`, originalRank: i + 1, content: i < 299 ? ' ' : 'text' }),
    );
    const facts = rerankedFacts(hits, postprocess(hits));
    expect(objectsIn(facts['reranked_hits']).at(-1)).toMatchObject({ evidence_key: 'k299', final_rank: 1 });
    expect(facts['reranked_left_out']).toBe(99);
  });

  test('given a score that is no rerank score, or another attempt, it is told', () => {
    const { retrieved_hits: hits } = retrievedFacts([
      hitOf(),
      hitOf({ scoreLabel: 'vector', attempt: 'FILTERED_VECTOR' }),
    ]);
    expect(hits).toEqual([
      { evidence_key: 'gw#chunk-1', document_id: 'gw', original_rank: 1, score: 0.9 },
      expect.objectContaining({ score_label: 'vector', attempt: 'FILTERED_VECTOR' }),
    ]);
  });
});

describe('a query plan', () => {
  test('is kept as it is, and left out where it is too large, too deep or none', () => {
    expect(planFacts(null)).toEqual({});
    expect(planFacts('{"steps":["a"],"duration_ms":4}')).toEqual({
      query_plan: { steps: ['a'], duration_ms: 4 },
    });
    for (const plan of [
      'no JSON',
      '[]',
      JSON.stringify({ a: 'x'.repeat(traceLimits.planChars) }),
      `{"a":${'['.repeat(500)}${']'.repeat(500)}}`,
    ])
      expect(planFacts(plan)).toEqual({ query_plan_left_out: plan.length });
  });
});

describe('the trace of a lookup', () => {
  test('given any hits, what was retrieved is what was found, and a hit may be in it and not be evidence', () => {
    fc.assert(
      fc.property(governableHits, fc.nat(1000), fc.nat(1000), (hits, start, took) => {
        const notes = notesOf(hits, start, took);
        const trace = lookupTrace('c1', notes, null);
        expect(trace.retrievedHits?.map(({ evidenceKey }) => evidenceKey)).toEqual(
          hits.map(({ evidenceKey }) => evidenceKey),
        );
        const { blocks } = postprocess(hits);
        const ranks = trace.rerankedHits?.flatMap(({ finalRank }) => finalRank ?? []);
        expect(ranks).toEqual(blocks.map((_, i) => i + 1));
        for (const { finalRank, dropped } of trace.rerankedHits ?? [])
          expect(finalRank === null).toBe(dropped !== null);
        expect(trace.durations).toEqual({
          plan: null,
          retrieve: took,
          postprocess: took,
          project: took,
          assemble: null,
          total: 3 * took,
        });
      }),
    );
  });

  test('given a clock that was set back, nothing took less than no time', () => {
    const [retrieve] = notesOf([], 0, 0);
    const back = { ...retrieve!, measured: { startedAt: 100, finishedAt: 40 } };
    expect(lookupTrace('c1', [back], null).durations).toMatchObject({ retrieve: 0, total: null });
  });

  test('given notes that somebody else wrote, it reads what it can and nothing else', () => {
    fc.assert(
      fc.property(fc.json(), fc.option(fc.json()), (facts, trace) => {
        const [retrieve] = notesOf([], 0, 0);
        const note = { ...retrieve!, factsJson: facts, retrievalTraceJson: trace };
        expect(() => JSON.stringify(lookupTrace('c1', [note], null))).not.toThrow();
      }),
    );
  });
});

/** What the three stations note of a lookup, one after the other. */
function notesOf(hits: readonly RawHits['hits'][number][], start: number, took: number): ToolInvocation[] {
  const value = { query: 'q', outcome: 'HITS', hits, retrievalTraceJson: '{}' } as unknown as RawHits;
  const outcome = decidePostprocess({ value } as Message<'raw-hits.v1'>, evidenceLimits);
  if (outcome.kind !== 'emit') return expect.unreachable();
  const governed = outcome.invocation as ToolInvocation;
  const at = (step: number) => ({ startedAt: start + step * took, finishedAt: start + (step + 1) * took });
  const retrieved = JSON.stringify({ mode: 'hybrid', top_k: 10, ...retrievedFacts(hits) });
  return [
    { ...governed, kind: 'RETRIEVE', factsJson: retrieved, measured: at(0) },
    { ...governed, measured: at(1) },
    { ...governed, kind: 'PROJECT', outcome: 'READY', factsJson: '{}', measured: at(2) },
  ];
}

test('facts that are no object are none', () => {
  for (const factsJson of ['', '[]', 'null', '"x"', '{']) expect(factsOf({ factsJson })).toEqual({});
});
