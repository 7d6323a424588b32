import { expect, test } from 'vitest';
import {
  claimedKeys,
  extractNumbers,
  isWeighty,
  shownKeys,
  type NumberMention,
} from '../../src/review/rules/numbers.js';

function only(text: string): NumberMention {
  const mentions = extractNumbers(text).filter((mention) => mention.kind !== 'NAME');
  expect(mentions, text).toHaveLength(1);
  return mentions[0]!;
}

/** Whether evidence that says `evidence` shows the number that a draft writes as `claim`. */
function isShown(claim: string, evidence: string): boolean {
  const shown = new Set(extractNumbers(evidence).flatMap(shownKeys));
  return claimedKeys(only(claim)).some((key) => shown.has(key));
}

test.each([
  ['1500', '1,500'],
  ['1,500', '1500'],
  ['1500', '１５００'],
  ['1500', '1500.0'],
  ['1500 ms', '1,500ms'],
  ['1500 ms', '1.5 s'],
  ['1.5 seconds', '1500 毫秒'],
  ['90 minutes', '1.5 hours'],
  ['30 秒', '30s'],
  ['三百毫秒', '300 ms'],
  ['1.5万', '15000'],
  ['15000', '一万五千'],
  ['两千五百', '2500'],
  ['3千万', '30 million'],
  ['1.2 亿', '120,000,000'],
  ['10k', '10000'],
  ['2 million', '2,000,000'],
  ['99.9%', '99.9 percent'],
  ['99.9%', '99.9％'],
  ['百分之五十', '50%'],
  ['50 个百分点', '50%'],
  ['512 MiB', '512Mi'],
  ['512MB', '512M'],
  ['2 GB', '2000 MB'],
  ['1500', '1500 ms'],
  ['100 ms', 'between 100-200 ms'],
  ['100 ms', '100~200ms'],
  ['200ms', '100 到 200 毫秒'],
  ['502', 'the 502s'],
  ['502s', 'HTTP 502'],
  ['256', 'SHA256'],
  ['30 minutes', '2h30m'],
  ['4.1.1', 'v4.1.1'],
  ['2.17.1', 'log4j2.17.1'],
  ['1500', 'n1,500'],
  ['4.1', 'version 4.1.1'],
  ['2026-11-30', '2026年11月30日'],
  ['2026/11/30', '2026-11-30T10:00:00Z'],
  ['2026', '2026-11-30'],
  ['2026', '二〇二六年'],
  ['10.0.0.1', 'from 10.0.0.1:8080'],
  ['2024-01-05', 'January 5, 2024'],
  ['January 5th, 2024', '2024年1月5日'],
  ['5 Jan 2024', '2024/1/5'],
  ['二〇二四年一月五日', '2024-01-05'],
  ['二〇二四年十二月三十一日', 'December 31, 2024'],
  ['May 2024', '2024年5月'],
  ['2024年', '2024'],
  ['三百', 'three hundred'],
  ['300 ms', 'three hundred milliseconds'],
  ['1.5万', 'fifteen thousand'],
  ['500000', 'half a million'],
  ['25,000', 'twenty-five thousand'],
  ['一百二十', 'one hundred and twenty'],
  ['2 亿', 'two hundred million'],
  ['五分钟', 'five minutes'],
  ['30%', '三成'],
  ['千分之五', '0.5%'],
  ['5‰', '0.5%'],
  ['3 年', '36 months'],
  ['2.4 GHz', '2400 MHz'],
  ['1000000', '10^6'],
  ['100', '10²'],
  ['10²', '100'],
  ['500', 'a change of -500'],
  ['12345678901234567890', 'id 12345678901234567890'],
])('%s is shown by: %s', (claim, evidence) => {
  expect(isShown(claim, evidence)).toBe(true);
});

test.each([
  ['50', '50%'],
  ['50%', '50'],
  ['1500 ms', '1500 s'],
  ['1500 ms', '1500'],
  ['1500s', '1500 ms'],
  ['512 MB', '512 MiB'],
  ['150', '1,500'],
  ['500', '1,500'],
  ['1500', '15000'],
  ['January 6, 2024', '2024-01-05'],
  ['2024年2月5日', 'January 5, 2024'],
  ['May 2024', '2024年6月'],
  ['three hundred', '200'],
  ['102', '10²'],
  ['10²', '102'],
  ['10^6', '106'],
  ['五小时', 'five minutes'],
  ['2.4 GHz', '2.4 MHz'],
  ['-500', '500'],
  ['4.1.2', '4.1.1'],
  ['10.0.0.2', '10.0.0.1'],
  ['2026-11-30', '2026-11-03'],
  ['99.9%', '99.99%'],
  ['30 分钟', '30 秒'],
  ['12345678901234567890', '12345678901234567891'],
  ['0.5', '5'],
])('%s is not shown by: %s', (claim, evidence) => {
  expect(isShown(claim, evidence)).toBe(false);
});

test.each([
  ['100', true],
  ['99', false],
  ['007', false],
  ['0.5', true],
  ['50%', false],
  ['50.5%', true],
  ['2 million', true],
  ['三百', true],
  ['十五秒', false],
  ['1.5万', true],
  ['4.1.1', true],
  ['2026-11-30', true],
])('whether inventing %s matters: %s', (text, weighty) => {
  expect(isWeighty(only(text), 3)).toBe(weighty);
});

test.each([
  '一定 统一 一般 一一 万一 千万不要 十分重要 三三两两 第三方',
  'p99, sha256, b9c1fa12, x86_64, k8s',
  'no digits at all',
  'one of them, two nodes, a dozen reasons? one two, may be',
])('%s: nothing that a draft would have to prove', (text) => {
  expect(extractNumbers(text).flatMap(claimedKeys)).toEqual([]);
});

test('places are of the text as given, with sign and unit', () => {
  const text = '延迟从 １，２ 升到 1,500 ms，下降 -5%';
  expect(extractNumbers(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    '１',
    '２',
    '1,500 ms',
    '-5%',
  ]);
});

test.each([
  '1',
  '1 ',
  '1.',
  '1-',
  '1,',
  '1,500',
  '一',
  '千',
  '百分之',
  'a1',
  '1a',
  '2026-',
  '٣',
  '~1',
  '1ms',
])('64 KiB of %j take no time to speak of', (unit) => {
  const text = unit.repeat(65_536 / unit.length);
  const start = process.cpuUsage();
  for (const mention of extractNumbers(text)) {
    claimedKeys(mention);
    shownKeys(mention);
    isWeighty(mention, 3);
  }
  expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
});
