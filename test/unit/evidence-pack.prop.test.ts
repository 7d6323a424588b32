import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packEvidence } from '../../src/evidence/pack.js';
import { isGraphemeBoundary } from '../../src/text/text.js';
import { hardTexts } from '../support/evidence.js';

const blocks = fc.array(
  fc.record({
    evidenceKey: fc.constantFrom('k1', 'k2'),
    source: fc.option(hardTexts),
    breadcrumb: fc.option(hardTexts),
    hitReasons: fc.array(fc.constant('semantic_rank:1'), { maxLength: 2 }),
    content: hardTexts,
  }),
  { maxLength: 6 },
);

test('a pack keeps to its budget, tells its length, and lists every block once', () => {
  fc.assert(
    fc.property(blocks, fc.nat(600), (list, budget) => {
      const pack = packEvidence(list, budget);
      expect(pack.usedChars).toBe(pack.packedText.length);
      expect(pack.usedChars).toBeLessThanOrEqual(budget);
      expect(pack.includedSources.length + pack.omittedSources.length).toBe(list.length);
    }),
  );
});

test('a pack is the whole text, or a prefix of it that ends between two graphemes and says so with dots', () => {
  fc.assert(
    fc.property(blocks, fc.nat(600), (list, budget) => {
      const { packedText, includedSources } = packEvidence(list, budget);
      const whole = packEvidence(list.slice(0, includedSources.length), 1_000_000).packedText;
      if (packedText === whole) return;
      const cut = packedText.slice(0, -3);
      expect(packedText.endsWith('...')).toBe(true);
      expect(whole.startsWith(cut)).toBe(true);
      const content = list[includedSources.length - 1]!.content;
      const contentStart = whole.length - content.length;
      expect(isGraphemeBoundary(content, cut.length - contentStart)).toBe(true);
    }),
  );
});
