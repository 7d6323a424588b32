import { describe, expect, it } from 'vitest';
import { loadCounters } from '../../src/cli/try/assemble.js';
import { contextAssembler, tokenAwareAssembler, type ContextAssembler } from '../../src/context/assemble.js';
import { contextAssembled } from '../../src/context/context-assembled.js';
import { customForm } from '../../src/context/context-form.js';
import { assembleRunContext, type RunContext } from '../../src/context/run-context.js';
import { readyViews, type LedgerText } from '../../src/context/run-views.js';
import { searchContext, type Retrieved } from '../../src/context/search.js';
import { budgetOf, type TokenBudget } from '../../src/context/token-budget.js';
import { createCodec } from '../../src/contracts/codec.js';
import { sha256 } from '../../src/contracts/digest.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import { hitOf } from '../support/evidence.js';

/** A READY entry that shows these excerpts, by document_id. */
function shown(toolCallId: string, excerpts: Readonly<Record<string, string>>): LedgerText {
  const evidence = Object.entries(excerpts).map(([documentId, excerpt]) => ({
    documentId,
    source: `${documentId}.md`,
    title: 'Gateway',
    breadcrumb: 'Gateway > Steps',
    excerpt,
  }));
  const agentView = writeAgentView({
    evidenceStatus: evidence.length > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    toolCallId,
    query: 'q',
    evidence,
    returnedCount: evidence.length,
    relevanceLevel: evidence.length > 0 ? 'PRECISE' : null,
    truncated: false,
  });
  return { runId: 'r1', toolCallId, state: 'READY', agentView };
}

const first = shown('c1', { 'gw#chunk-0': 'Check the upstream.', 'gw#chunk-1': 'Then restart.' });
const second = shown('c2', { 'gw#chunk-1': 'Then restart.', 'db#chunk-0': '连接池已满。' });
const entries = [second, first];

function contextOf(
  calls: readonly string[],
  {
    assembler = contextAssembler(),
    budget = null,
  }: { assembler?: ContextAssembler; budget?: TokenBudget | null } = {},
): RunContext {
  const views = readyViews('r1', calls, entries);
  return assembleRunContext({ runId: 'r1', query: 'why?', views, assembler, budget }, sha256);
}

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(isProoflineError(error, 'PL_CONTEXT_REFUSED')).toBe(true);
    return (error as Error).message;
  }
  return expect.unreachable();
}

describe('a context inside a run', () => {
  it('holds the items of the views in the order of the calls, each under the lookup that showed it', () => {
    const { text, citations, itemCount } = contextOf(['c1', 'c2', 'c1']);
    expect(itemCount).toBe(4);
    expect(
      citations.map(({ citationId, toolCallId, documentId }) => [citationId, toolCallId, documentId]),
    ).toEqual([
      ['S1', 'c1', 'gw#chunk-0'],
      ['S2', 'c1', 'gw#chunk-1'],
      ['S3', 'c2', 'gw#chunk-1'],
      ['S4', 'c2', 'db#chunk-0'],
    ]);
    for (const { start, end, snippet } of citations) expect(text.slice(start, end)).toBe(snippet);
  });

  it('has an id that tells it from every other one', () => {
    const id = contextOf(['c1']).contextId;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(contextOf(['c1']).contextId).toBe(id);
    expect(contextOf(['c2']).contextId).not.toBe(id);
    expect(contextOf(['c1'], { assembler: contextAssembler({ delimiter: '\n' }) }).contextId).not.toBe(id);
  });

  it('is empty of a lookup that found nothing', () => {
    const views = readyViews('r1', ['c3'], [shown('c3', {})]);
    const context = assembleRunContext(
      { runId: 'r1', query: 'why?', views, assembler: contextAssembler(), budget: null },
      sha256,
    );
    expect(context).toMatchObject({ text: '', citations: [], itemCount: 0 });
    expect(contextAssembled(context, customForm, { startedAt: 1, finishedAt: 2 }, sha256).outcome).toBe(
      'EMPTY',
    );
  });

  it.each<[string, readonly string[], LedgerText | null, RegExp]>([
    ['no lookup', [], null, /no lookup is named/],
    ['a lookup that the run does not have', ['c9'], null, /no lookup "c9"/],
    [
      'one that waits',
      ['c9'],
      { ...first, toolCallId: 'c9', state: 'PENDING', agentView: null },
      /"c9" is PENDING/,
    ],
    [
      'one that failed',
      ['c9'],
      { ...first, toolCallId: 'c9', state: 'FAILED', agentView: null },
      /"c9" is FAILED/,
    ],
    ['one of another run', ['c9'], { ...shown('c9', {}), runId: 'r2' }, /no lookup "c9"/],
    ['a view of another lookup', ['c9'], { ...first, toolCallId: 'c9' }, /the view of "c9" is broken/],
    ['two entries of one', ['c1'], first, /two entries of "c1"/],
  ])('is refused over %s', (_, calls, more, message) => {
    const all = more === null ? entries : [...entries, more];
    expect(refusalOf(() => readyViews('r1', calls, all))).toMatch(message);
  });

  it.each<[string, ContextAssembler]>([
    [
      'invents a passage',
      () => ({ text: 'invented', citations: [citation('S1', 'gw#chunk-0', 'invented', 0)] }),
    ],
    [
      'names another identity',
      () => ({ text: 'Then restart.', citations: [citation('S1', 'gw#chunk-0', 'Then restart.', 0)] }),
    ],
    [
      'tells a wrong place',
      () => ({ text: ' Then restart.', citations: [citation('S1', 'gw#chunk-1', 'Then restart.', 0)] }),
    ],
    [
      'turns the order round',
      () => ({
        text: 'Then restart.Check the upstream.',
        citations: [
          citation('S1', 'gw#chunk-1', 'Then restart.', 0),
          citation('S2', 'gw#chunk-0', 'Check the upstream.', 13),
        ],
      }),
    ],
    [
      'gives one id twice',
      () => ({
        text: 'Check the upstream.Then restart.',
        citations: [
          citation('S1', 'gw#chunk-0', 'Check the upstream.', 0),
          citation('S1', 'gw#chunk-1', 'Then restart.', 19),
        ],
      }),
    ],
    ['writes half a character', () => ({ text: '\ud800', citations: [] })],
  ])('is refused where the assembler %s', (_, assembler) => {
    refusalOf(() => contextOf(['c1'], { assembler }));
  });

  it('is refused where the text is over the budget that is recorded', async () => {
    const { o200k_base: counter } = await loadCounters();
    const budget = budgetOf(3, counter);
    expect(refusalOf(() => contextOf(['c1'], { budget }))).toMatch(/more than 3 tokens/);
    expect(contextOf(['c1'], { budget, assembler: tokenAwareAssembler(budget) }).text).toBe('');
  });
});

function citation(citationId: string, evidenceKey: string, snippet: string, start: number) {
  const nothing = {
    sourceName: null,
    sourcePath: null,
    sourceUri: null,
    pageNumber: null,
    sectionTitle: null,
  };
  return { citationId, evidenceKey, snippet, start, end: start + snippet.length, ...nothing };
}

describe('the record of a context', () => {
  it('has the digest, the budget and every place, and no text', async () => {
    const { o200k_base: counter } = await loadCounters();
    const budget = budgetOf(100, counter);
    const context = contextOf(['c2'], { budget, assembler: tokenAwareAssembler(budget) });
    const record = contextAssembled(context, customForm, { startedAt: 5, finishedAt: 6 }, sha256);
    expect(record).toMatchObject({
      kind: 'CONTEXT_ASSEMBLED',
      outcome: 'ASSEMBLED',
      runId: 'r1',
      countIn: 2,
      countOut: 2,
    });
    expect(JSON.parse(record.factsJson)).toEqual({
      context_id: context.contextId,
      text_sha256: sha256(context.text),
      budget: 100,
      encoding: 'o200k_base',
      tool_call_ids: ['c2'],
      strategy: 'custom',
      citations: context.citations.map(({ citationId, toolCallId, documentId, start, end }) => ({
        citation_id: citationId,
        tool_call_id: toolCallId,
        document_id: documentId,
        start,
        end,
      })),
    });
    expect(JSON.stringify(record)).not.toContain('Then restart');
    const codec = createCodec();
    expect(codec.decode('tool-invocation.v1', codec.encode('tool-invocation.v1', record))).toEqual(record);
  });

  it('is the same event whenever the same context is made', () => {
    const ids = [5, 7].map(
      (startedAt) =>
        contextAssembled(contextOf(['c1']), customForm, { startedAt, finishedAt: 9 }, sha256).eventId,
    );
    expect(ids[0]).toBe(ids[1]);
    expect(
      contextAssembled(contextOf(['c2']), customForm, { startedAt: 5, finishedAt: 9 }, sha256).eventId,
    ).not.toBe(ids[0]);
  });
});

describe('a search outside a run', () => {
  const query = { query: 'why?', mode: 'hybrid', filters: {}, topK: 10 };
  const hits = [
    hitOf({ evidenceKey: 'a#chunk-0', documentId: 'a', originalRank: 2, content: 'second' }),
    hitOf({ evidenceKey: 'b#chunk-0', documentId: 'b', originalRank: 1, content: 'first' }),
    hitOf({ evidenceKey: 'a#chunk-0', documentId: 'a', originalRank: 3, content: 'second' }),
    hitOf({ evidenceKey: 'c#chunk-0', documentId: 'c', originalRank: 4, content: ' ' }),
  ];
  const ports = (retrieved: Retrieved) => ({ search: () => Promise.resolve(retrieved) });
  const found: Retrieved = { kind: 'hits', hits, trace: { recall_count: 4 } };

  it('answers with the governed hits, the context and its citations', async () => {
    const result = await searchContext(query, ports(found));
    expect(result.query).toBe('why?');
    expect(result.hits.map(({ content }) => content)).toEqual(['first', 'second']);
    expect(result.context).toBe('[S1] Gateway / Steps\nfirst\n\n[S2] Gateway / Steps\nsecond');
    expect(result.citations.map(({ evidenceKey }) => evidenceKey)).toEqual(['b#chunk-0', 'a#chunk-0']);
    expect(result).not.toHaveProperty('trace');
  });

  it('traces every hit, where it is asked to', async () => {
    let clock = 0;
    const { trace } = await searchContext(
      query,
      { ...ports(found), now: () => (clock += 5) },
      { includeTrace: true },
    );
    expect(trace?.retrievedHits).toEqual(hits);
    expect(
      trace?.rerankedHits.map(({ originalRank, finalRank, dropped }) => [originalRank, finalRank, dropped]),
    ).toEqual([
      [1, 1, null],
      [2, 2, null],
      [3, null, 'DUPLICATE'],
      [4, null, 'BLANK'],
    ]);
    expect(trace?.durations).toEqual({ retrieve: 5, postprocess: 5, assemble: 5, total: 15 });
  });

  it('of nothing is an empty context', async () => {
    const result = await searchContext(query, ports({ kind: 'hits', hits: [], trace: {} }));
    expect(result).toMatchObject({ hits: [], context: '', citations: [] });
  });

  it('tells a retriever that is down from a lookup that failed', async () => {
    const failure = { code: 'PL_RETRIEVAL_CONTRACT', message: 'no hits', retryable: false };
    const down = searchContext(query, ports({ kind: 'down', problem: 'refused' }));
    await expect(down).rejects.toMatchObject({ code: 'PL_RETRIEVAL_DOWN' });
    const failed = searchContext(query, ports({ kind: 'failed', failure }));
    await expect(failed).rejects.toMatchObject({ code: 'PL_RETRIEVAL_FAILED' });
  });
});
