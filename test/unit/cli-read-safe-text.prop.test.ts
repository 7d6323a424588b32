import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeCut, safeLines, safeText, textWidth } from '../../src/cli/render/safe-text.js';
import { hardTexts } from '../support/evidence.js';

const texts = fc.oneof(hardTexts, fc.string({ unit: 'binary', maxLength: 60 }));
const UNSAFE = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\ud800-\udfff]/u;

describe('text for a terminal', () => {
  test('holds nothing that a terminal acts on, whatever the text is', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(safeText(text)).not.toMatch(UNSAFE);
        expect(safeText(text).isWellFormed()).toBe(true);
      }),
    );
  });

  test('is the same when it is made safe twice', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(safeText(safeText(text))).toBe(safeText(text));
      }),
    );
  });

  test('keeps line breaks, and nothing else, over several lines', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const line of safeLines(text)) expect(line).not.toMatch(UNSAFE);
        expect(safeLines(text)).toHaveLength(text.split('\n').length);
      }),
    );
  });

  test('is cut with a mark, and not cut when it is short enough', () => {
    fc.assert(
      fc.property(texts, fc.nat(80), (text, limit) => {
        const cut = safeCut(text, limit);
        expect(cut.endsWith('…') && cut !== safeText(text)).toBe(text.length > limit);
        expect(cut).not.toMatch(UNSAFE);
      }),
    );
  });

  test.each([
    ['网关超时 is not ASCII', '网关超时 is not ASCII'],
    ['👩‍👩‍👧 क्षि', '👩‍👩‍👧 क्षि'],
    ['\u001b[31mred', '\\e[31mred'],
    ['a\r\nb\tc', 'a\\r\\nb\\tc'],
    ['\u009b2J', '\\u{9b}2J'],
    ['abc\u202ecba', 'abc\\u{202e}cba'],
    ['\u{e0041}tag', '\\u{e0041}tag'],
    ['half \ud800', 'half \\u{d800}'],
  ])('given %j, then it is shown as %j', (text, shown) => {
    expect(safeText(text)).toBe(shown);
  });

  test.each([
    ['abc', 3],
    ['网关', 4],
    ['e\u0301', 1],
    ['', 0],
  ])('takes as many columns as a terminal gives it: %j', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  test('a text of a million characters is cut at once', () => {
    const began = performance.now();
    expect(safeCut('\u001b'.repeat(1_000_000), 10)).toHaveLength(21);
    expect(performance.now() - began).toBeLessThan(200);
  });
});
