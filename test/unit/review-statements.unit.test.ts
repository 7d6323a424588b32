import { describe, expect, test } from 'vitest';
import type { Finding } from '../../src/contracts/generated.js';
import { clausesOf } from '../../src/review/rules/clauses.js';
import { namesIn } from '../../src/review/rules/names.js';
import { polarityOf } from '../../src/review/rules/negation.js';
import { reviewDraft } from '../../src/review/rules/review.js';
import { analysis, draftOf, item, lookup, statement } from '../support/review-rules.js';

/** The finding about an analysis that says this over these excerpts. */
function find(text: string, excerpts: readonly string[]): Finding | undefined {
  return reviewDraft({ draft: draftOf([analysis(text)]), lookups: [lookup(excerpts)] }).findings[0];
}

function codeOf(text: string, excerpts: readonly string[]): string {
  const finding = find(text, excerpts);
  return finding === undefined ? 'nothing' : `${finding.status} ${finding.reason.split(':')[0] ?? ''}`;
}

describe('whether a clause denies something', () => {
  test.each([
    ['The cluster has no leader', 'NO'],
    ['The cluster cannot elect a leader', 'NO'],
    ["It doesn't restart", 'NO'],
    ['It fails to start', 'NO'],
    ['a non-critical alert', 'NO'],
    ['集群没有主节点', 'NO'],
    ['不支持并发', 'NO'],
    ['并非空闲', 'NO'],
    ['The cluster has a leader', 'YES'],
    ['no more than 50 connections', 'YES'],
    ['not only the pool', 'UNCLEAR'],
    ['no doubt about the pool', 'YES'],
    ['不同的节点，不断增长，不过', 'YES'],
    ['不超过 50 个连接', 'YES'],
    ['未来非常稳定，无论如何', 'YES'],
    ['It does not start until the lock is free', 'UNCLEAR'],
    ['It cannot start without a lock', 'UNCLEAR'],
    ['check whether it does not answer', 'UNCLEAR'],
    ['是否不支持', 'UNCLEAR'],
    ['支不支持', 'UNCLEAR'],
    ['不一定支持', 'UNCLEAR'],
  ])('%s: %s', (clause, polarity) => {
    expect(polarityOf(clause)).toBe(polarity);
  });
});

describe('the contrary of the evidence', () => {
  const EN =
    'The etcd cluster does not have a leader for more than one minute. The gateway retries failed requests.';
  const ZH = '向量库后端不支持按租户过滤检索结果。网关会重试失败的请求。';

  test.each([
    ['The etcd cluster has a leader for more than one minute', EN],
    [
      'The gateway never retries failed requests',
      EN.replace('retries', 'never restarts. The gateway retries'),
    ],
    ['The gateway does not retry failed requests', EN],
    ['向量库后端支持按租户过滤检索结果', ZH],
    ['网关不会重试失败的请求', ZH],
  ])('%s', (text, excerpt) => {
    expect(codeOf(text, [excerpt])).toBe('UNSUPPORTED NEGATION_FLIPPED');
  });

  test.each([
    ['The etcd cluster does not have a leader', EN],
    ["The etcd cluster doesn't have a leader", EN],
    ['The etcd cluster is without a leader for more than one minute', EN],
    ['向量库后端并不支持按租户过滤检索结果', ZH],
    ['向量库后端没有支持按租户过滤检索结果', ZH],
  ])('the same in other words is none: %s', (text, excerpt) => {
    expect(codeOf(text, [excerpt])).toBe('nothing');
  });

  test('nor is what another passage says as well', () => {
    const other = 'The etcd cluster has a leader again after the restart.';
    expect(codeOf('The etcd cluster has a leader', [EN, other])).toBe('nothing');
  });

  test('nor what stands beside a clause that is denied', () => {
    const evidence =
      'The upstream accepted the gateway connection, but the upstream did not answer the request.';
    expect(codeOf('The upstream accepted the gateway connection', [evidence])).toBe('nothing');
  });

  test('nor a condition: "if it is not full" does not say that it is full', () => {
    const evidence =
      'If the connection pool of the gateway is not exhausted, check the upstream configuration.';
    expect(codeOf('The connection pool of the gateway is exhausted', [evidence])).toBe('nothing');
  });

  test('is pointed at on both sides', () => {
    const text = '先看网关，网关不会重试失败的请求';
    const finding = find(text, [ZH]);
    expect(text.slice(finding?.draftSpan?.start, finding?.draftSpan?.end)).toBe('网关不会重试失败的请求');
    const [span] = finding?.evidenceSpans ?? [];
    expect(ZH.slice(span?.start, span?.end)).toBe('网关会重试失败的请求');
    expect(span).toMatchObject({ toolCallId: 'c1', documentId: 'gw#chunk-0' });
  });

  test('is looked for in conclusions and actions too, not in negative observations', () => {
    const shown = [lookup([EN])];
    const parts = [analysis('The etcd cluster does not have a leader')];
    const text = 'The etcd cluster has a leader for more than one minute';
    const concluded = reviewDraft({ draft: draftOf(parts, { conclusion: statement(text) }), lookups: shown });
    expect(concluded.findings[0]).toMatchObject({ path: '/conclusion/text', status: 'UNSUPPORTED' });
    const negative = analysis(text, { kind: 'NEGATIVE_OBSERVATION' });
    expect(reviewDraft({ draft: draftOf([negative]), lookups: shown }).findings).toEqual([]);
  });

  test('with more to compare than a draft has, nothing passes unseen', () => {
    const words = (name: string) => Array.from({ length: 15 }, (_, i) => `${name}${i}x`).join(' ');
    const shown = `${words('shown')} ${words('other')}.\n`.repeat(60);
    const text = `${words('shown')} not ${words('mine')}. `.repeat(20);
    expect(codeOf(text, Array<string>(30).fill(shown))).toBe('NOT_EVALUATED TOO_MUCH_TO_COMPARE');
  });
});

describe('names', () => {
  test.each([
    ['set proxy_read_timeout and upstream.retries', ['IDENTIFIER', 'IDENTIFIER']],
    ['the KubeNodeNotReady alert of Prometheus', ['IDENTIFIER', 'NAME']],
    ['Prometheus is a word at the beginning. Grafana too', []],
    ['使用 Milvus 或 HybridRetriever', ['NAME', 'IDENTIFIER']],
    ['read-only nodes, e.g. one, in a/b/c and x@example.com', []],
    ['The answers come from the pool (连接池)', []],
    ['no names here', []],
  ])('of %j: %j', (text, kinds) => {
    expect(namesIn(text).map(({ kind }) => kind)).toEqual(kinds);
  });

  const EN =
    'The KubeNodeNotReady alert fires when the kubelet of Prometheus stops sending heartbeats to the server.';
  const ZH = '向量检索默认使用 Milvus 存储所有租户的文档分块。';

  test.each([
    [
      'The KubeNodeReady alert fires when the kubelet stops sending heartbeats',
      EN,
      'UNSUPPORTED NAME_NOT_SHOWN',
    ],
    ['The alert fires when the kubelet stops node_status_updates', EN, 'UNSUPPORTED NAME_NOT_SHOWN'],
    [
      'The KubeNodeNotReady alert fires when the kubelet of Grafana stops sending heartbeats to the server',
      EN,
      'UNSUPPORTED NAME_NOT_SHOWN',
    ],
    ['向量检索默认使用 Qdrant 存储所有租户的文档分块', ZH, 'UNSUPPORTED NAME_NOT_SHOWN'],
    ['The alert fires on Kubernetes when heartbeats of the kubelet stop', EN, 'SUPPORTED WARN_NAME'],
    ['The kube_node_not_ready alert fires when the kubelet stops', EN, 'nothing'],
    ['向量检索默认使用 Milvus 存储文档', ZH, 'nothing'],
    [
      '超时设为 30 min，向量检索默认使用 Milvus 存储文档，每 30 分钟',
      `${ZH}每 30 分钟一次，超时设为`,
      'nothing',
    ],
  ])('%s: %s', (text, excerpt, code) => {
    expect(codeOf(text, [excerpt])).toBe(code);
  });

  test('in the title or the question are shown', () => {
    const shown = lookup([], {
      query: 'what is max_connections',
      items: [item(EN, { title: 'TargetDown' })],
    });
    const draft = draftOf([
      analysis('The TargetDown alert fires with max_connections when the kubelet stops'),
    ]);
    expect(reviewDraft({ draft, lookups: [shown] }).findings).toEqual([]);
  });
});

describe('every finding', () => {
  const EN = 'Gateway timeouts may be caused by an exhausted connection pool of 1,500 connections.';

  test.each([
    ['NUMBER_NOT_SHOWN', 'the gateway connection pool holds 7.5 connections'],
    ['WORDS_NOT_SHOWN', 'The disk was full and the broker refused messages from every producer'],
    ['TOO_FEW_WORDS', 'the gateway pool'],
    ['NO_COMMON_SCRIPT', '网关超时来自连接池耗尽，应检查 upstream 配置'],
    ['CERTAINTY_RAISED', 'Gateway timeouts are caused by the connection pool'],
    ['ABSOLUTE_NOT_SHOWN', 'Gateway timeouts may always come from the connection pool'],
    ['NAME_NOT_SHOWN', 'Gateway timeouts may come from the connection pool of order_service'],
    ['WARN_SMALL_NUMBER', 'Gateway timeouts may come from the connection pool, 42 times'],
    ['WARN_NAME', 'Gateway timeouts may come from the connection pool of Grafana'],
  ])('says which words, and what they were held against: %s', (code, text) => {
    const finding = find(text, [EN]);
    expect(finding?.reason.split(':')[0]).toBe(code);
    expect(text.slice(finding?.draftSpan?.start, finding?.draftSpan?.end)).not.toBe('');
    expect(finding?.draftSpan).not.toBeNull();
    expect(finding?.evidenceSpans.length).toBeGreaterThan(0);
    for (const { start, end } of finding?.evidenceSpans ?? []) expect(EN.slice(start, end)).not.toBe('');
  });
});

test('dots inside of a clause do not end it', () => {
  const text = '不要在 `apply(...)` 里写文件，v1.2 of e.g..x works';
  expect(clausesOf(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    '不要在 `apply(...)` 里写文件',
    'v1.2 of e.g..x works',
  ]);
});

test('clauses lie where they are said, also over a wrapped line', () => {
  const text = '- **The leader is\n  gone.** The\nrest waits; 但是节点都在。\n\n# End';
  expect(clausesOf(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    '- **The leader is\n  gone',
    '** The\nrest waits',
    '但是节点都在',
    '# End',
  ]);
});

test.each([
  'not ',
  '不',
  'a',
  'a. ',
  'pool is not full. ',
  '没',
  '不a',
  '\n',
  'but ',
  '如果',
  'A_b.',
  'x ',
  ',',
  "n't ",
])('256 KiB of %j take no time to speak of', (unit) => {
  const text = unit.repeat(262_144 / unit.length);
  const start = process.cpuUsage();
  clausesOf(text);
  polarityOf(text);
  namesIn(text);
  expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
});
