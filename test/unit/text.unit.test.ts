import { describe, expect, test } from 'vitest';
import { cutText, isBlank, isGraphemeBoundary, utf8Length } from '../../src/text/text.js';

describe('isBlank', () => {
  test.each([
    ['nothing', ''],
    ['spaces of every width', ' \t\r\n\u00a0\u2003\u3000\u2028'],
    ['the next-line character, which JavaScript does not count as white space', '\u0085'],
    ['zero-width characters and a byte order mark', '\u200b\u200c\u200d\u2060\ufeff'],
    ['soft hyphens, variation selectors and Hangul fillers', '\u00ad\ufe0f\u{e0100}\u3164\u115f'],
  ])('%s: blank', (_, text) => {
    expect(isBlank(text)).toBe(true);
  });

  test.each([
    ['a letter', 'a'],
    ['a letter after much white space', `${' '.repeat(5000)}x`],
    ['a combining mark alone', '\u0301'],
    ['half of a surrogate pair', '\ud800'],
    ['a control character', '\u0000'],
  ])('%s: not blank', (_, text) => {
    expect(isBlank(text)).toBe(false);
  });

  test('a very long invisible text neither throws nor takes long', () => {
    expect(isBlank('\u{e0100}'.repeat(4_000_000))).toBe(true);
  });
});

describe('cutText', () => {
  test.each([
    ['a text that fits', 'abc', 3, 'abc'],
    ['plain letters', 'abcdef', 3, 'abc'],
    ['Han characters', '网关超时', 3, '网关超'],
    ['an emoji at the cut', 'ab😀c', 3, 'ab'],
    ['a family at the cut', 'ab👩‍👩‍👧c', 5, 'ab'],
    ['a letter with its accent', 'abe\u0301f', 3, 'ab'],
    ['a line break of two characters', 'ab\r\nc', 3, 'ab'],
    ['the second of two flags', '🇩🇪🇫🇷', 6, '🇩🇪'],
    ['a first grapheme that is too long', 'e\u0301\u0301\u0301', 2, ''],
    ['no room', 'abc', 0, ''],
    ['less than no room', 'abc', -5, ''],
  ])('%s', (_, text, limit, expected) => {
    expect(cutText(text, limit)).toBe(expected);
  });

  test('flags are counted from where they begin, however far back that is', () => {
    const flags = '🇩🇪'.repeat(500);
    expect(cutText(`x${flags}x`, 1 + 4 * 400 + 2)).toBe(`x${'🇩🇪'.repeat(400)}`);
  });

  test('what follows the cut costs nothing', () => {
    const start = process.cpuUsage();
    const text = '网e\u0301'.repeat(1_000_000);
    for (let i = 0; i < 2000; i++) cutText(text, 1200);
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });
});

test('isGraphemeBoundary: at the ends and between graphemes, not inside one or outside the text', () => {
  const text = 'a👩‍👧b';
  const boundaries = Array.from({ length: text.length + 3 }, (_, i) => i - 1).filter((i) =>
    isGraphemeBoundary(text, i),
  );
  expect(boundaries).toEqual([0, 1, 6, 7]);
});

test.each(['', 'abc', 'é', '网关', '😀', 'a\ud800b', '\udc00\ud800', '\ud800'])(
  'utf8Length of %j',
  (text) => {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text));
  },
);
