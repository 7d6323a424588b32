import { describe, expect, test } from 'vitest';
import type { Hit } from '../../src/contracts/generated.js';
import { evidenceLimits } from '../../src/evidence/limits.js';
import { postprocess } from '../../src/evidence/postprocess.js';
import { hitOf } from '../support/evidence.js';

/** A hit of `document` at `rank`, with a text of its own unless one is given. */
function at(rank: number | null, key: string, fields: Partial<Hit> = {}): Hit {
  const documentId = key.split('#')[0] ?? key;
  return hitOf({ originalRank: rank, evidenceKey: key, documentId, content: `text of ${key}`, ...fields });
}

function keysOf(hits: readonly Hit[]): string[] {
  return hits.map(({ evidenceKey }) => evidenceKey);
}

describe('order', () => {
  test('is the rank alone; hits without one come last, as they came', () => {
    const { blocks } = postprocess([at(null, 'd'), at(3, 'c'), at(null, 'e'), at(1, 'a'), at(2, 'b')]);
    expect(keysOf(blocks)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(blocks.map(({ finalRank }) => finalRank)).toEqual([1, 2, 3, 4, 5]);
  });

  test('of one rank is as they came', () => {
    const { blocks } = postprocess([at(1, 'b', { score: 0.1 }), at(1, 'a', { score: 0.9 })]);
    expect(keysOf(blocks)).toEqual(['b', 'a']);
  });

  test('leaves the list that came untouched', () => {
    const hits = Object.freeze([at(2, 'b'), at(1, 'a')]);
    postprocess(hits);
    expect(keysOf(hits)).toEqual(['b', 'a']);
  });
});

describe('repeats', () => {
  test('unite their reasons in the order first seen, without repeats', () => {
    const attempt = 'FILTERED_VECTOR';
    const { blocks, dropped } = postprocess([
      at(1, 'a'),
      at(4, 'a', { attempt }),
      at(null, 'a', { attempt: null }),
    ]);
    expect(blocks[0]?.hitReasons).toEqual([
      'semantic_rank:1',
      'attempt:UNFILTERED_VECTOR',
      'semantic_rank:4',
      'attempt:FILTERED_VECTOR',
      'semantic_rank:null',
    ]);
    expect(dropped.map(({ reason }) => reason)).toEqual(['DUPLICATE', 'DUPLICATE']);
  });

  test('of a hit that a cap dropped are repeats all the same', () => {
    const hits = [at(1, 'a#0'), at(2, 'a#1'), at(3, 'a#2'), at(4, 'a#2'), at(5, 'a#2', { content: 'other' })];
    expect(postprocess(hits).dropped).toEqual([
      { evidenceKey: 'a#2', documentId: 'a', originalRank: 3, reason: 'DOC_CAP' },
      { evidenceKey: 'a#2', documentId: 'a', originalRank: 4, reason: 'DUPLICATE' },
      { evidenceKey: 'a#2', documentId: 'a', originalRank: 5, reason: 'KEY_COLLISION' },
    ]);
  });

  test('are known by their key, never by their document', () => {
    expect(postprocess([at(1, 'a#0'), at(2, 'a#1')]).blocks).toHaveLength(2);
  });

  test('a key that is the name of an inherited property is a key like any other', () => {
    const { blocks } = postprocess([at(1, '__proto__'), at(2, 'constructor'), at(3, '__proto__')]);
    expect(keysOf(blocks)).toEqual(['__proto__', 'constructor']);
  });
});

describe('caps', () => {
  test('of the document is asked before the one of all', () => {
    const hits = ['a#0', 'a#1', 'b#0', 'c#0', 'd#0', 'a#2', 'e#0'].map((key, i) => at(i + 1, key));
    expect(postprocess(hits).dropped.map(({ reason }) => reason)).toEqual(['DOC_CAP', 'TOTAL_CAP']);
  });

  test('are limits that may be set', () => {
    const limits = { ...evidenceLimits, maxBlocks: 1, preciseFrom: 0.95 };
    const result = postprocess([at(1, 'a'), at(2, 'b')], limits);
    expect(result).toMatchObject({ evidenceBlockCount: 1, relevanceLevel: 'REFERENCE' });
  });
});

describe('grade', () => {
  test.each([
    [1, 'PRECISE', false, 'The knowledge base has no document more precise than these.'],
    [0.6, 'REFERENCE', false, 'Only partly relevant documents exist; take these as reference.'],
    [0.3, null, true, 'No document reaches reference grade.'],
    [-1, null, true, 'No document reaches reference grade.'],
    [null, null, true, 'No document reaches reference grade.'],
    [Number.NaN, null, true, 'No document reaches reference grade.'],
  ])('of a first block with score %s', (score, relevanceLevel, isLowQuality, en) => {
    const result = postprocess([at(1, 'a', { score }), at(2, 'b', { score: 0.99 })]);
    expect(result).toMatchObject({ relevanceLevel, isLowQuality, completenessHint: { en } });
  });

  test('is that of the first block, not of a better blank hit before it', () => {
    const result = postprocess([at(1, 'a', { content: ' ', score: 0.99 }), at(2, 'b', { score: 0.6 })]);
    expect(result).toMatchObject({ topSimilarity: 0.6, relevanceLevel: 'REFERENCE', candidateCount: 2 });
  });
});

test('a hundred thousand repeats of one key take time in proportion', () => {
  const hits = Array.from({ length: 100_000 }, (_, i) => at(i + 1, 'a'));
  const start = process.cpuUsage();
  expect(postprocess(hits).blocks[0]?.hitReasons).toHaveLength(100_001);
  expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
});
