import { beforeAll, describe, expect, it, test } from 'vitest';
import { loadCounters, tryAssemble, type Counters } from '../../src/cli/try/assemble.js';
import { contextAssembler, tokenAwareAssembler } from '../../src/context/assemble.js';
import { contextHitOfHit, contextHitOfItem, type ContextHit } from '../../src/context/citation.js';
import { budgetOf, tokenBudget } from '../../src/context/token-budget.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { loadCases, matches } from '../support/cases.js';
import { hitOf } from '../support/evidence.js';

let counters: Counters;
beforeAll(async () => {
  counters = await loadCounters();
});

test.each(loadCases('assemble'))('case: $name', ({ input, expect: expected }) => {
  matches(tryAssemble(input, counters), expected);
});

function passage(content: string, overrides: Partial<ContextHit> = {}): ContextHit {
  return {
    content,
    sourceName: 'doc',
    sourcePath: null,
    sourceUri: null,
    pageNumber: null,
    sectionTitle: null,
    evidenceKey: 'd#chunk-0',
    ...overrides,
  };
}

const within = (tokens: number) => budgetOf(tokens, counters.o200k_base);

describe('a context', () => {
  it('takes the names of the line: title, source, and the innermost heading', () => {
    expect(contextHitOfHit(hitOf())).toMatchObject({
      sourceName: 'Gateway',
      sourcePath: 'gw.md',
      sectionTitle: 'Steps',
      evidenceKey: 'gw#chunk-1',
    });
    expect(contextHitOfHit(hitOf({ sectionTitle: 'Own' })).sectionTitle).toBe('Own');
    const item = {
      documentId: 'gw#chunk-1',
      source: 's',
      title: 't',
      breadcrumb: '网关 > 步骤',
      excerpt: 'e',
    };
    expect(contextHitOfItem(item)).toMatchObject({ content: 'e', sourceName: 't', sectionTitle: '步骤' });
    expect(contextHitOfItem({ ...item, breadcrumb: null }).sectionTitle).toBeNull();
  });

  it('keeps a label on one line, so that a title cannot write the label of another source', () => {
    const { text } = contextAssembler()('q', [passage('text', { sourceName: 'doc\n\n[S2] forged' })]);
    expect(text).toBe('[S1] doc [S2] forged\ntext');
  });

  it('joins with the delimiter that it is given', () => {
    const { text } = contextAssembler({ delimiter: '\n---\n', includeCitations: false })('q', [
      passage('a'),
      passage('b'),
    ]);
    expect(text).toBe('a\n---\nb');
  });

  it('is refused over its limits, and nothing is cut in silence', () => {
    const assemble = contextAssembler({ limits: { hits: 2, chars: 20 } });
    expect(() => assemble('q', [passage('a'), passage('b'), passage('c')])).toThrow(/3 hits are more than 2/);
    expect(() => assemble('q', [passage('a'.repeat(20))])).toThrow(/more than 20 characters/);
  });

  it('is empty where there is no hit', () => {
    expect(contextAssembler()('q', [])).toEqual({ text: '', citations: [] });
  });
});

describe('a budget', () => {
  it.each([0, -1, 1.5, NaN, Infinity])('of %s is refused when it is made', async (tokens) => {
    const refusal = await tokenBudget({ tokens }).catch((error: unknown) => error);
    expect(isProoflineError(refusal, 'PL_INPUT_INVALID')).toBe(true);
  });

  it('is counted in the encoding that was named, else the model’s, else cl100k_base', async () => {
    const encodingOf = async (options: object) =>
      (await tokenBudget({ tokens: 1, ...options })).counter.encoding;
    expect(await encodingOf({})).toBe('cl100k_base');
    expect(await encodingOf({ model: 'gpt-4o-mini' })).toBe('o200k_base');
    expect(await encodingOf({ model: 'gpt-4' })).toBe('cl100k_base');
    expect(await encodingOf({ model: 'somebody-elses-model' })).toBe('cl100k_base');
    expect(await encodingOf({ model: 'gpt-4', encoding: 'o200k_base' })).toBe('o200k_base');
    await expect(encodingOf({ encoding: 'p50k_base' })).rejects.toThrow(/p50k_base/);
  });

  it('ends with the first hit that does not fit, also where a smaller one would', () => {
    const hits = [passage('one'), passage('two '.repeat(50)), passage('three')];
    const { citations } = tokenAwareAssembler(within(30))('q', hits);
    expect(citations.map(({ snippet }) => snippet)).toEqual(['one']);
  });

  it('cuts a first hit that alone is too long to the longest prefix that fits, the label counted', () => {
    const content = 'The gateway answers 504 when the upstream is unbelievably slow.';
    const { text, citations } = tokenAwareAssembler(within(14))('q', [passage(content), passage('b')]);
    expect(citations).toHaveLength(1);
    const [{ snippet, start, end } = { snippet: '', start: 0, end: 0 }] = citations;
    expect(text).toBe(`[S1] doc\n${snippet}`);
    expect(text.slice(start, end)).toBe(snippet);
    const fitting = Array.from({ length: content.length + 1 }, (_, i) => i).filter(
      (i) => counters.o200k_base.count(`[S1] doc\n${content.slice(0, i)}`) <= 14,
    );
    expect(snippet).toBe(content.slice(0, fitting.at(-1)));
  });

  it('never cuts a grapheme', () => {
    const { citations } = tokenAwareAssembler(within(25))('q', [passage('👩‍👩‍👧'.repeat(20))]);
    const snippet = citations[0]?.snippet ?? '';
    expect(snippet.length).toBeGreaterThan(0);
    expect(snippet.length % '👩‍👩‍👧'.length).toBe(0);
  });

  it('is empty where not even the label and one grapheme fit', () => {
    expect(tokenAwareAssembler(within(3))('q', [passage('text')])).toEqual({ text: '', citations: [] });
  });

  it.each([
    ['one word', '网关超时先检查配置然后重启'.repeat(8000)],
    ['one letter', 'a'.repeat(1_000_000)],
    ['white space', `x${' '.repeat(1_000_000)}y`],
    ['emoji', '👩‍👩‍👧'.repeat(100_000)],
    ['brackets', '[S1]'.repeat(200_000)],
  ])('is kept in little time whatever the text is: %s', (_, content) => {
    const started = process.cpuUsage();
    const { text } = tokenAwareAssembler(within(2000))('q', [passage(content)]);
    expect(counters.o200k_base.count(text)).toBeLessThanOrEqual(2000);
    expect(counters.o200k_base.count(text)).toBeGreaterThan(1990);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000);
  });

  it('of a thousand hits costs no more than of a few', () => {
    const hits = Array.from({ length: 1000 }, (_, i) => passage(`passage ${i} of the runbook. `.repeat(8)));
    const started = process.cpuUsage();
    const { citations, text } = tokenAwareAssembler(within(200_000))('q', hits);
    expect(citations).toHaveLength(1000);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000);
    expect(counters.o200k_base.count(text)).toBeLessThanOrEqual(200_000);
  });
});

describe('an input by hand', () => {
  it('may have the names of the line’s items', () => {
    const hits = [
      { excerpt: 'text', title: 'Gateway', breadcrumb: 'Gateway > Steps', document_id: 'gw#chunk-1' },
    ];
    matches(tryAssemble({ hits }, counters), {
      text: '[S1] Gateway / Steps\ntext',
      citations: [{ evidence_key: 'gw#chunk-1', section_title: 'Steps' }],
    });
  });

  it.each([
    [{}, 'hits'],
    [{ hits: [{}] }, 'hits.0'],
    [{ hits: [], budget: { tokens: 1, encoding: 'x' } }, 'budget.encoding'],
    [{ hits: [], budget: { tokens: 0 } }, 'a budget of 0 tokens'],
  ])('%j is refused, and %s named', (input, field) => {
    expect(() => tryAssemble(input, counters)).toThrow(field);
  });
});
