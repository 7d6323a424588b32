import { expect, test } from 'vitest';
import { packEvidence } from '../../src/evidence/pack.js';
import type { PackableBlock } from '../../src/evidence/pack.js';

function blockOf(fields: Partial<PackableBlock> = {}): PackableBlock {
  return { evidenceKey: 'k', source: 's.md', breadcrumb: 'B', hitReasons: ['r'], content: 'text', ...fields };
}

test('nothing to pack is an empty text', () => {
  expect(packEvidence([])).toEqual({
    packedText: '',
    strategy: 'ranked_evidence_char_budget',
    charBudget: 4000,
    usedChars: 0,
    includedSources: [],
    omittedSources: [],
  });
});

test('source and breadcrumb lines that would be blank are left out, and the key stands for the source', () => {
  const pack = packEvidence([blockOf({ source: null, breadcrumb: ' \u200b' }), blockOf({ source: ' ' })]);
  expect(pack.packedText).toBe(
    '[Evidence 1]\nreasons: r\ncontent:\ntext\n\n[Evidence 2]\nbreadcrumb: B\nreasons: r\ncontent:\ntext',
  );
  expect(pack.includedSources).toEqual(['k', 'k']);
});

test('the separator counts, and a block that only it pushes over the budget is cut', () => {
  const blocks = [blockOf(), blockOf()];
  const { usedChars } = packEvidence(blocks);
  expect(packEvidence(blocks, usedChars)).toMatchObject({ usedChars, omittedSources: [] });
  // One character less: "text" no longer fits, and neither does one grapheme with the dots in its place.
  expect(packEvidence(blocks, usedChars - 1).omittedSources).toEqual(['s.md']);
});

test('what is left out is listed once a block, repeats kept', () => {
  const pack = packEvidence([blockOf({ content: 'x'.repeat(300) }), blockOf(), blockOf()], 100);
  expect(pack.packedText).toHaveLength(100);
  expect(pack).toMatchObject({ includedSources: ['s.md'], omittedSources: ['s.md', 's.md'] });
});

test('a first grapheme too long for the room takes the block out', () => {
  const header = packEvidence([blockOf({ content: '' })]).usedChars;
  expect(packEvidence([blockOf({ content: '👩‍👩‍👧👩‍👩‍👧' })], header + 3 + 7).usedChars).toBe(0);
  expect(packEvidence([blockOf({ content: '👩‍👩‍👧👩‍👩‍👧' })], header + 3 + 8).packedText).toMatch(/👩‍👩‍👧\.\.\.$/u);
});

test('nothing is taken after a cut block, even where a long grapheme left much room', () => {
  const long = blockOf({ content: `x${'e' + '\u0301'.repeat(300)}` });
  const pack = packEvidence([long, blockOf({ content: 'y' })], 300);
  expect(pack.packedText).toMatch(/\nx\.\.\.$/);
  expect(pack.omittedSources).toEqual(['s.md']);
});
