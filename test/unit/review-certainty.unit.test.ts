import { expect, test } from 'vitest';
import {
  absolutesOf,
  certaintyMarkers,
  passageCertainty,
  shownAbsolutes,
  strongestMarker,
} from '../../src/review/rules/certainty.js';

const certaintyOf = (text: string) => strongestMarker(certaintyMarkers(text))?.certainty ?? null;
const absolutes = (text: string) => [...absolutesOf(certaintyMarkers(text)).keys()];
const evidence = (text: string) => passageCertainty(text, certaintyMarkers(text))?.certainty ?? null;

test.each([
  ['The pool may be exhausted', 'MAY'],
  ['It could possibly be the pool', 'MAY'],
  ['可能是连接池耗尽', 'MAY'],
  ['不一定是连接池', 'MAY'],
  ['The logs suggest a leak', 'SUGGESTS'],
  ['It is likely the pool', 'SUGGESTS'],
  ['很可能是连接池', 'SUGGESTS'],
  ['这似乎与连接池有关', 'SUGGESTS'],
  ['The logs show a leak', 'SHOWS'],
  ['The root cause is the pool', 'SHOWS'],
  ['Timeouts are caused by the pool', 'SHOWS'],
  ['日志表明连接池耗尽', 'SHOWS'],
  ['连接池耗尽导致超时', 'SHOWS'],
  ['This PROVES that it leaks', 'PROVES'],
  ['事实证明是连接池', 'PROVES'],
  ['Presumably the pool', 'SUGGESTS'],
  ['It sometimes fails', 'MAY'],
  ['估计是连接池', 'SUGGESTS'],
  ['有时失败', 'MAY'],
  ['It is irrefutably the pool', 'PROVES'],
  ['Check the pool', null],
  ['Improve and approve the maybes-list', null],
  ['尽可能减少连接', null],
  ['查看说明文档与显示器', null],
])('%s: says %s', (text, certainty) => {
  expect(certaintyOf(text)).toBe(certainty);
});

test.each([
  ['The logs do not prove a leak', null],
  ["It doesn't show anything", null],
  ['No document shows it', null],
  ['这并不表明有泄漏', null],
  ['无法证明', null],
  ['It not only shows a leak', 'SHOWS'],
  ['不仅证明了泄漏', 'PROVES'],
  ['No, the logs prove it', 'PROVES'],
  ['There is no doubt', 'PROVES'],
  ['Without a doubt it is the pool', 'PROVES'],
])('negation, %s: says %s', (text, certainty) => {
  expect(certaintyOf(text)).toBe(certainty);
});

test.each([
  ['It may have been caused by the pool', 'MAY'],
  ['可能导致超时', 'MAY'],
  ['检查是否由连接池引起', 'MAY'],
  ['The logs suggest that the root cause is the pool', 'SUGGESTS'],
  ['It may rain, but the logs prove it', 'PROVES'],
  ['可能下雨，日志证明了泄漏', 'PROVES'],
  ['The logs prove that it may happen', 'PROVES'],
])('what a hedge governs is as weak, %s: says %s', (text, certainty) => {
  expect(certaintyOf(text)).toBe(certainty);
});

test.each([
  ['Only the pool', ['ONLY']],
  ['唯一的原因', ['ONLY']],
  ['restart all nodes', ['ALL']],
  ['exclusively the pool, invariably, without exception', ['ONLY', 'ALWAYS', 'ALL']],
  ['It is bound to fail, guaranteed', ['CERTAINLY']],
  ['势必失败，无一例外', ['CERTAINLY', 'ALL']],
  ['重启所有节点', ['ALL']],
  ['it always and never fails', ['ALWAYS', 'NEVER']],
  ['总是失败，从不恢复', ['ALWAYS', 'NEVER']],
  ['必然失败', ['CERTAINLY']],
  ['一定是连接池', ['CERTAINLY']],
  ['根因就是连接池', ['ROOT_CAUSE']],
])('%s: is absolute', (text, kinds) => {
  expect(absolutes(text)).toEqual(kinds);
});

test.each([
  'not only the pool, not all nodes, not always',
  'a read-only, append-only, all-in-one replica; read only mode',
  'nothing at all, after all, first of all',
  'overall, allow, commonly, onlyoffice',
  '不一定，并非唯一，不是所有',
  '在一定程度上，一定数量，唯一索引，唯一标识',
])('%s: is not absolute', (text) => {
  expect(absolutes(text)).toEqual([]);
});

test.each([
  ['Timeouts may be caused by the pool. Check the upstream.', 'MAY'],
  ['# Gateway timeouts\n\nTimeouts may be caused by the pool.\n1. Check the upstream.', 'MAY'],
  ['超时可能由连接池耗尽引起，先检查 upstream 配置。', 'MAY'],
  ['Timeouts may have been\ncaused by the\nconnection pool.', 'MAY'],
  ['超时可能由连接池\n耗尽引起。', 'MAY'],
  ['Timeouts may be caused by the pool\n\nthe pool holds 50 connections.', 'SHOWS'],
  ['- Timeouts may be caused by the pool\n- The pool holds 50 connections.', 'SHOWS'],
  ['Timeouts may be caused by the pool. The pool holds 50.5 connections.', 'SHOWS'],
  ['超时可能由连接池引起。连接池上限为 50。', 'SHOWS'],
  ['Timeouts may be caused by the pool. It always fails.', 'SHOWS'],
  ['Timeouts may be caused by the pool. Settings are kept.', 'SHOWS'],
  ['The logs prove it.', 'PROVES'],
  ['Check the upstream.', null],
  ['', null],
])('evidence, %j: is at most %s', (text, certainty) => {
  expect(evidence(text)).toBe(certainty);
});

test('the place of a marker is its words', () => {
  const text = '超时可能由连接池引起';
  const { start, end } = strongestMarker(certaintyMarkers(text))!;
  expect(text.slice(start, end)).toBe('可能');
});

test.each(['a', 'may ', '不', 'not ', '. ', '.', '一定', '所有', '\n', '\na', '- ', '1.', 'n’t ', 'at all '])(
  '64 KiB of %j take no time to speak of',
  (unit) => {
    const text = unit.repeat(65_536 / unit.length);
    const start = process.cpuUsage();
    passageCertainty(text, certaintyMarkers(text));
    expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
  },
);

test.each([
  ['every node', ['ALL']],
  ['每个节点都重启', ['ALL']],
  ['it just fails', ['ONLY']],
  ['仅支持单机', ['ONLY']],
  ['it must be set', ['CERTAINLY']],
  ['必须设置', ['CERTAINLY']],
  ['不得修改', ['NEVER']],
  ['read the pool', []],
])('as evidence %j says as much as an absolute, and as a claim it is none', (text, kinds) => {
  const markers = certaintyMarkers(text);
  expect([...shownAbsolutes(text, markers).keys()].filter((kind) => kinds.includes(kind))).toEqual(kinds);
  expect([...absolutesOf(markers).keys()]).toEqual([]);
});
