import { describe, expect, test } from 'vitest';
import { mapHits } from '../../src/evidence/map-hits.js';
import type { MappedHits } from '../../src/evidence/map-hits.js';

const entry = { evidence_key: 'gw#chunk-1', document_id: 'gw', excerpt: 'text' };

function answer(hits: unknown, fields: object = {}): unknown {
  return { hits, evidence_status: 'supported', retrieval_trace: { mode: 'hybrid' }, ...fields };
}

function mapped(response: unknown): MappedHits {
  const result = mapHits(response);
  if ('error' in result) throw new Error(result.error.message);
  return result;
}

describe('an answer that breaks the contract', () => {
  test.each([
    ['no object', null, 'the answer is not an object'],
    ['a list', [], 'the answer is not an object'],
    ['no hits', { evidence_status: 'no_evidence' }, 'hits is not an array'],
    [
      'hits that are no array, though there is no evidence',
      answer({}, { evidence_status: 'no_evidence' }),
      'hits is',
    ],
    ['hits and status both wrong: hits come first', { hits: 1, evidence_status: 1 }, 'hits is not an array'],
    [
      'an unknown status, before any hit is looked at',
      answer([7], { evidence_status: 'maybe' }),
      'evidence_status',
    ],
    ['a hit that is no object', answer([entry, null]), 'hits[1] is not an object'],
    ['a hit without key', answer([{ ...entry, evidence_key: undefined }]), 'hits[0].evidence_key'],
    ['a blank key', answer([{ ...entry, evidence_key: '\u200b \ufeff' }]), 'hits[0].evidence_key'],
    ['a document id that is a number', answer([{ ...entry, document_id: 7 }]), 'hits[0].document_id'],
    ['an excerpt that is null', answer([entry, entry, { ...entry, excerpt: null }]), 'hits[2].excerpt'],
  ])('%s: PL_RETRIEVAL_CONTRACT', (_, response, problem) => {
    const result = mapHits(response);
    expect(result).toMatchObject({ error: { code: 'PL_RETRIEVAL_CONTRACT', retryable: false } });
    expect('error' in result && result.error.message).toContain(problem);
  });
});

describe('a hit', () => {
  test('carries what came, and null where nothing usable came', () => {
    expect(mapped(answer([entry])).hits).toEqual([
      {
        evidenceKey: 'gw#chunk-1',
        documentId: 'gw',
        chunkIndex: 1,
        content: 'text',
        score: null,
        scoreLabel: 'rerank',
        originalRank: 1,
        attempt: 'UNFILTERED_VECTOR',
        source: null,
        title: null,
        breadcrumb: null,
        sourceUri: null,
        pageNumber: null,
        sectionTitle: null,
      },
    ]);
  });

  test('passes on where its document can be opened', () => {
    const place = { source_uri: 'file:///gw.pdf', page_number: 7, section_title: 'Steps' };
    const [hit] = mapped(answer([{ ...entry, ...place }])).hits;
    expect(hit).toMatchObject({ sourceUri: 'file:///gw.pdf', pageNumber: 7, sectionTitle: 'Steps' });
  });

  test('may have a blank excerpt: that is for post-processing to drop', () => {
    expect(mapped(answer([{ ...entry, excerpt: '' }])).hits).toHaveLength(1);
  });

  test.each([
    ['gw#chunk-0', 0],
    ['gw#chunk-007', 7],
    ['a#chunk-1#chunk-2', 2],
    ['gw#chunk-2147483647', 2 ** 31 - 1],
    ['gw#chunk-2147483648', null],
    [`gw#chunk-${'9'.repeat(400)}`, null],
    ['gw#chunk-', null],
    ['gw#chunk-1x', null],
    ['gw#chunk-1\n', null],
    ['gw#Chunk-1', null],
    ['gw#chunk-１', null],
  ])('%j has chunk number %s', (evidenceKey, chunkIndex) => {
    expect(mapped(answer([{ ...entry, evidence_key: evidenceKey }])).hits[0]?.chunkIndex).toBe(chunkIndex);
  });

  test.each([[Infinity], ['0.9'], [null], [{}], [Number.NaN]])('a score of %j is none', (score) => {
    expect(mapped(answer([{ ...entry, quality_score: score }])).hits[0]?.score).toBeNull();
  });

  test.each([[1.5], ['3'], [2 ** 31], [-(2 ** 40)]])('page %j is none', (page) => {
    expect(mapped(answer([{ ...entry, page_number: page }])).hits[0]?.pageNumber).toBeNull();
  });

  test('is well-formed text throughout, so that it can be encoded', () => {
    const broken = {
      ...entry,
      evidence_key: 'k\ud800',
      document_id: 'd\udc00',
      excerpt: '\ud83d',
      title: '\ude00t',
    };
    expect(mapped(answer([broken])).hits[0]).toMatchObject({
      evidenceKey: 'k\ufffd',
      documentId: 'd\ufffd',
      content: '\ufffd',
      title: '\ufffdt',
    });
  });
});

describe('the trace', () => {
  test('passes on whole, with names that nobody here knows', () => {
    const trace = JSON.parse('{"mode":"hybrid","__proto__":{"x":1},"new":[{"deep":true}]}') as object;
    expect(JSON.stringify(mapped(answer([], { retrieval_trace: trace })).trace)).toBe(JSON.stringify(trace));
  });

  test('is empty where there is none', () => {
    expect(mapped(answer([], { retrieval_trace: 'x' })).trace).toEqual({});
  });

  test('tells how many hits were ignored because there is no evidence', () => {
    const result = mapped(answer([entry, null, 7], { evidence_status: 'no_evidence' }));
    expect(result).toEqual({ hits: [], trace: { mode: 'hybrid', ignored_hits: 3 } });
  });

  test('tells nothing of ignored hits where there were none', () => {
    expect(mapped(answer([], { evidence_status: 'no_evidence' })).trace).toEqual({ mode: 'hybrid' });
  });

  test('that could not be written again, for its depth, is left out and said to be', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`) as unknown;
    const { trace } = mapped(answer([], { retrieval_trace: deep }));
    expect(JSON.stringify(trace)).toContain('nested deeper than 64 levels');
  });
});
