import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutChunks } from '../../src/retrieval/local/chunk.js';
import { indexLimits } from '../../src/retrieval/local/limits.js';
import { parseHtml } from '../../src/retrieval/local/parse-html.js';
import { parseMarkdown } from '../../src/retrieval/local/parse-markdown.js';
import { parsePlainText } from '../../src/retrieval/local/parse-text.js';
import { isGraphemeBoundary } from '../../src/text/text.js';

const limits = { ...indexLimits, maxChunkChars: 60, joinChars: 40 };

const lines = fc.array(
  fc.oneof(
    fc.constantFrom('# One', '## Two', '### Three', '```', '~~~sh', '---', '===', '', '| a | b |', '- item'),
    fc.constantFrom('👩‍🚀'.repeat(30), 'e\u0301'.repeat(80), '网关超时。'.repeat(20), 'word '.repeat(30)),
    fc.string({ unit: 'grapheme', maxLength: 120 }),
  ),
  { maxLength: 25 },
);
const documents = fc
  .tuple(lines, fc.constantFrom(parseMarkdown, parsePlainText, parseHtml))
  .map(([list, parse]) => parse(list.join('\n').replace(/\r\n?/g, '\n'), 'file'));

test('chunks are slices of the document in order, none blank, none over the limit', () => {
  fc.assert(
    fc.property(documents, (document) => {
      let from = 0;
      for (const { content } of cutChunks(document, limits)) {
        expect(content.trim()).toBe(content);
        expect(content).not.toBe('');
        expect(content.length).toBeLessThanOrEqual(limits.maxChunkChars);
        const at = document.text.indexOf(content, from);
        expect(at).toBeGreaterThanOrEqual(from);
        from = at + content.length;
      }
    }),
  );
});

test('chunks together hold every visible character of the blocks', () => {
  fc.assert(
    fc.property(documents, (document) => {
      const visible = (text: string) => text.replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '');
      const chunks = cutChunks(document, limits).map((chunk) => chunk.content);
      const blocks = document.blocks.map((block) => document.text.slice(block.start, block.end));
      expect(visible(chunks.join(''))).toBe(visible(blocks.join('')));
    }),
  );
});

test('no chunk begins or ends inside a grapheme that a chunk could hold', () => {
  fc.assert(
    fc.property(documents, (document) => {
      let from = 0;
      for (const { content } of cutChunks(document, limits)) {
        const at = document.text.indexOf(content, from);
        from = at + content.length;
        expect(isGraphemeBoundary(document.text, at)).toBe(true);
        expect(isGraphemeBoundary(document.text, from)).toBe(true);
      }
    }),
  );
});

test('of a grapheme longer than a chunk nothing is lost, and no surrogate pair is split', () => {
  const pile = `a${'\u{1d165}'.repeat(200)}`;
  const chunks = cutChunks(parseMarkdown(pile, 'file'), limits).map((chunk) => chunk.content);
  expect(chunks.join('')).toBe(pile);
  for (const chunk of chunks) expect(chunk.isWellFormed()).toBe(true);
});
