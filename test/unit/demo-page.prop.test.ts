import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { column, labelled, paintFor, wrapped } from '../../src/cli/render/page.js';
import { safeText, textWidth } from '../../src/cli/render/safe-text.js';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.lorem({ maxCount: 40 }),
  fc.string({
    unit: fc.constantFrom('网', '关', '，', '。', 'a', ' ', '\n', '\u001b', '\u202e'),
    maxLength: 300,
  }),
);

function withoutSpaces(lines: readonly string[]): string {
  return lines.join('').replace(/\s/g, '');
}

describe('lines of a page', () => {
  test('lose nothing but white space, and stay within the width where a word does', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 60 }), (written, width) => {
        const lines = wrapped(written, width);
        expect(withoutSpaces(lines)).toBe(withoutSpaces([safeText(written.replace(/\s+/g, ' '))]));
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(widest(line, width));
      }),
    );
  });

  /** A line is wider than the page only for one word, or for a mark at its end. */
  function widest(line: string, width: number): number {
    const longest = Math.max(...line.split(/\s+/).map((word) => textWidth(word)));
    return Math.max(width + 2, longest);
  }

  test('hold nothing that a terminal acts on', () => {
    fc.assert(
      fc.property(text, (written) => {
        const page = [...labelled('says ', written, 60), column(written, 20)].join('');
        expect(page).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
      }),
    );
  });

  test('break Chinese between characters, and never before a closing mark', () => {
    expect(wrapped('网关超时，先检查上游。', 8)).toEqual(['网关超时，', '先检查上', '游。']);
  });

  test('take a long row of closing marks in one pass', () => {
    const lines = wrapped('。'.repeat(100_000), 80);
    expect(lines).toHaveLength(Math.ceil(100_000 / 41));
  });

  test('hang below their label', () => {
    expect(labelled('says  ', 'one two three', 12)).toEqual(['says  one', '      two', '      three']);
  });
});

test('a column holds for characters of two columns', () => {
  expect(column('网关', 6)).toBe('网关  ');
  expect(column('longer than it', 4)).toBe('longer than it');
});

test('colours take no columns, and end where the text does', () => {
  expect(paintFor({ colours: true })('bad', 'no')).toBe('\u001b[31mno\u001b[39m');
  expect(paintFor({ colours: false })('bad', 'no')).toBe('no');
});
