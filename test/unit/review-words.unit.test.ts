import { expect, test } from 'vitest';
import { maskCoordinates } from '../../src/review/rules/coordinates.js';
import { scriptsOf } from '../../src/review/rules/scripts.js';
import { stem } from '../../src/review/rules/stemming.js';
import { contentWords, countWords, evidenceTerms } from '../../src/review/rules/words.js';

/** How many content words, in halves. */
function half(text: string): number {
  return countWords(contentWords(text), () => false).total;
}

/** Share of the content words of `claim` that `evidence` has. */
function share(claim: string, evidence: string): number {
  const terms = evidenceTerms(evidence);
  const { total, shown } = countWords(contentWords(claim), (term) => terms.has(term));
  return shown / total;
}

test.each([
  ['timeouts', 'timeout'],
  ['configuring', 'configured'],
  ['stopped', 'stopping'],
  ['retries', 'retry'],
  ['processes', 'process'],
  ['increases', 'increasing'],
  ['nodes', 'node'],
])('%s and %s are one word', (one, other) => {
  expect(stem(one)).toBe(stem(other));
});

test.each(['status', 'analysis', 'class', 'red', 'string', 'bus'])('%s keeps its ending', (word) => {
  expect(stem(word)).toBe(word);
});

test('function words and numbers are no content', () => {
  expect(half('It is the one that they may have had, and 1500 or 42 of them')).toBe(2);
  expect(half('的了是在和与，因为如果可以')).toBe(0);
});

test('case, width and inflection do not matter', () => {
  expect(share('GATEWAY timeouts ＵＰＳＴＲＥＡＭ', 'The gateway timeout of an upstream')).toBe(1);
});

test('a word that is said again counts once', () => {
  expect(half('gateway gateway Gateways')).toBe(half('gateway'));
  expect(half('网关超时。网关超时。网关超时。')).toBe(half('网关超时。'));
});

test('Chinese is compared by neighbouring characters, whatever stands around them', () => {
  expect(share('连接池耗尽', '网关的连接池可能已耗尽')).toBe(1);
  expect(share('连接池耗尽导致网关超时', '网关超时可能由连接池耗尽引起')).toBeGreaterThan(0.7);
  expect(share('磁盘空间不足拒绝写入', '网关超时可能由连接池耗尽引起')).toBe(0);
});

test('two Chinese characters weigh as much as an English word', () => {
  expect(half('检查 upstream 配置')).toBe(6);
});

test.each([
  ['Check the upstream configuration', ['LATIN']],
  ['网关超时先检查 upstream 配置，确认连接池是否耗尽', ['HAN']],
  ['Проверьте шлюз', ['CYRILLIC']],
  ['게이트웨이 시간 초과', ['HANGUL']],
  ['1500 + 42 = ?', []],
])('%s is written in %j', (text, scripts) => {
  expect([...scriptsOf(evidenceTerms(text))]).toEqual(scripts);
});

test('a text half in English is written in both scripts', () => {
  expect([...scriptsOf(evidenceTerms('raise the proxy_read_timeout 超时配置'))].sort()).toEqual([
    'HAN',
    'LATIN',
  ]);
});

test('coordinates are masked, and every other place stays where it was', () => {
  const text = '见 docs/gw-1.md#chunk-12，再看 b#chunk-3 和 #chunk-x';
  const masked = maskCoordinates(text);
  expect(masked.replace(/ +/g, ' ')).toBe('见 ，再看 和 #chunk-x');
  expect(masked.indexOf('再看')).toBe(text.indexOf('再看'));
  expect(masked).toHaveLength(text.length);
});

test.each(['的', '网', 'ก', 'カ', 'a', '一网', 'a ', '网a', '#chunk-1', 'ing', '\ud83d', 'ß', '가'])(
  '64 KiB of %j take no time to speak of',
  (unit) => {
    const text = unit.repeat(65_536 / unit.length);
    const start = process.cpuUsage();
    scriptsOf(evidenceTerms(text));
    contentWords(maskCoordinates(text));
    expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
  },
);
