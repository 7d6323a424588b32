import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Hit } from '../../src/contracts/generated.js';
import { postprocess } from '../../src/evidence/postprocess.js';
import { governableHits } from '../support/evidence.js';

/** What tells one hit from another in both of the lists that it may end up in. */
function nameOf({
  evidenceKey,
  documentId,
  originalRank,
}: Pick<Hit, 'evidenceKey' | 'documentId' | 'originalRank'>) {
  return JSON.stringify([evidenceKey, documentId, originalRank]);
}

test('what is kept and what is dropped are together exactly what came in', () => {
  fc.assert(
    fc.property(governableHits, (hits) => {
      const { blocks, dropped, candidateCount, evidenceBlockCount } = postprocess(hits);
      expect([...blocks, ...dropped].map(nameOf).sort()).toEqual(hits.map(nameOf).sort());
      expect([candidateCount, evidenceBlockCount]).toEqual([hits.length, blocks.length]);
    }),
  );
});

test('scores decide neither what is kept nor its order', () => {
  fc.assert(
    fc.property(governableHits, fc.array(fc.double()), (hits, scores) => {
      const rescored = hits.map((hit, i) => ({ ...hit, score: scores[i] ?? null }));
      const [before, after] = [postprocess(hits), postprocess(rescored)];
      expect(after.blocks.map(nameOf)).toEqual(before.blocks.map(nameOf));
      expect(after.dropped).toEqual(before.dropped);
    }),
  );
});

test('blocks are ranked without gaps, in rank order, within every cap, and graded from 0 to 1', () => {
  fc.assert(
    fc.property(governableHits, (hits) => {
      const { blocks, rerankTrace } = postprocess(hits);
      const ranks = blocks.map(({ originalRank }) => originalRank ?? Infinity);
      expect(ranks).toEqual(ranks.toSorted((a, b) => (a < b ? -1 : Number(a > b))));
      expect(blocks.map(({ finalRank }) => finalRank)).toEqual(blocks.map((_, i) => i + 1));
      expect(rerankTrace.map(({ finalRank }) => finalRank)).toEqual(blocks.map((_, i) => i + 1));
      expect(blocks.length).toBeLessThanOrEqual(5);
      for (const { documentId, qualityScore } of blocks) {
        expect(blocks.filter((block) => block.documentId === documentId).length).toBeLessThanOrEqual(2);
        expect(qualityScore === null || (qualityScore >= 0 && qualityScore <= 1)).toBe(true);
      }
    }),
  );
});
