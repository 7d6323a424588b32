import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tryEvaluate } from '../../src/cli/try/evaluate.js';
import { bootstrapMeans, mulberry32 } from '../../src/evaluation/bootstrap.js';
import { evaluateRetrieval } from '../../src/evaluation/evaluate-retrieval.js';
import { RETRIEVAL_METRICS, retrievalMetrics } from '../../src/evaluation/retrieval-metrics.js';
import { loadCases, matches } from '../support/cases.js';

const NOTHING = { precision: 0, recall: 0, f1: 0, mrr: 0, ndcg: 0 };

describe('the metrics of a ranked list', () => {
  test.each(loadCases('evaluate'))('$name', ({ input, expect: expected }) => {
    matches(tryEvaluate(input), expected);
  });

  test.each([
    ['k of one', ['b', 'a'], ['b', 'd'], 1, { precision: 1, recall: 0.5, f1: 2 / 3, mrr: 1, ndcg: 1 }],
    ['a negative k is all', ['a', 'b'], ['b'], -3, { precision: 0.5, recall: 1, mrr: 0.5 }],
    ['a k beyond the list is all', ['a', 'b'], ['b'], 99, { precision: 0.5, recall: 1, mrr: 0.5 }],
    ['repeats go before k is applied', ['a', 'a', 'a', 'b'], ['b'], 2, { precision: 0.5, mrr: 0.5 }],
    ['a relevant id that is named twice is one', ['b'], ['b', 'b'], 1, { recall: 1, ndcg: 1 }],
    ['nothing retrieved', [], ['b'], 5, NOTHING],
    ['nothing relevant', ['a'], [], 5, NOTHING],
    ['neither', [], [], 0, NOTHING],
    ['none of it found', ['a', 'c'], ['b'], 0, NOTHING],
  ])('%s', (_, retrieved, relevant, k, expected) => {
    expect(retrievalMetrics({ retrieved, relevant }, k)).toMatchObject(expected);
  });

  const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '__proto__'), { maxLength: 9 });

  test('lie between 0 and 1, never NaN, and a first relevant one is as good as can be', () => {
    fc.assert(
      fc.property(ids, ids, fc.integer({ min: -2, max: 12 }), (retrieved, relevant, k) => {
        const metrics = retrievalMetrics({ retrieved, relevant }, k);
        for (const name of RETRIEVAL_METRICS)
          expect(metrics[name] >= 0 && metrics[name] <= 1 + 1e-12).toBe(true);
        const better = retrievalMetrics({ retrieved: [...relevant, ...retrieved], relevant }, k);
        if (relevant.length > 0) expect(better).toMatchObject({ mrr: 1, ndcg: 1 });
      }),
    );
  });

  test.each([
    ['no object', 7, 'the input'],
    ['ids that are no texts', { retrieved: [1], relevant: [], k: 1 }, 'retrieved.0'],
    ['a k that is no whole number', { retrieved: [], relevant: [], k: 1.5 }, 'k'],
  ])('%s: the input is refused by name', (_, input, field) => {
    expect(() => tryEvaluate(input)).toThrow(
      expect.objectContaining({
        code: 'PL_INPUT_INVALID',
        message: expect.stringContaining(field) as string,
      }),
    );
  });
});

describe('the bootstrap', () => {
  test('is the same for the same seed, and another for another', () => {
    const column = Array.from({ length: 30 }, (_, i) => (i % 7) / 7);
    const of = (seed: number) => bootstrapMeans([column], { seed, resamples: 500, level: 0.95 });
    expect(of(1)).toEqual(of(1));
    expect(of(2)).not.toEqual(of(1));
  });

  test('draws the rows of all columns together', () => {
    const column = Array.from({ length: 20 }, (_, i) => i);
    const [one, other] = bootstrapMeans([column, column.map((value) => -value)]);
    expect(other?.low).toBe(-(one?.high ?? NaN));
    expect(other?.high).toBe(-(one?.low ?? NaN));
  });

  test('holds the mean, is a point where nothing varies, and null where there is nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 5, maxLength: 40 }),
        (column) => {
          const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
          const [interval] = bootstrapMeans([column], { seed: 3, resamples: 400, level: 0.999 });
          expect(interval!.low).toBeLessThanOrEqual(mean + 0.1);
          expect(interval!.high).toBeGreaterThanOrEqual(mean - 0.1);
          expect(interval!.low).toBeLessThanOrEqual(interval!.high);
        },
      ),
      { numRuns: 50 },
    );
    expect(bootstrapMeans([[0.5, 0.5, 0.5]])).toEqual([{ low: 0.5, high: 0.5 }]);
    expect(bootstrapMeans([[]])).toEqual([null]);
  });

  test('its generator is what it was: figures that were published can be made again', () => {
    const random = mulberry32(1);
    expect([random(), random(), random()]).toEqual([
      0.6270739405881613, 0.002735721180215478, 0.5274470399599522,
    ]);
  });
});

describe('a set of questions', () => {
  const cases = [
    { query: 'one', retrieved: ['a', 'b'], relevant: ['a'] },
    { query: 'two', retrieved: ['c', 'd'], relevant: ['d'] },
    { query: 'nothing to find, nothing found', retrieved: [], relevant: [] },
    { query: 'nothing to find, something found', retrieved: ['a'], relevant: [] },
  ];

  test('means are over questions with something to find; a right "nothing" is counted, and scores no 1.0', () => {
    const report = evaluateRetrieval(cases, [1, 0]);
    expect(report).toMatchObject({ questions: 4, answerable: 2, unanswerable: 2, rightlyEmpty: 1 });
    expect(report.means.map((of) => of?.mrr.mean)).toEqual([0.5, 0.75]);
    expect(report.queries[2]?.at[0]).toEqual(NOTHING);
  });

  test('without any there is no mean, and no NaN', () => {
    expect(evaluateRetrieval([{ query: null, retrieved: ['a'], relevant: [] }], [1]).means).toEqual([null]);
  });
});
