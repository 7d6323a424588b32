import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { loadTokenCounter } from '../../src/context/load-token-counter.js';
import type { TokenCounter } from '../../src/context/token-counter.js';
import { viewTokenCounter } from '../../src/context/view-tokens.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import { sampleText } from '../../src/bench/sample-evidence.js';
import { hardTexts } from '../support/evidence.js';

let counter: TokenCounter;
beforeAll(async () => {
  counter = await loadTokenCounter('o200k_base');
});

/** Prose, which has seams, and what has none. */
const texts = fc.oneof(
  fc.nat(50).map((seed) => sampleText(seed, 150)),
  hardTexts.map((text) => text.toWellFormed()),
  fc.constantFrom('', 'x', 'two words', 'ends in a letter ', '{"document_id":"a b c"}', '。网关 超时。'),
);

const items = fc.array(
  fc.record({
    documentId: texts,
    source: fc.option(texts),
    title: fc.option(texts),
    breadcrumb: fc.option(texts),
    excerpt: texts,
  }),
  { maxLength: 6 },
);

const views = fc.record({ toolCallId: texts, query: texts, evidence: items }).map((view) =>
  writeAgentView({
    ...view,
    evidenceStatus: 'EVIDENCE_FOUND',
    returnedCount: view.evidence.length,
    relevanceLevel: 'PRECISE',
    truncated: false,
  }),
);

test('a view has as many tokens as its text, however often its items were counted before', () => {
  const countTokens = viewTokenCounter(counter);
  fc.assert(
    fc.property(views, (view) => {
      const whole = counter.count(view);
      expect(countTokens(view)).toBe(whole);
      expect(countTokens(view)).toBe(whole);
    }),
    { numRuns: 1000 },
  );
});

test('any text is counted, also where it only begins like a view, and where little is remembered', () => {
  const countTokens = viewTokenCounter(counter, 2);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(texts, views, fc.constant('{"document_id":')), { maxLength: 6 }),
      (parts) => {
        const text = parts.join('');
        expect(countTokens(text)).toBe(counter.count(text));
      },
    ),
    { numRuns: 500 },
  );
});

test('what was counted is not counted again', () => {
  let counted = 0;
  const counting: TokenCounter = {
    ...counter,
    count(text) {
      counted += text.length;
      return counter.count(text);
    },
  };
  const countTokens = viewTokenCounter(counting);
  const view = (toolCallId: string, excerpt: string): string =>
    `{"tool_call_id":"${toolCallId}","evidence":[{"document_id":"a b c","excerpt":"${excerpt}"}]}`;
  countTokens(view('call-1', sampleText(1, 1000)));
  counted = 0;
  countTokens(view('call-2', sampleText(1, 1000)));
  expect(counted).toBeLessThan(100);
  countTokens(view('call-3', sampleText(2, 1000)));
  expect(counted).toBeGreaterThan(900);
});
