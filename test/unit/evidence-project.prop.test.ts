import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookupResultJson } from '../../src/evidence/lookup-result-json.js';
import { governHits } from '../../src/evidence/lookup-result.js';
import { evidenceLimits } from '../../src/evidence/limits.js';
import { parseAgentView } from '../../src/evidence/parse-agent-view.js';
import { project } from '../../src/evidence/project.js';
import { isGraphemeBoundary } from '../../src/text/text.js';
import { governableHits, hardTexts } from '../support/evidence.js';

const anything = fc.oneof(hardTexts, hardTexts, hardTexts, fc.constantFrom(null, 7, true), fc.constant([]));

const blocks = fc.record(
  {
    evidence_key: anything,
    documentId: anything,
    docId: anything,
    chunk_index: fc.oneof(fc.nat(3), anything),
    content: anything,
    excerpt: anything,
    source: anything,
    title: anything,
    breadcrumb: anything,
  },
  { requiredKeys: [] },
);

const lookupResults = fc.record(
  {
    query: anything,
    evidence_blocks: fc.array(fc.oneof({ weight: 9, arbitrary: blocks }, anything), { maxLength: 12 }),
    relevance_level: fc.constantFrom('PRECISE', 'REFERENCE', 'GREAT', null),
    candidate_count: anything,
    dropped: fc.oneof(fc.array(blocks), anything),
    retrieval_trace: fc.oneof(blocks, anything),
  },
  { requiredKeys: ['evidence_blocks'] },
);

/** Small limits, so that short texts meet every one of them. */
const limits = fc
  .record({
    queryChars: fc.nat(20),
    maxItems: fc.integer({ min: 1, max: 8 }),
    excerptChars: fc.integer({ min: 1, max: 30 }),
    viewBytes: fc.integer({ min: 150, max: 1500 }),
  })
  .map((some) => ({ ...evidenceLimits, ...some }));

test('a view keeps to its bytes, is well-formed, and reads back strictly as what it is', () => {
  fc.assert(
    fc.property(lookupResults, hardTexts, limits, (result, toolCallId, limit) => {
      const projection = project(JSON.stringify(result), toolCallId, limit);
      if ('error' in projection) {
        expect(projection.error.code).toBe('PL_PROJECTION_OVER_BUDGET');
        return;
      }
      const { agentView, view, cuts } = projection;
      expect(Buffer.byteLength(agentView)).toBeLessThanOrEqual(limit.viewBytes);
      expect(agentView.isWellFormed()).toBe(true);
      expect(parseAgentView(agentView, toolCallId)).toEqual({ view });
      expect(view.truncated).toBe(cuts.length > 0);
      expect(view.evidence.length).toBeLessThanOrEqual(limit.maxItems);
    }),
    { numRuns: 1000 },
  );
});

test('every excerpt begins the whole text that the ledger keeps, and ends between two graphemes', () => {
  fc.assert(
    fc.property(lookupResults, limits, (result, limit) => {
      const projection = project(JSON.stringify(result), 'call', limit);
      if ('error' in projection) return;
      for (const [i, { documentId, excerpt }] of projection.view.evidence.entries()) {
        const { content } = projection.blocks[i]!;
        expect(projection.blocks[i]!.documentId).toBe(documentId);
        expect(content.startsWith(excerpt)).toBe(true);
        expect(isGraphemeBoundary(content, excerpt.length)).toBe(true);
        expect(excerpt.length).toBeLessThanOrEqual(limit.excerptChars);
      }
    }),
    { numRuns: 1000 },
  );
});

test('no text makes it throw', () => {
  const jsons = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.json().map((json) => `{"evidence_blocks":[${json}]}`),
  );
  fc.assert(
    fc.property(jsons, hardTexts, (text, toolCallId) => {
      const projection = project(text, toolCallId);
      if ('error' in projection) expect(projection.error.code).toMatch(/^PL_PROJECTION_/);
      else expect(parseAgentView(projection.agentView, toolCallId)).toEqual({ view: projection.view });
    }),
    { numRuns: 1000 },
  );
});

test('what post-processing made is shown whole, in its order', () => {
  fc.assert(
    fc.property(governableHits, (hits) => {
      const result = governHits('q', hits, {});
      const projection = project(lookupResultJson(result), 'call');
      if ('error' in projection) throw new Error(projection.error.message);
      expect(projection.view.evidence.map(({ documentId }) => documentId)).toEqual(
        result.evidenceBlocks.map(({ evidenceKey }) => evidenceKey),
      );
      expect(projection).toMatchObject({
        cuts: [],
        dropped: result.dropped,
        view: { relevanceLevel: result.relevanceLevel },
      });
      expect(projection.noEvidenceBasis).toBe(result.found || hits.length === 0 ? null : 'all_dropped');
    }),
  );
});
