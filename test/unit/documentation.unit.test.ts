import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderDocs } from '../../scripts/generate-docs.js';
import { VERSION } from '../../src/version.js';

describe('the documentation', () => {
  it.each([...renderDocs().keys()])('%s is what `npm run generate` writes', (path) => {
    expect(readFileSync(path, 'utf8')).toBe(renderDocs().get(path));
  });

  it('names only tests that there are, for every failure', () => {
    const named = [...readFileSync('docs/failures.md', 'utf8').matchAll(/`(test\/[^`]+)`/g)].map(
      (match) => match[1],
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(path ?? ''))).toEqual([]);
  });

  it('links only to files that there are', () => {
    const missing = ['README.md', 'docs/architecture.md', 'docs/event-ids.md'].flatMap((page) =>
      brokenLinks(page),
    );
    expect(missing).toEqual([]);
  });

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(VERSION).toBe(version);
  });
});

function brokenLinks(page: string): string[] {
  const folder = page.includes('/') ? page.slice(0, page.lastIndexOf('/') + 1) : '';
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#:]+)\)/g)].map(
    (match) => `${folder}${match[1] ?? ''}`,
  );
  return links.filter((path) => !existsSync(path));
}
