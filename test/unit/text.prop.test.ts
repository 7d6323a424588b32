import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText, isBlank, isGraphemeBoundary, utf8Length } from '../../src/text/text.js';

/** Pieces that combine: accents, joiners, flags, skin tones, Hangul, Devanagari, lone surrogates. */
const pieces = fc.constantFrom(
  ...['a', 'Z', '9', ' ', '\r', '\n', '网', '关', '，', 'é', 'e\u0301', '\u0301', '\u200d', '\ufe0f'],
  ...['😀', '👩', '👩‍🚀', '🏽', '🇩', '🇪', '#', '\u20e3', 'ᄀ', 'ᅡ', 'ᆨ', '각', 'क', '\u094d', 'ष', 'ि'],
  ...['\ud83d', '\ude00', '\u0600', '©', '\u3030', '\u302a', '\u200b', '\u{1f468}', '\u{e0061}'],
);
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 200 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** All boundaries, the slow way: by segmenting the whole text. */
function boundariesOf(text: string): Set<number> {
  const boundaries = new Set([0, text.length]);
  for (const { index } of segmenter.segment(text)) boundaries.add(index);
  return boundaries;
}

test('a cut is the longest prefix within the limit that ends between two graphemes of the whole text', () => {
  fc.assert(
    fc.property(texts, fc.nat(250), (text, limit) => {
      const longest = Math.max(...[...boundariesOf(text)].filter((boundary) => boundary <= limit));
      expect(cutText(text, limit)).toBe(text.slice(0, longest));
    }),
    { numRuns: 3000 },
  );
});

test('isGraphemeBoundary agrees with segmenting the whole text', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const boundaries = boundariesOf(text);
      for (let i = 0; i <= text.length; i++) expect(isGraphemeBoundary(text, i)).toBe(boundaries.has(i));
    }),
    { numRuns: 1000 },
  );
});

test('utf8Length is the length that UTF-8 encoding gives', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
  );
});

test('a text is blank exactly when all of its characters are', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(isBlank(text)).toBe(Array.from(text).every((character) => isBlank(character)));
    }),
  );
});
