import { expect, test } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { gainOf, itemDigest } from '../../src/evidence/gain.js';

const item = { documentId: 'gw#chunk-1', excerpt: 'text' };
const digest = itemDigest(item, sha256);

test('a digest tells identity and words apart, wherever one ends and the other begins', () => {
  const others = [
    { documentId: 'gw#chunk-1', excerpt: 'other' },
    { documentId: 'gw#chunk-2', excerpt: 'text' },
    { documentId: 'gw#chunk-1t', excerpt: 'ext' },
  ];
  expect(new Set([item, ...others].map((one) => itemDigest(one, sha256))).size).toBe(4);
  expect(itemDigest({ ...item }, sha256)).toBe(digest);
});

test.each([
  ['no items', [], [digest], 'NONE'],
  ['nothing shown before', [digest], [], 'NEW'],
  ['all shown before, in any order', ['b', 'a'], ['a', 'b', 'c'], 'UNCHANGED'],
  ['one of them new', ['a', 'd'], ['a', 'b'], 'NEW'],
] as const)('%s', (_, items, shownBefore, gain) => {
  expect(gainOf(items, new Set<string>(shownBefore))).toBe(gain);
});
