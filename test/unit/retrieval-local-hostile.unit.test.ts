import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { indexLimits } from '../../src/retrieval/local/limits.js';
import type { IndexLimits } from '../../src/retrieval/local/limits.js';
import { openLocalIndex } from '../../src/retrieval/local/local-index.js';
import type { IndexReport, LocalIndex } from '../../src/retrieval/local/local-index.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

vi.mock('node:fs/promises', { spy: true });

const opened: LocalIndex[] = [];
afterEach(async () => {
  vi.mocked(fs.open).mockRestore();
  vi.mocked(fs.readdir).mockRestore();
  for (const index of opened.splice(0)) await index.close();
  removeTempFolders();
});

/** A folder with one good document, and what `make` puts beside it. */
function given(make: (folder: string) => void): string {
  const folder = join(tempFolder(), 'docs');
  mkdirSync(folder);
  writeFileSync(join(folder, 'good.md'), '# Good\n\nThe good document about gateways.\n');
  make(folder);
  return folder;
}

/** Indexes the folder; the good document is found whatever else there is. */
async function indexed(
  folder: string,
  limits: IndexLimits = indexLimits,
): Promise<IndexReport & { index: LocalIndex }> {
  const index = openLocalIndex(join(folder, '..', 'index.db'));
  opened.push(index);
  const report = await index.indexFolder(folder, { limits });
  expect(await sourcesOf(index, 'good document')).toContain('good.md');
  return { ...report, index };
}

async function sourcesOf(index: LocalIndex, query: string): Promise<readonly (string | null)[]> {
  const outcome = await index.search({ query, mode: 'hybrid', filters: {}, topK: 10 });
  return outcome.kind === 'hits' ? outcome.hits.map((hit) => hit.source) : [];
}

const isRoot = process.getuid?.() === 0;

describe('a folder with what is no document', () => {
  it('counts it by reason, with examples', async () => {
    const folder = given((f) => {
      writeFileSync(join(f, 'LICENSE'), 'text');
      writeFileSync(join(f, 'photo.png'), 'png');
      writeFileSync(join(f, 'blank.md'), ' \n\u200b\n');
      writeFileSync(join(f, 'none.txt'), '');
      writeFileSync(join(f, 'markup.html'), '<script>alert(1)</script><p></p>');
      mkdirSync(join(f, '.git'));
      writeFileSync(join(f, '.git', 'description.md'), '# hidden');
      mkdirSync(join(f, 'node_modules'));
      writeFileSync(join(f, 'node_modules', 'README.md'), '# foreign');
    });
    const { leftOut, documents } = await indexed(folder);
    expect(documents).toBe(1);
    expect(leftOut.counts).toEqual({ extension: 2, empty: 3, hidden: 2 });
    expect(leftOut.examples.empty).toEqual(['blank.md', 'markup.html', 'none.txt']);
  });

  it('drops a document that has become none', async () => {
    const folder = given((f) => writeFileSync(join(f, 'other.md'), '# Other\n\nanother document'));
    const { index } = await indexed(folder);
    writeFileSync(join(folder, 'other.md'), Buffer.from([0x23, 0x00, 0x01]));
    expect(await index.indexFolder(folder)).toMatchObject({ removed: 1, leftOut: { counts: { binary: 1 } } });
    expect(await sourcesOf(index, 'another document')).toEqual([]);
  });
});

describe('a file that is too large', () => {
  it('of 1 GB is left out without being read', async () => {
    const folder = given((f) => {
      const file = openSync(join(f, 'huge.md'), 'w');
      ftruncateSync(file, 1024 ** 3);
      closeSync(file);
    });
    const started = performance.now();
    expect((await indexed(folder)).leftOut.counts).toEqual({ too_large: 1 });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('is one over the limit; one at the limit is not', async () => {
    const folder = given((f) => {
      writeFileSync(join(f, 'at.md'), 'limit '.padEnd(1000, 'x'));
      writeFileSync(join(f, 'over.md'), 'limit '.padEnd(1001, 'x'));
    });
    const { leftOut, documents } = await indexed(folder, { ...indexLimits, maxFileBytes: 1000 });
    expect(leftOut).toMatchObject({ counts: { too_large: 1 }, examples: { too_large: ['over.md'] } });
    expect(documents).toBe(2);
  });
});

describe('a file that is no text', () => {
  it('is told from text in another encoding', async () => {
    const folder = given((f) => {
      writeFileSync(join(f, 'program.md'), Buffer.from('\u007fELF\u0001\u0000\u0000', 'latin1'));
      writeFileSync(
        join(f, 'noise.md'),
        Buffer.from(Array.from({ length: 4096 }, (_, i) => 128 + ((i * 37) % 128))),
      );
      writeFileSync(join(f, 'controls.txt'), '\u0001\u0002\u0003'.repeat(100));
      writeFileSync(
        join(f, 'latin1.md'),
        Buffer.from('# Caf\u00e9\n\nd\u00e9j\u00e0 vu, all over again\n', 'latin1'),
      );
      writeFileSync(join(f, 'utf16.txt'), Buffer.from('\ufeffhello', 'utf16le'));
    });
    const { leftOut } = await indexed(folder);
    expect(leftOut.counts).toEqual({ binary: 3, not_utf8: 2 });
    expect(leftOut.examples.not_utf8).toEqual(['latin1.md', 'utf16.txt']);
  });

  it('may begin with a byte order mark and end its lines as Windows does', async () => {
    const folder = given((f) =>
      writeFileSync(join(f, 'dos.md'), '\ufeff# Title\r\n\r\nWindows text\r\nmore\r\n'),
    );
    const { index } = await indexed(folder);
    const outcome = await index.search({ query: 'windows', mode: 'hybrid', filters: {}, topK: 1 });
    expect(outcome).toMatchObject({ hits: [{ title: 'Title', content: '# Title\n\nWindows text\nmore' }] });
  });
});

describe('links', () => {
  it('do not lead out of the folder, and a loop ends', async () => {
    const folder = given((f) => {
      writeFileSync(join(f, '..', 'secret.md'), '# Secret\n\nthe secret document');
      symlinkSync(join(f, '..', 'secret.md'), join(f, 'stolen.md'));
      symlinkSync('..', join(f, 'up'));
      symlinkSync('.', join(f, 'self'));
      symlinkSync('loop.md', join(f, 'loop.md'));
      symlinkSync('nowhere.md', join(f, 'dangling.md'));
      symlinkSync('/', join(f, 'root'));
    });
    const { leftOut, index, documents } = await indexed(folder);
    expect(documents).toBe(1);
    // `self` leads to the folder itself, which is no part of it.
    expect(leftOut.counts).toEqual({ link_outside: 4, link_broken: 2 });
    expect(await sourcesOf(index, 'secret document')).toEqual([]);
  });

  it('are followed to a file inside that is not found otherwise, as mounted configuration has it', async () => {
    const folder = given((f) => {
      mkdirSync(join(f, '..2026_01_02'));
      writeFileSync(join(f, '..2026_01_02', 'mounted.md'), '# Mounted\n\nmounted document');
      symlinkSync('..2026_01_02', join(f, '..data'));
      symlinkSync('..data/mounted.md', join(f, 'mounted.md'));
      symlinkSync('good.md', join(f, 'again.md'));
    });
    const { leftOut, index } = await indexed(folder);
    expect(await sourcesOf(index, 'mounted document')).toContain('mounted.md');
    expect(leftOut.counts).toEqual({ hidden: 2, link_repeats: 1 });
  });

  it('that take the place of a file after it was listed are not followed', async () => {
    const folder = given((f) => {
      writeFileSync(join(f, '..', 'secret.md'), '# Secret\n\nthe secret document');
      writeFileSync(join(f, 'swapped.md'), '# Swapped');
    });
    const index = openLocalIndex(join(folder, '..', 'index.db'));
    opened.push(index);
    const report = await index.indexFolder(folder, {
      onProgress: ({ currentFile }) => {
        if (currentFile !== 'good.md') return;
        renameSync(join(folder, 'swapped.md'), join(folder, '..', 'moved.md'));
        symlinkSync(join(folder, '..', 'secret.md'), join(folder, 'swapped.md'));
      },
    });
    expect(report.leftOut.examples).toEqual({ unreadable: ['swapped.md'] });
  });
});

describe('what would hold up a reader', () => {
  it('a pipe that nobody writes to is left out', async () => {
    const folder = given((f) => execFileSync('mkfifo', [join(f, 'pipe.md')]));
    expect((await indexed(folder)).leftOut.counts).toEqual({ not_a_file: 1 });
  });

  it('a pipe that takes the place of a file after it was listed does not hold up the run', async () => {
    const folder = given((f) => writeFileSync(join(f, 'zzz.md'), '# Z'));
    const index = openLocalIndex(join(folder, '..', 'index.db'));
    opened.push(index);
    const report = await index.indexFolder(folder, {
      onProgress: ({ currentFile }) => {
        if (currentFile !== 'good.md') return;
        renameSync(join(folder, 'zzz.md'), join(folder, '..', 'zzz.md'));
        execFileSync('mkfifo', [join(folder, 'zzz.md')]);
      },
    });
    expect(report.leftOut.counts).toEqual({ not_a_file: 1 });
  });
});

describe('no permission', () => {
  it('to read a file or a folder leaves it out', async () => {
    const folder = given((f) => {
      writeFileSync(join(f, 'locked.md'), '# Locked');
      mkdirSync(join(f, 'vault'));
    });
    const refuse = Object.assign(new Error('permission denied'), { code: 'EACCES' });
    const { open, readdir } = await vi.importActual<typeof fs>('node:fs/promises');
    vi.mocked(fs.open).mockImplementation((path, ...rest) =>
      String(path).endsWith('locked.md') ? Promise.reject(refuse) : open(path, ...rest),
    );
    vi.mocked(fs.readdir).mockImplementation(((path: string, options: never) =>
      path.endsWith('vault') ? Promise.reject(refuse) : readdir(path, options)) as typeof fs.readdir);
    const { leftOut } = await indexed(folder);
    expect(leftOut.examples).toEqual({ unreadable: ['vault', 'locked.md'] });
  });

  it.skipIf(isRoot)('to read a real file leaves it out (skipped for root, who may read all)', async () => {
    const folder = given((f) => {
      writeFileSync(join(f, 'locked.md'), '# Locked');
      chmodSync(join(f, 'locked.md'), 0);
    });
    expect((await indexed(folder)).leftOut.counts).toEqual({ unreadable: 1 });
  });
});

describe('very much of everything', () => {
  it('folders below folders are left out from some depth on', async () => {
    const folder = given((f) => {
      const deep = join(f, ...Array.from({ length: 200 }, () => 'd'));
      mkdirSync(deep, { recursive: true });
      writeFileSync(join(deep, 'deep.md'), '# Deep');
      writeFileSync(join(f, 'd', 'd', 'shallow.md'), '# Shallow');
    });
    const { leftOut, documents } = await indexed(folder);
    expect(leftOut.counts).toEqual({ too_deep: 1 });
    expect(documents).toBe(2);
  });

  it('files over the limit are counted', async () => {
    const folder = given((f) => {
      for (let i = 0; i < 10; i++) writeFileSync(join(f, `z${i}.md`), `# Z ${i}`);
    });
    const { leftOut, documents } = await indexed(folder, { ...indexLimits, maxFiles: 4 });
    expect(documents).toBe(4);
    expect(leftOut.counts).toEqual({ too_many_files: 7 });
  });

  it('100,000 headings in one file are chunks of bounded number and size', async () => {
    const folder = given((f) =>
      writeFileSync(
        join(f, 'headings.md'),
        Array.from({ length: 100_000 }, (_, i) => `${'#'.repeat(1 + (i % 6))} Heading ${i}`).join('\n'),
      ),
    );
    const { chunks, leftOut, index } = await indexed(folder, { ...indexLimits, maxFileBytes: 4 * 1024 ** 2 });
    expect(leftOut.counts).toEqual({});
    expect(chunks).toBeLessThan(50_000);
    expect(await sourcesOf(index, 'heading 99999')).toEqual(['headings.md']);
  }, 60_000);

  it.each([
    ['one line of letters', 'x'.repeat(1_000_000)],
    ['one line of Han', '网'.repeat(300_000)],
    ['a pile of marks', `a${'\u0301'.repeat(400_000)}`],
    ['hashes', '# '.repeat(500_000)],
    ['open fences', '```\n~~~\n'.repeat(100_000)],
    ['brackets', `# ${'['.repeat(500_000)}`],
    ['underlines', 'a\n---\n'.repeat(100_000)],
    ['closing marks', `# a${' #'.repeat(400_000)}`],
  ])('%s are indexed in time that grows with their length', async (_, text) => {
    const folder = given((f) => writeFileSync(join(f, 'odd.md'), text));
    const started = performance.now();
    const { documents } = await indexed(folder);
    expect(documents).toBe(2);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('nested HTML costs its length', async () => {
    const folder = given((f) =>
      writeFileSync(join(f, 'deep.html'), `${'<div>'.repeat(200_000)}<p>deep text</p>`),
    );
    const { index } = await indexed(folder);
    expect(await sourcesOf(index, 'deep text')).toContain('deep.html');
  });

  it('strange names are read, and give ids that can be cited', async () => {
    const names = ['网关超时.md', 'with space & (brackets).md', "it's.md", '-rf.md', 'a#chunk-9.md', '😀.md'];
    const folder = given((f) => {
      for (const name of names) writeFileSync(join(f, name), `# Strange\n\nthe strange document`);
    });
    const { index } = await indexed(folder);
    const outcome = await index.search({ query: 'strange', mode: 'hybrid', filters: {}, topK: 10 });
    if (outcome.kind !== 'hits') throw new Error(outcome.kind);
    expect(outcome.hits.map((hit) => hit.source).sort()).toEqual([...names].sort());
    expect(new Set(outcome.hits.map((hit) => hit.documentId)).size).toBe(names.length);
    for (const hit of outcome.hits) expect(hit.evidenceKey).toMatch(/^[A-Za-z0-9-]+#chunk-0$/);
  });
});
