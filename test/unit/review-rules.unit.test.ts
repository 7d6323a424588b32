import { describe, expect, test } from 'vitest';
import type { Analysis, LookupSnapshot } from '../../src/contracts/generated.js';
import { createPassageCache } from '../../src/review/rules/passage.js';
import { reviewDraft } from '../../src/review/rules/review.js';
import { analysis, draftOf, item, lookup, statement } from '../support/review-rules.js';

const EN =
  'Gateway timeouts may be caused by an exhausted connection pool. The pool holds 1,500 connections.';
const ZH = '网关超时可能由连接池耗尽引起。连接池上限为 1500 个连接。';

/** The status and the findings' codes and places of a draft with this one analysis and no conclusion. */
function review(text: string, excerpts: readonly string[], other: Partial<Analysis> = {}) {
  return outcome(reviewDraft({ draft: draftOf([analysis(text, other)]), lookups: [lookup(excerpts)] }));
}

function outcome({ status, findings }: ReturnType<typeof reviewDraft>) {
  return [
    status,
    ...findings.map(({ path, status, reason }) => `${path} ${status} ${reason.split(':')[0] ?? ''}`),
  ];
}

describe('numbers', () => {
  test.each([
    ['the gateway connection pool holds 1500 connections', EN],
    ['网关的连接池上限为 1,500 个连接', ZH],
    ['网关的连接池上限为一千五百个连接', ZH],
  ])('given the number in another form, when written as in %j, then it is supported', (text, excerpt) => {
    expect(review(text, [excerpt])).toEqual(['ABSTAINED']);
  });

  test.each([
    ['the gateway connection pool holds 1600 connections', EN],
    ['网关的连接池上限为 1600 个连接', ZH],
    ['the gateway connection pool holds 15.5 connections', EN],
    ['the gateway connection pool timeout is 1500 ms', EN],
  ])(
    'given a number that no evidence has, when the draft says %j, then it is unsupported',
    (text, excerpt) => {
      expect(review(text, [excerpt])).toEqual([
        'UNSUPPORTED',
        '/analysis/0/text UNSUPPORTED NUMBER_NOT_SHOWN',
      ]);
    },
  );

  test('the finding points at the number, and at the closest one in the evidence', () => {
    const text = 'the gateway connection pool holds 1600 connections';
    const { findings } = reviewDraft({
      draft: draftOf([analysis(text)]),
      lookups: [lookup([`20 of ${EN}`])],
    });
    const [finding] = findings;
    expect(text.slice(finding?.draftSpan?.start, finding?.draftSpan?.end)).toBe('1600');
    expect(finding?.evidenceSpans).toEqual([
      {
        toolCallId: 'c1',
        documentId: 'gw#chunk-0',
        start: EN.indexOf('1,500') + 6,
        end: EN.indexOf('1,500') + 11,
      },
    ]);
    expect(finding?.reason).toBe('NUMBER_NOT_SHOWN: "1600" is in no evidence; the closest there is "1,500"');
    expect(finding?.decidedBy).toBe('RULES');
  });

  test.each([
    ['the gateway connection pool is exhausted after 42 timeouts and 7 more', EN],
    ['网关连接池耗尽，共 42 次超时', ZH],
    ['the gateway connection pool is 50% exhausted', EN.replace('1,500', '50')],
  ])(
    'given a small number that no evidence has, when the draft says %j, then it only warns',
    (text, excerpt) => {
      expect(review(text, [excerpt])).toEqual(['ABSTAINED', '/analysis/0/text SUPPORTED WARN_SMALL_NUMBER']);
    },
  );

  test('a question, a title and a breadcrumb show their numbers too', () => {
    const shown = lookup([], {
      query: 'gateway port 8443',
      items: [item(EN, { title: 'error 504', breadcrumb: 'pool 3306' })],
    });
    const draft = draftOf([analysis('gateway connection pool 8443 and 504 and 3306')]);
    expect(reviewDraft({ draft, lookups: [shown] }).status).toBe('ABSTAINED');
  });

  test('coordinates and ids in a text are no numbers', () => {
    expect(review('see gw-2024.md#chunk-1234: the gateway connection pool of node-p99', [EN])).toEqual([
      'ABSTAINED',
    ]);
  });

  test('only the cited lookups count', () => {
    const other = lookup(['the gateway pool holds 7777 connections'], { toolCallId: 'c2' });
    const draft = draftOf([analysis('the gateway connection pool holds 7777 connections')]);
    expect(reviewDraft({ draft, lookups: [lookup([EN]), other] }).status).toBe('UNSUPPORTED');
  });
});

describe('words', () => {
  test.each([
    ['The disk was full and the broker refused messages from every producer', EN],
    ['磁盘空间不足，消息队列拒绝写入新的消息', ZH],
  ])('given another matter, when the draft says %j, then it is unsupported', (text, excerpt) => {
    expect(review(text, [excerpt])).toEqual(['UNSUPPORTED', '/analysis/0/text UNSUPPORTED WORDS_NOT_SHOWN']);
  });

  test('exactly the least share is enough', () => {
    const spice = ['saffron', 'ginger', 'cumin', 'nutmeg', 'clove', 'anise', 'mint'];
    expect(review(['gateway', 'timeout', 'pool', ...spice].join(' '), [EN])).toEqual(['ABSTAINED']);
    expect(review(['gateway', 'timeout', ...spice].join(' '), [EN])[0]).toBe('UNSUPPORTED');
  });

  test.each([
    ['It is so', EN],
    ['the gateway pool', EN],
    ['网关池', ZH],
    ['', EN],
  ])(
    'given fewer than three content words, when the draft says %j, then it is not evaluated',
    (text, excerpt) => {
      expect(review(text, [excerpt])).toEqual([
        'NOT_EVALUATED',
        '/analysis/0/text NOT_EVALUATED TOO_FEW_WORDS',
      ]);
    },
  );

  test.each([
    [
      'Gateway timeouts come from an exhausted connection pool behind the upstream',
      '网关超时先检查 upstream 配置。',
    ],
    ['网关超时来自连接池耗尽，应检查 upstream 配置', EN],
  ])(
    'given evidence in another script, when the draft says %j, then it is not evaluated',
    (text, excerpt) => {
      expect(review(text, [excerpt])).toEqual([
        'NOT_EVALUATED',
        '/analysis/0/text NOT_EVALUATED NO_COMMON_SCRIPT',
      ]);
    },
  );
});

describe('certainty', () => {
  test.each([
    ['The logs prove that the connection pool of the gateway is exhausted', EN],
    ['日志证明网关连接池耗尽', ZH],
    ['Gateway timeouts are caused by an exhausted connection pool', EN.split('. ')[0] ?? ''],
    ['网关超时的根因是连接池耗尽', ZH.split('。')[0] ?? ''],
  ])('given evidence that says "may", when the draft says %j, then it is overstated', (text, excerpt) => {
    expect(review(text, [excerpt])).toEqual(['OVERSTATED', '/analysis/0/text OVERSTATED CERTAINTY_RAISED']);
  });

  test('the finding points at both words', () => {
    const text = 'The logs prove that the connection pool of the gateway is exhausted';
    const excerpt = 'Gateway timeouts may come from the connection pool.';
    const { findings } = reviewDraft({ draft: draftOf([analysis(text)]), lookups: [lookup([excerpt])] });
    const at = excerpt.indexOf('may');
    expect(findings[0]?.draftSpan).toEqual({ start: text.indexOf('prove'), end: text.indexOf('prove') + 5 });
    expect(findings[0]?.evidenceSpans).toEqual([
      { toolCallId: 'c1', documentId: 'gw#chunk-0', start: at, end: at + 3 },
    ]);
    expect(findings[0]?.reason).toBe('CERTAINTY_RAISED: "prove" where the evidence says only "may"');
  });

  test.each([
    ['Gateway timeouts may be caused by the connection pool', EN],
    ['The connection pool of the gateway possibly is exhausted', EN],
    ['The runbook does not prove that the gateway connection pool is exhausted', EN],
    ['网关超时可能由连接池耗尽引起', ZH],
    ['网关超时不一定由连接池耗尽引起', ZH],
    ['The gateway pool shows 1500 connections', EN],
  ])('given evidence as sure, when the draft says %j, then it is supported', (text, excerpt) => {
    expect(review(text, [excerpt])).toEqual(['ABSTAINED']);
  });

  test('one passage that is sure is enough', () => {
    const sure = 'It was proven that the gateway connection pool is exhausted.';
    expect(review('The logs prove that the gateway connection pool is exhausted', [EN, sure])).toEqual([
      'ABSTAINED',
    ]);
  });
});

describe('absolutes', () => {
  test.each([
    ['Gateway timeouts only come from the connection pool', EN],
    ['All gateway timeouts come from the connection pool', EN],
    ['Gateway timeouts always come from the connection pool', EN],
    ['The gateway connection pool never recovers', EN],
    ['网关超时必然由连接池耗尽引起', ZH],
    ['连接池耗尽是网关超时的唯一原因', ZH],
    ['网关超时一定由连接池耗尽引起', ZH],
    ['网关超时的根因就是连接池耗尽', ZH],
  ])('given evidence without it, when the draft says %j, then it is overstated', (text, excerpt) => {
    expect(review(text, [excerpt])).toEqual(['OVERSTATED', '/analysis/0/text OVERSTATED ABSOLUTE_NOT_SHOWN']);
  });

  test.each([
    [
      'Only the connection pool causes gateway timeouts',
      'Gateway timeouts only come from the connection pool.',
    ],
    ['连接池耗尽是网关超时的唯一原因', '唯一原因是网关连接池耗尽。'],
    ['网关超时不一定由连接池耗尽引起', ZH],
    ['Not all gateway timeouts come from the read-only connection pool', EN],
  ])(
    'given evidence that says so, or a negation, when the draft says %j, then it is supported',
    (text, excerpt) => {
      expect(review(text, [excerpt])).toEqual(['ABSTAINED']);
    },
  );

  test('a word of the other language stands for it', () => {
    const shown = lookup(['gateway timeout connection pool 网关超时连接池耗尽的唯一原因。']);
    const draft = draftOf([analysis('Only the gateway connection pool timeout')]);
    expect(outcome(reviewDraft({ draft, lookups: [shown] }))[1] ?? '').not.toContain('ABSOLUTE');
  });

  test.each([
    [
      'Gateway timeouts only come from the connection pool',
      'Gateway timeouts only come from the connection pool.',
    ],
    [
      'This proves that gateway timeouts come from the pool',
      'It is proven that gateway timeouts come from the pool.',
    ],
    ['连接池耗尽是网关超时的唯一原因', '唯一原因是网关连接池耗尽。'],
  ])('given REFERENCE evidence alone, when the draft says %j, then it is overstated', (text, excerpt) => {
    const reference: LookupSnapshot = lookup([excerpt], { relevanceLevel: 'REFERENCE' });
    const draft = draftOf([analysis(text, { toolCallIds: ['c1', 'c2'] })]);
    expect(outcome(reviewDraft({ draft, lookups: [reference] }))).toEqual([
      'OVERSTATED',
      '/analysis/0/text OVERSTATED NOT_PRECISE',
    ]);
    const precise = lookup(['The gateway.'], { toolCallId: 'c2' });
    expect(reviewDraft({ draft, lookups: [reference, precise] }).status).toBe('ABSTAINED');
  });
});

describe('coordinates', () => {
  test('given neither document nor quote, when a normal analysis is reviewed, then it is unsupported', () => {
    expect(review('the gateway connection pool is exhausted', [EN], { documentIds: [] })).toEqual([
      'UNSUPPORTED',
      '/analysis/0/document_ids UNSUPPORTED NO_COORDINATE',
    ]);
  });

  test('a quote is a coordinate', () => {
    const quotes = [{ documentId: 'gw#chunk-0', text: 'connection pool', prefix: null, suffix: null }];
    expect(review('the gateway connection pool is exhausted', [EN], { documentIds: [], quotes })).toEqual([
      'ABSTAINED',
    ]);
  });
});

describe('negative observations', () => {
  const negative = (text: string, other: Partial<LookupSnapshot> = {}) =>
    outcome(
      reviewDraft({
        draft: draftOf([analysis(text, { kind: 'NEGATIVE_OBSERVATION', documentIds: [] })]),
        lookups: [lookup([], { query: 'gateway port 8443 timeout', ...other })],
      }),
    );

  test('need no words in common, and no coordinate', () => {
    expect(negative('The knowledge base has nothing about it')).toEqual(['ABSTAINED']);
    expect(negative('没有找到')).toEqual(['ABSTAINED']);
    expect(negative('nothing on port 8443')).toEqual(['ABSTAINED']);
  });

  test('are checked for numbers and absolutes', () => {
    expect(negative('nothing on port 9443')[1]).toContain('UNSUPPORTED NUMBER_NOT_SHOWN');
    expect(negative('文档从未提到这个端口')[1]).toContain('OVERSTATED ABSOLUTE_NOT_SHOWN');
  });

  test('are overstated where the view leaves something out', () => {
    expect(negative('nothing was found', { truncated: true })).toEqual([
      'OVERSTATED',
      '/analysis/0/text OVERSTATED TRUNCATED_VIEW',
    ]);
  });
});

describe('conclusion and actions', () => {
  const shown = [
    lookup([EN]),
    lookup(['Restart the billing worker after 7200 seconds.'], { toolCallId: 'c2' }),
  ];
  const parts = [
    analysis('the gateway connection pool is exhausted'),
    analysis('restart the billing worker', { id: 'a2', toolCallIds: ['c2'] }),
  ];

  test('rest on the union of their analyses', () => {
    const text = 'the gateway pool of 1500 connections, then the billing worker for 7200 seconds';
    const both = draftOf(parts, { conclusion: statement(text, ['a1', 'a2']) });
    expect(reviewDraft({ draft: both, lookups: shown })).toEqual({ status: 'SUPPORTED', findings: [] });
    const one = draftOf(parts, { conclusion: null, actionPlan: [statement(text, ['a1'])] });
    expect(outcome(reviewDraft({ draft: one, lookups: shown }))).toEqual([
      'UNSUPPORTED',
      '/action_plan/0/text UNSUPPORTED NUMBER_NOT_SHOWN',
    ]);
  });

  test('a conclusion over nothing shown is never supported', () => {
    const nothing = analysis('nothing was found', { kind: 'NEGATIVE_OBSERVATION' });
    const draft = draftOf([nothing], { conclusion: statement('the database disk is full') });
    expect(reviewDraft({ draft, lookups: [lookup([], { query: 'why is it slow' })] }).status).toBe(
      'UNSUPPORTED',
    );
  });
});

describe('the status of a draft', () => {
  const fine = analysis('the gateway connection pool is exhausted');
  const short = analysis('it is so', { id: 'a2' });
  const over = analysis('the gateway connection pool is always exhausted', { id: 'a3' });
  const wrong = analysis('the gateway connection pool holds 777 connections', { id: 'a4' });
  const conclusion = statement('the gateway connection pool is exhausted');

  test.each([
    ['SUPPORTED', [fine]],
    ['NOT_EVALUATED', [fine, short]],
    ['OVERSTATED', [fine, over, short]],
    ['UNSUPPORTED', [fine, over, wrong, short]],
  ])('is the worst of its texts: %s', (status, parts) => {
    expect(reviewDraft({ draft: draftOf(parts, { conclusion }), lookups: [lookup([EN])] }).status).toBe(
      status,
    );
  });

  test('is ABSTAINED without a conclusion only where nothing is wrong', () => {
    expect(reviewDraft({ draft: draftOf([]), lookups: [] }).status).toBe('ABSTAINED');
    expect(reviewDraft({ draft: draftOf([fine]), lookups: [lookup([EN])] }).status).toBe('ABSTAINED');
    expect(reviewDraft({ draft: draftOf([short]), lookups: [lookup([EN])] }).status).toBe('NOT_EVALUATED');
  });

  test('one finding a text, in the order of the draft, each at its place', () => {
    const draft = draftOf([wrong, over], {
      conclusion: statement('it is so', ['a4']),
      actionPlan: [conclusion, statement('never restart the gateway connection pool', ['a3'])],
    });
    const { findings } = reviewDraft({ draft, lookups: [lookup([EN])] });
    expect(findings.map(({ path }) => path)).toEqual([
      '/analysis/0/text',
      '/analysis/1/text',
      '/conclusion/text',
      '/action_plan/0/text',
      '/action_plan/1/text',
    ]);
  });
});

test('a cache changes no answer, and stays as small as it was asked to be', () => {
  const cache = createPassageCache(2);
  const draft = draftOf([analysis('the gateway connection pool holds 1600 connections')]);
  const lookups = [lookup([EN, ZH, 'another passage'])];
  const plain = reviewDraft({ draft, lookups });
  expect(reviewDraft({ draft, lookups, cache })).toEqual(plain);
  expect(reviewDraft({ draft, lookups, cache })).toEqual(plain);
  expect([EN, ZH, 'another passage'].filter((text) => cache.get(text))).toHaveLength(1);
});
