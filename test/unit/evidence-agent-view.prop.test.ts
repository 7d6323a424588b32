import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentView } from '../../src/contracts/generated.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import { parseAgentView } from '../../src/evidence/parse-agent-view.js';
import { hardTexts } from '../support/evidence.js';

const texts = hardTexts.map((text) => text.toWellFormed());

const views: fc.Arbitrary<AgentView> = fc
  .record({
    toolCallId: texts,
    query: texts,
    evidence: fc.uniqueArray(
      fc.record({
        documentId: texts,
        source: fc.option(texts),
        title: fc.option(texts),
        breadcrumb: fc.option(texts),
        excerpt: texts,
      }),
      { maxLength: 4, selector: ({ documentId }) => documentId },
    ),
    relevanceLevel: fc.constantFrom('PRECISE' as const, 'REFERENCE' as const, null),
    truncated: fc.boolean(),
  })
  .map(({ evidence, relevanceLevel, ...view }) => ({
    ...view,
    evidence,
    evidenceStatus: evidence.length > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    returnedCount: evidence.length,
    relevanceLevel: evidence.length > 0 ? relevanceLevel : null,
  }));

test('every view that can be written is read back as it was', () => {
  fc.assert(
    fc.property(views, (view) => {
      expect(parseAgentView(writeAgentView(view), view.toolCallId)).toEqual({ view });
    }),
    { numRuns: 1000 },
  );
});

test('a text is read only when writing the reading gives the same text', () => {
  const edits = fc.record({
    at: fc.nat(),
    remove: fc.nat(12),
    insert: fc.constantFrom(
      '',
      ' ',
      '"',
      ',',
      '\\',
      '\\u0041',
      '\\ud800',
      '\ud800',
      'null',
      '0',
      '{',
      '}',
      '[]',
      '\n',
      'a',
    ),
  });
  fc.assert(
    fc.property(views, fc.array(edits, { minLength: 1, maxLength: 3 }), (view, changes) => {
      let text = writeAgentView(view);
      for (const { at, remove, insert } of changes) {
        const start = at % text.length;
        text = text.slice(0, start) + insert + text.slice(start + remove);
      }
      const reading = parseAgentView(text, view.toolCallId);
      if ('problem' in reading) return;
      expect(writeAgentView(reading.view)).toBe(text);
      expect(text.isWellFormed()).toBe(true);
      expect(reading.view.returnedCount).toBe(reading.view.evidence.length);
    }),
    { numRuns: 3000 },
  );
});
