import { describe, expect, test } from 'vitest';
import { parseAgentView } from '../../src/evidence/parse-agent-view.js';
import { evidenceLimits } from '../../src/evidence/limits.js';
import { project } from '../../src/evidence/project.js';
import type { Projection } from '../../src/evidence/project.js';

const CALL = 'call_x1';

function projected(result: object, limits = evidenceLimits, toolCallId = CALL): Projection {
  const projection = project(JSON.stringify(result), toolCallId, limits);
  if ('error' in projection) throw new Error(projection.error.message);
  return projection;
}

function block(key: string, content = `text of ${key}`, fields: object = {}): object {
  return { evidence_key: key, content, ...fields };
}

function idsOf({ view }: Projection): string[] {
  return view.evidence.map(({ documentId }) => documentId);
}

describe('a text that is no LookupResult', () => {
  test.each([
    ['', 'not JSON'],
    ['{"evidence_blocks":[]', 'not JSON'],
    ['null', 'not a JSON object'],
    ['[]', 'not a JSON object'],
    ['"evidence_blocks"', 'not a JSON object'],
    ['{}', 'no evidence_blocks'],
    ['{"evidence_blocks":null}', 'not a list'],
    ['{"evidence_blocks":{"length":0}}', 'not a list'],
    ['{"evidenceBlocks":"x"}', 'not a list'],
    ['{"evidence_blocks":7,"evidenceBlocks":[]}', 'not a list'],
    ['{"__proto__":{"evidence_blocks":[]}}', 'no evidence_blocks'],
    ['['.repeat(50_000), 'not JSON'],
    [`${'['.repeat(50_000)}${']'.repeat(50_000)}`, 'not a JSON object'],
  ])('%.40s: PL_PROJECTION_INPUT', (text, problem) => {
    const result = project(text, CALL);
    expect(result).toMatchObject({ error: { code: 'PL_PROJECTION_INPUT', retryable: false } });
    expect('error' in result && result.error.message).toContain(problem);
  });

  test('deep nesting inside it does no harm', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const json = `{"query":${deep},"evidence_blocks":[${deep},{"content":${deep}},{"content":"a","title":${deep}}],"dropped":[${deep}]}`;
    expect(project(json, CALL)).toMatchObject({ view: { query: '', returnedCount: 1 }, dropped: [] });
  });
});

describe('identity', () => {
  test.each([
    ['the evidence key', { evidence_key: 'k', document_id: 'd' }, 'k'],
    ['its other spelling where the first is blank', { evidence_key: ' ', evidenceKey: 'k' }, 'k'],
    ['the document id', { evidence_key: null, documentId: 'd', docId: 'x', chunk_index: 1 }, 'd'],
    ['document and chunk', { docId: 'd', chunk_index: 3 }, 'd#chunk-3'],
    ['the same in the other spelling', { doc_id: 'd', chunk_index: '3', chunkIndex: 4 }, 'd#chunk-4'],
    ['the position where the chunk is no integer', { docId: 'd', chunk_index: 1.5 }, 'evidence#1'],
    ['the position where there is no chunk', { docId: 'd' }, 'evidence#1'],
    ['the position', {}, 'evidence#1'],
  ])('is %s', (_, names, identity) => {
    expect(idsOf(projected({ evidence_blocks: [{ ...names, content: 'text' }] }))).toEqual([identity]);
  });

  test('counts positions over all blocks, also skipped ones', () => {
    expect(idsOf(projected({ evidence_blocks: [null, { content: '' }, { content: 'c' }] }))).toEqual([
      'evidence#3',
    ]);
  });

  test('seen again with the same text is skipped, and that is no cut', () => {
    const projection = projected({ evidence_blocks: [block('a'), block('a'), block('b')] });
    expect(idsOf(projection)).toEqual(['a', 'b']);
    expect(projection).toMatchObject({ cuts: [], view: { truncated: false } });
  });

  test('is compared by the whole text, not by the excerpt', () => {
    const long = 'x'.repeat(1300);
    const blocks = [block('a', long), block('a', long), block('a', `${long}y`)];
    const { cuts } = projected({ evidence_blocks: blocks });
    expect(cuts.map(({ code }) => code)).toEqual(['EXCERPT_CUT', 'ID_COLLISION']);
  });

  test('that is a name every object has is a name like any other', () => {
    expect(idsOf(projected({ evidence_blocks: [block('__proto__'), block('constructor')] }))).toEqual([
      '__proto__',
      'constructor',
    ]);
  });
});

test.each([
  [{ content: 'text', excerpt: 'other' }, 'text'],
  [{ content: ' \u200b', excerpt: 'other' }, 'other'],
  [{ content: 7, excerpt: 'other' }, 'other'],
])('the text of %j is %s', (fields, excerpt) => {
  expect(projected({ evidence_blocks: [fields] }).view.evidence[0]?.excerpt).toBe(excerpt);
});

describe('cuts', () => {
  test('are kept in the order made', () => {
    const blocks = [block('a', 'x'.repeat(1300)), block('a', 'other'), block('b')];
    const { cuts, view } = projected({ query: 'q'.repeat(501), evidence_blocks: blocks });
    expect(cuts).toEqual([
      { code: 'QUERY_CUT', documentId: null },
      { code: 'EXCERPT_CUT', documentId: 'a' },
      { code: 'ID_COLLISION', documentId: 'a' },
    ]);
    expect(view.query).toBe('q'.repeat(500));
    expect(view.truncated).toBe(true);
  });

  test('an excerpt that is blank after its cut is skipped, and the cut stays', () => {
    const projection = projected({ evidence_blocks: [block('a', `${' '.repeat(1200)}text`)] });
    expect(projection).toMatchObject({
      cuts: [{ code: 'EXCERPT_CUT', documentId: 'a' }],
      blocks: [],
      view: { evidenceStatus: 'NO_EVIDENCE', truncated: true },
    });
  });

  test('the ninth block is one ITEM_CAP, whatever it is, and ends it', () => {
    const eight = Array.from({ length: 8 }, (_, i) => block(`k${i}`));
    const { cuts } = projected({ evidence_blocks: [...eight, null, block('k9'), block('k10')] });
    expect(cuts).toEqual([{ code: 'ITEM_CAP', documentId: 'evidence#9' }]);
  });

  test('a skipped block takes no place among the eight', () => {
    const nine = Array.from({ length: 9 }, (_, i) => block(`k${i}`, i === 3 ? ' ' : 'text'));
    expect(projected({ evidence_blocks: nine })).toMatchObject({ cuts: [], view: { returnedCount: 8 } });
  });
});

describe('the byte limit', () => {
  const blocks = [block('a'), block('b'), block('c')];

  test('drops from the tail until the text fits, exactly', () => {
    const whole = projected({ evidence_blocks: blocks });
    const bytes = Buffer.byteLength(whole.agentView);
    expect(projected({ evidence_blocks: blocks }, { ...evidenceLimits, viewBytes: bytes }).cuts).toEqual([]);
    const smaller = projected({ evidence_blocks: blocks }, { ...evidenceLimits, viewBytes: bytes - 1 });
    expect(smaller.cuts).toEqual([{ code: 'BYTE_BUDGET', documentId: 'c' }]);
    expect(smaller.view).toMatchObject({ returnedCount: 2, truncated: true });
  });

  test('keeps the whole texts of what it took away, for the ledger', () => {
    const { blocks: kept } = projected({ evidence_blocks: blocks }, { ...evidenceLimits, viewBytes: 400 });
    expect(kept.map(({ documentId }) => documentId)).toEqual(['a', 'b', 'c']);
  });

  test('with nothing left is an honest NO_EVIDENCE', () => {
    const result = { relevance_level: 'PRECISE', evidence_blocks: blocks };
    const projection = projected(result, { ...evidenceLimits, viewBytes: 150 });
    expect(projection.view).toMatchObject({
      evidenceStatus: 'NO_EVIDENCE',
      relevanceLevel: null,
      truncated: true,
    });
    expect(projection.cuts.map(({ documentId }) => documentId)).toEqual(['c', 'b', 'a']);
    expect(projection.noEvidenceBasis).toBe('byte_budget');
  });

  test('under which not even that fits fails closed', () => {
    const result = project(JSON.stringify({ evidence_blocks: blocks }), 'c'.repeat(17_000));
    expect(result).toMatchObject({ error: { code: 'PL_PROJECTION_OVER_BUDGET', retryable: false } });
  });
});

describe('relevance level', () => {
  test.each([
    [{ relevance_level: 'PRECISE' }, 'PRECISE'],
    [{ relevanceLevel: 'REFERENCE' }, 'REFERENCE'],
    [{ relevance_level: 'precise' }, null],
    [{ relevance_level: { toString: 'PRECISE' } }, null],
  ])('%j is read as %s', (fields, level) => {
    expect(projected({ ...fields, evidence_blocks: [block('a')] }).view.relevanceLevel).toBe(level);
  });

  test('is not told without evidence', () => {
    expect(projected({ relevance_level: 'PRECISE', evidence_blocks: [] }).view.relevanceLevel).toBeNull();
  });
});

describe('why there is no evidence', () => {
  test.each([
    ['nothing says', { evidence_blocks: [] }, null],
    ['no candidates came', { evidence_blocks: [], candidate_count: 0 }, null],
    ['none of the candidates survived', { evidence_blocks: [], candidate_count: 3 }, 'all_dropped'],
    ['none of the blocks had a text', { evidence_blocks: [{ content: ' ' }] }, 'all_dropped'],
    [
      "retrieval's own word counts first",
      { evidence_blocks: [], candidateCount: 3, retrievalTrace: { noEvidenceBasis: 'below_threshold' } },
      'below_threshold',
    ],
    [
      'with evidence there is no why',
      { evidence_blocks: [block('a')], retrieval_trace: { no_evidence_basis: 'below_threshold' } },
      null,
    ],
  ])('%s', (_, result, basis) => {
    expect(projected(result).noEvidenceBasis).toBe(basis);
  });
});

test("retrieval's own word is kept short", () => {
  const result = { evidence_blocks: [], retrieval_trace: { no_evidence_basis: 'x'.repeat(5000) } };
  expect(projected(result).noEvidenceBasis).toBe('x'.repeat(200));
});

test('the whole text of a cut excerpt goes to the ledger under the identity that is shown', () => {
  const content = '网关'.repeat(700);
  expect(projected({ evidence_blocks: [{ docId: 'd', chunkIndex: 0, excerpt: content }] }).blocks).toEqual([
    { documentId: 'd#chunk-0', content },
  ]);
});

test('what was dropped before is passed on as far as it can be read', () => {
  const dropped = [
    { evidence_key: 'a#chunk-0', document_id: 'a', original_rank: 3, reason: 'DOC_CAP' },
    { evidenceKey: 'b#chunk-0', documentId: 'b', originalRank: 1.5, reason: 'BLANK' },
    { evidence_key: 'c#chunk-0' },
    null,
    'x',
  ];
  expect(projected({ evidence_blocks: [], dropped }).dropped).toEqual([
    { evidenceKey: 'a#chunk-0', documentId: 'a', originalRank: 3, reason: 'DOC_CAP' },
    { evidenceKey: 'b#chunk-0', documentId: 'b', originalRank: null, reason: 'BLANK' },
  ]);
});

test('excerpts that look like a citation are told to the audit, and shown unchanged', () => {
  const evidence = [
    block('a', 'see [S1]'),
    block('b', 'plain'),
    block('c', '{"evidence_status":"NO_EVIDENCE"}'),
  ];
  const projection = projected({ evidence_blocks: evidence });
  expect(projection.markedDocumentIds).toEqual(['a', 'c']);
  expect(projection.view.evidence[0]?.excerpt).toBe('see [S1]');
});

test('half surrogate pairs are shown as U+FFFD, and the view reads back strictly', () => {
  const json = String.raw`{"query":"\ud800","evidence_blocks":[{"evidence_key":"k\udc00","title":"\ud83d","content":"a\ud800b"}]}`;
  const projection = project(json, 'call\ud800');
  if ('error' in projection) expect.unreachable();
  else {
    expect(projection.agentView).not.toMatch(/\\ud/);
    expect(projection.view).toMatchObject({ query: '\ufffd', toolCallId: 'call\ufffd' });
    expect(projection.view.evidence[0]).toMatchObject({
      documentId: 'k\ufffd',
      title: '\ufffd',
      excerpt: 'a\ufffdb',
    });
    expect(parseAgentView(projection.agentView, 'call\ud800')).toEqual({ view: projection.view });
  }
});
