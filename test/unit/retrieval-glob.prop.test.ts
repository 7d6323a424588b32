import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { globMatcher } from '../../src/retrieval/local/glob.js';

describe('a glob', () => {
  it.each([
    ['*.md', 'a.md', true],
    ['*.md', 'a/b.md', false],
    ['**/*.md', 'b.md', true],
    ['**/*.md', 'x/y/b.md', true],
    ['etcd/**', 'etcd/a/b.md', true],
    ['etcd/**', 'etcd2/a.md', false],
    ['etcd/*', 'etcd/a/b.md', false],
    ['?tcd/*', 'etcd/a.md', true],
    ['a?b', 'a/b', false],
    ['a.md', 'axmd', false],
    ['(a+)*', '(a+)', true],
    ['网关/*', '网关/超时.md', true],
    ['?.md', '😀.md', true],
    ['', '', true],
  ])('%s of %s: %s', (glob, path, matches) => {
    expect(globMatcher(glob)(path)).toBe(matches);
  });

  it('takes no longer than its length times the path, whatever it is', () => {
    const started = performance.now();
    expect(globMatcher('*a'.repeat(250))('a'.repeat(4000))).toBe(true);
    expect(globMatcher(`${'**a'.repeat(170)}b`)('a'.repeat(4000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

test('a glob matches what the regular expression of the same meaning matches', () => {
  const globs = fc.array(fc.constantFrom('a', 'b', '/', '*', '**', '**/', '?', '.'), { maxLength: 6 });
  const paths = fc.array(fc.constantFrom('a', 'b', '/', '.'), { maxLength: 8 });
  fc.assert(
    fc.property(globs, paths, (marks, characters) => {
      const glob = marks.join('');
      const path = characters.join('');
      expect(globMatcher(glob)(path)).toBe(regularExpression(glob).test(path));
    }),
    { numRuns: 3000 },
  );
});

function regularExpression(glob: string): RegExp {
  const source = glob.replace(/\*\*\/?|\*|\?|\./g, (mark) => {
    if (mark.startsWith('**')) return '[^]*';
    return mark === '*' ? '[^/]*' : mark === '?' ? '[^/]' : '\\.';
  });
  return new RegExp(`^${source}$`);
}
