import { describe, expect, test } from 'vitest';
import { lookupResultJson } from '../../src/evidence/lookup-result-json.js';
import { governHits } from '../../src/evidence/lookup-result.js';
import { toSnakeJson } from '../../src/contracts/json.js';
import { hitOf } from '../support/evidence.js';

describe('governHits', () => {
  test('without evidence: not found, and what to do instead', () => {
    expect(governHits('q', [], { mode: 'hybrid', no_evidence_basis: 'below_threshold' })).toMatchObject({
      query: 'q',
      found: false,
      fallbackText: {
        zh: '知识库未检索到可用证据，请结合日志、指标、告警继续排查',
        en: 'No usable evidence in the knowledge base; continue with logs, metrics and alerts.',
      },
      candidateCount: 0,
      contextPack: { packedText: '', charBudget: 4000 },
      retrievalTrace: {
        attempts: [{ attempt: 'UNFILTERED_VECTOR', hitCount: 0, isLowQuality: true }],
        mode: 'hybrid',
        noEvidenceBasis: 'below_threshold',
      },
    });
  });

  test('with evidence: found, packed, and no fallback', () => {
    const result = governHits('q', [hitOf(), hitOf({ originalRank: 2 })], {});
    expect(result).toMatchObject({
      found: true,
      fallbackText: null,
      candidateCount: 2,
      evidenceBlockCount: 1,
    });
    expect(result.contextPack.packedText).toContain('Check the upstream first.');
    expect(result.dropped).toHaveLength(1);
  });

  test.each([[null], ['x'], [[]], [{ mode: 7, filters: 'all', recall_count: '20', rerank_model: {} }]])(
    'takes nothing from a trace of %j',
    (trace) => {
      const { retrievalTrace } = governHits('q', [], trace);
      expect(retrievalTrace).toMatchObject({
        mode: null,
        filters: null,
        recallCount: null,
        rerankModel: null,
      });
    },
  );

  test('leaves filters out that are too deep to be written', () => {
    const filters = JSON.parse(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`) as unknown;
    expect(JSON.parse(lookupResultJson(governHits('q', [], { filters })))).toMatchObject({
      retrieval_trace: { filters: null },
    });
  });
});

test('the JSON text has every field of the result in snake_case, and keeps the names inside filters', () => {
  const hits = [hitOf(), hitOf({ content: ' ' })];
  const result = governHits('q', hits, {
    mode: 'hybrid',
    filters: { someName: { innerName: 1 } },
    recall_count: 3,
  });
  const json = lookupResultJson(result);
  expect(JSON.parse(json)).toEqual(toSnakeJson(result));
  expect(json).toContain('"filters":{"someName":{"innerName":1}}');
});

test('the JSON text is well-formed whatever it holds', () => {
  expect(lookupResultJson(governHits('\ud800', [hitOf({ title: '\udc00' })], {})).isWellFormed()).toBe(true);
});
