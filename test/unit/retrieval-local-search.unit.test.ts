import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, test } from 'vitest';
import type { Hit } from '../../src/contracts/generated.js';
import type { JsonObject } from '../../src/contracts/json.js';
import type { KnowledgeQuery, SearchOutcome } from '../../src/retrieval/knowledge-search.js';
import { openLocalIndex } from '../../src/retrieval/local/local-index.js';
import type { LocalIndex } from '../../src/retrieval/local/local-index.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

const opened: LocalIndex[] = [];
afterEach(async () => {
  for (const index of opened.splice(0)) await index.close();
  removeTempFolders();
});

async function given(files: Record<string, string>): Promise<LocalIndex> {
  const base = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, 'docs', path)), { recursive: true });
    writeFileSync(join(base, 'docs', path), text);
  }
  const index = openLocalIndex(join(base, 'index.db'));
  opened.push(index);
  await index.indexFolder(join(base, 'docs'));
  return index;
}

function ask(index: LocalIndex, query: string, rest: Partial<KnowledgeQuery> = {}): Promise<SearchOutcome> {
  return index.search({ query, mode: 'hybrid', filters: {}, topK: 10, ...rest });
}

async function hits(index: LocalIndex, query: string, filters: JsonObject = {}): Promise<readonly Hit[]> {
  const outcome = await ask(index, query, { filters });
  if (outcome.kind !== 'hits') throw new Error(JSON.stringify(outcome));
  return outcome.hits;
}

async function trace(index: LocalIndex, query: string, filters: JsonObject = {}): Promise<JsonObject> {
  const outcome = await ask(index, query, { filters });
  if (outcome.kind !== 'hits') throw new Error(JSON.stringify(outcome));
  return outcome.trace;
}

const sources = (found: readonly Hit[]) => found.map((hit) => hit.source);

const runbooks = {
  'etcd/etcdNoLeader.md': '# etcdNoLeader\n\nThe cluster has no leader for more than a minute.\n',
  'etcd/etcdMembersDown.md': '# etcdMembersDown\n\nA member of the cluster is down.\n',
  'node/NodeClockSkew.md': '# NodeClockSkew\n\n## Meaning\n\nThe clock is skewed.\n',
  '网关/超时.md': '# 网关超时排查\n\n## 处理步骤\n\n网关超时先检查 upstream 配置，再看连接池。\n',
  '网关/限流.md': '# 限流\n\n请求太多时网关返回 429，检查限流配置。\n',
};

describe('the score', () => {
  it("is the share of the query's terms that a chunk contains, each by its idf", async () => {
    const index = await given({
      'a.txt': 'apple banana cherry',
      'b.txt': 'apple banana',
      'c.txt': 'apple',
      'd.txt': 'date',
    });
    const idf = (df: number) => Math.log(1 + (4 - df + 0.5) / (df + 0.5));
    const whole = idf(3) + idf(2) + idf(1);
    const found = await hits(index, 'apple banana cherry');
    expect(found.map((hit) => hit.source)).toEqual(['a.txt', 'b.txt'].slice(0, found.length));
    expect(found[0]?.score).toBe(1);
    const second = (idf(3) + idf(2)) / whole;
    expect(found[1]?.score ?? 0).toBeCloseTo(second >= 0.5 ? second : 0, 5);
  });

  it('counts a term that no chunk contains: it is missing', async () => {
    const index = await given({ 'a.txt': 'apple banana cherry', 'b.txt': 'date' });
    const [hit] = await hits(index, 'apple banana cherry unheard');
    const known = 3 * Math.log(1 + 1.5 / 1.5);
    expect(hit?.score).toBeCloseTo(known / (known + Math.log(1 + 2.5 / 0.5)), 5);
  });

  it('counts title and headings as a part of the chunk', async () => {
    const index = await given({ 'a.md': `# Flux capacitor\n\n## Repair\n\n${'Turn it. '.repeat(100)}\n` });
    expect((await hits(index, 'flux capacitor repair')).every((hit) => hit.score === 1)).toBe(true);
  });

  it('is never under 0.5 in a hit', async () => {
    const index = await given({ 'a.txt': 'apple', 'b.txt': 'pear' });
    expect(await hits(index, 'apple quince')).toEqual([]);
  });
});

describe('no evidence', () => {
  it('has no candidates where no chunk contains any term', async () => {
    const index = await given(runbooks);
    for (const query of ['sourdough', '', '???', '红烧肉'])
      expect(await trace(index, query)).toMatchObject({
        no_evidence_basis: 'no_candidates',
        recall_count: 0,
      });
  });

  it('is below the threshold where some do, but none enough', async () => {
    const index = await given(runbooks);
    expect(await trace(index, 'cluster sourdough recipe')).toMatchObject({
      no_evidence_basis: 'below_threshold',
      recall_count: 2,
      unknown_terms: ['sourdough', 'recipe'],
    });
  });

  it('has no candidates in an empty index', async () => {
    const base = tempFolder();
    const index = openLocalIndex(join(base, 'index.db'));
    opened.push(index);
    expect(await trace(index, 'anything')).toMatchObject({
      no_evidence_basis: 'no_candidates',
      index_complete: false,
    });
  });
});

describe('the trace', () => {
  it('says that it was lexical, and from which state of the index', async () => {
    const index = await given(runbooks);
    expect(await trace(index, 'etcd leader', { path: 'etcd/' })).toEqual({
      mode: 'lexical',
      filters: { path: 'etcd/' },
      recall_count: 2,
      rerank_model: 'local-coverage',
      no_evidence_basis: null,
      terms: ['etcd', 'leader'],
      unknown_terms: [],
      index_generation: 1,
      index_complete: true,
    });
  });
});

describe('finding', () => {
  it('finds an alert by its name, by the words in it, and by a sentence about it', async () => {
    const index = await given(runbooks);
    for (const query of ['etcdNoLeader', 'etcd no leader', 'etcd member has no leader', 'no leaders'])
      expect((await hits(index, query))[0]?.source).toBe('etcd/etcdNoLeader.md');
  });

  it('finds Chinese, also words that the segmenter does not know', async () => {
    const index = await given(runbooks);
    expect((await hits(index, '网关超时怎么排查'))[0]).toMatchObject({
      source: '网关/超时.md',
      breadcrumb: '网关超时排查',
      score: 1,
    });
    expect(sources(await hits(index, '连接池'))).toEqual(['网关/超时.md']);
    expect(sources(await hits(index, '429 限流'))).toEqual(['网关/限流.md']);
  });

  it('finds English words in another form', async () => {
    const index = await given(runbooks);
    expect(sources(await hits(index, 'clocks skewing'))).toEqual(['node/NodeClockSkew.md']);
  });

  it('puts the same terms in a heading before those in the text, and short before long', async () => {
    const filler = Object.fromEntries(
      Array.from({ length: 9 }, (_, n) => [`filler-${n}.md`, `# ${n}\n\nfiller`]),
    );
    const index = await given({
      ...filler,
      'long.md': `# Notes\n\nThe turbine stopped. ${'Something else happened then. '.repeat(20)}`,
      'short.md': '# Log\n\nThe turbine stopped.',
      'title.md': `# Turbine stopped\n\n${'Something else happened then. '.repeat(20)}`,
    });
    const found = sources(await hits(index, 'turbine stopped'));
    expect([...found].sort()).toEqual(['long.md', 'short.md', 'title.md']);
    expect(found.at(-1)).toBe('long.md');
  });

  it('orders chunks that are alike by their path', async () => {
    const text = 'the same text';
    const index = await given({ 'c.txt': text, 'a.txt': text, 'b.txt': text });
    expect(sources(await hits(index, 'same text'))).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });

  it('gives as many hits as are wanted, at least one and no more than the limit', async () => {
    const index = await given(
      Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`${n}.txt`, 'same words'])),
    );
    const count = async (topK: number) => {
      const outcome = await ask(index, 'same words', { topK });
      return outcome.kind === 'hits' ? outcome.hits.length : -1;
    };
    expect(await Promise.all([3, 0, -5, Number.NaN, 2.9, 1e9].map(count))).toEqual([3, 1, 1, 1, 2, 100]);
  });
});

describe('filters', () => {
  it.each([
    [{}, ['etcd/etcdMembersDown.md', 'etcd/etcdNoLeader.md']],
    [{ path: 'etcd/etcdNo' }, ['etcd/etcdNoLeader.md']],
    [{ path: './etcd/' }, ['etcd/etcdMembersDown.md', 'etcd/etcdNoLeader.md']],
    [{ path: '**/*Down.md' }, ['etcd/etcdMembersDown.md']],
    [{ path: ['node/', '*/*Leader.md'] }, ['etcd/etcdNoLeader.md']],
    [{ path: 'node/' }, []],
    [{ heading: 'ETCDNOLEADER' }, ['etcd/etcdNoLeader.md']],
    [{ heading: ['down', 'leader'], path: 'etcd/' }, ['etcd/etcdMembersDown.md', 'etcd/etcdNoLeader.md']],
    [{ heading: 'down', path: 'etcd/etcdNo' }, []],
  ])('%j', async (filters, expected) => {
    const index = await given(runbooks);
    expect([...sources(await hits(index, 'cluster', filters))].sort()).toEqual(expected);
    if (expected.length === 0)
      expect(await trace(index, 'cluster', filters)).toMatchObject({ no_evidence_basis: 'no_candidates' });
  });

  it.each([
    ['an unknown one', { category: 'gateway' }],
    ['an unknown one beside a known one', { path: 'etcd/', author: 'me' }],
    ['a number', { path: 7 }],
    ['null', { path: null }],
    ['an empty list', { heading: [] }],
    ['a list of other things', { path: ['etcd/', {}] }],
    ['a list that is too long', { path: Array.from({ length: 33 }, () => 'x') }],
    ['a value that is too long', { path: 'x'.repeat(513) }],
    ['the name of the prototype', JSON.parse('{"__proto__": "x"}') as JsonObject],
  ])('that are not understood are refused, not left out: %s', async (_, filters) => {
    const index = await given(runbooks);
    expect(await ask(index, 'cluster', { filters })).toMatchObject({
      kind: 'failed',
      failure: { code: 'PL_RETRIEVAL_REFUSED', retryable: false },
    });
  });
});

test('whatever the query, the answer is a value, and its scores lie between 0.5 and 1 and fall', async () => {
  const index = await given(runbooks);
  const words = fc.constantFrom(
    'etcd',
    'no',
    'leader',
    'etcdNoLeader',
    '网关',
    '超时',
    '猫',
    '"',
    '*',
    'OR',
    'NEAR(',
    '\0',
  );
  const queries = fc.oneof(
    fc.array(words, { maxLength: 12 }).map((list) => list.join(' ')),
    fc.string({ unit: 'binary', maxLength: 80 }),
  );
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      const scores = (await hits(index, query)).map((hit) => hit.score ?? 0);
      expect(scores.every((score) => score >= 0.5 && score <= 1)).toBe(true);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
    }),
    { numRuns: 300 },
  );
});

describe('the labelled questions', () => {
  it.each(['runbooks', 'ai4j-zh'])(
    'are twenty that the folder answers and twenty that it does not: %s',
    (name) => {
      const lines = readFileSync(new URL(`../data/questions/${name}.jsonl`, import.meta.url), 'utf8')
        .trim()
        .split('\n');
      const questions = lines.map(
        (line) => JSON.parse(line) as { question: string; answerable: boolean; expected?: string[] },
      );
      expect(new Set(questions.map((question) => question.question)).size).toBe(40);
      expect(questions.filter((question) => question.answerable)).toHaveLength(20);
      for (const { answerable, expected } of questions) expect((expected ?? []).length > 0).toBe(answerable);
    },
  );
});
