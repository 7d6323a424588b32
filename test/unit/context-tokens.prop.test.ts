import fc from 'fast-check';
import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base';
import * as o200k from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadCounters, type Counters } from '../../src/cli/try/assemble.js';
import { contextAssembler, tokenAwareAssembler } from '../../src/context/assemble.js';
import type { ContextHit } from '../../src/context/citation.js';
import { budgetOf } from '../../src/context/token-budget.js';
import { isGraphemeBoundary } from '../../src/text/text.js';
import { hardTexts } from '../support/evidence.js';

const library = { cl100k_base: cl100k, o200k_base: o200k };
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

let counters: Counters;
beforeAll(async () => {
  counters = await loadCounters();
});

const proseParts = fc.constantFrom(
  ...[
    'the ',
    'gateway',
    ' unbeliev',
    'able',
    "'s ",
    '504',
    '12,345',
    '.\n',
    '\n\n',
    ' / ',
    '//',
    '\t',
    'ПРИВЕТ',
    'éa',
  ],
  ...['网关超时', '，', '。', '配置', '<|endoftext|>', '[S1]', '…', '한국어', '  ', '\r\n', 'ﬁ', '!?'],
);
const texts = fc.oneof(
  hardTexts,
  fc.array(proseParts, { maxLength: 30 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

const hits = fc.array(
  fc.record({
    content: texts,
    sourceName: fc.option(texts),
    sourcePath: fc.option(texts),
    sourceUri: fc.constant(null),
    pageNumber: fc.option(fc.nat(9)),
    sectionTitle: fc.option(texts),
    evidenceKey: fc.constantFrom('a#chunk-0', 'b#chunk-1'),
  }),
  { maxLength: 5 },
);

const options = fc.record({
  includeCitations: fc.boolean(),
  delimiter: fc.constantFrom('\n\n', '', ' ', '---', '\n/'),
});

function assertPlaces(
  list: readonly ContextHit[],
  { text, citations }: ReturnType<ReturnType<typeof contextAssembler>>,
) {
  let from = 0;
  for (const { start, end, snippet } of citations) {
    expect(text.slice(start, end)).toBe(snippet);
    expect(start).toBeGreaterThanOrEqual(from);
    expect(snippet.length).toBeGreaterThan(0);
    from = end;
  }
  expect(from).toBe(text.length);
  expect(citations.map(({ citationId }) => citationId)).toEqual(citations.map((_, i) => `S${i + 1}`));
  expect(citations.length).toBeLessThanOrEqual(list.length);
}

describe.each(['cl100k_base', 'o200k_base'] as const)('%s', (encoding) => {
  test('tokens are as many as the tokenizer itself counts', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const own = library[encoding].countTokens(text.toWellFormed(), asText);
        expect(counters[encoding].count(text)).toBe(own);
        expect(counters[encoding].countWithin(text, own)).toBe(own);
        if (own > 0) expect(counters[encoding].countWithin(text, own - 1)).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  test('at a seam the counts of both sides add up', () => {
    let seams = 0;
    fc.assert(
      fc.property(texts, texts, (left, right) => {
        const text = left + right;
        for (let at = 1; at < text.length; at++) {
          if (!counters[encoding].isSeam(text, at)) continue;
          seams += 1;
          const sum = counters[encoding].count(text.slice(0, at)) + counters[encoding].count(text.slice(at));
          expect(sum).toBe(counters[encoding].count(text));
        }
      }),
      { numRuns: 1000 },
    );
    expect(seams).toBeGreaterThan(500);
  });

  test('a budget is never exceeded by the tokenizer’s own count, and places slice the snippets', () => {
    fc.assert(
      fc.property(hits, options, fc.integer({ min: 1, max: 60 }), (list, form, tokens) => {
        const context = tokenAwareAssembler(budgetOf(tokens, counters[encoding]), form)('q', list);
        expect(library[encoding].countTokens(context.text, asText)).toBeLessThanOrEqual(tokens);
        assertPlaces(list, context);
        const whole = contextAssembler(form)('q', list);
        expect(whole.text.startsWith(context.text)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('a first hit is cut to the longest prefix that fits, at a grapheme boundary', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 20 }), (text, tokens) => {
        const content = text.toWellFormed();
        const list = [
          {
            content,
            sourceName: null,
            sourcePath: null,
            sourceUri: null,
            pageNumber: null,
            sectionTitle: null,
            evidenceKey: null,
          },
        ];
        const budget = budgetOf(tokens, counters[encoding]);
        const { text: cut } = tokenAwareAssembler(budget, { includeCitations: false })('q', list);
        expect(isGraphemeBoundary(content, cut.length)).toBe(true);
        const longer = Array.from({ length: content.length }, (_, i) => i + 1)
          .filter((length) => length > cut.length && isGraphemeBoundary(content, length))
          .filter((length) => counters[encoding].count(content.slice(0, length)) <= tokens);
        // White space alone is no passage.
        expect(longer.filter((length) => content.slice(0, length).trim() !== '' && cut !== '')).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

test('without a budget every hit with text is in it, at its place', () => {
  fc.assert(
    fc.property(hits, options, (list, form) => assertPlaces(list, contextAssembler(form)('q', list))),
  );
});
