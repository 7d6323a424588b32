import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { isProoflineError } from '../../src/contracts/errors.js';
import type { Hit } from '../../src/contracts/generated.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { openIndexFile } from '../../src/retrieval/local/database.js';
import type { IndexProgress } from '../../src/retrieval/local/index-folder.js';
import { createIndexStore } from '../../src/retrieval/local/index-store.js';
import { openLocalIndex } from '../../src/retrieval/local/local-index.js';
import type { LocalIndex } from '../../src/retrieval/local/local-index.js';
import { endChildren, startChild } from '../support/child.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const opened: LocalIndex[] = [];
afterEach(async () => {
  await endChildren();
  for (const index of opened.splice(0)) await index.close();
  removeTempFolders();
});

/** A folder with these files, and an index file beside it. */
function given(files: Record<string, string>) {
  const base = tempFolder();
  const folder = join(base, 'docs');
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) write(folder, path, text);
  return { folder, file: join(base, 'index.db') };
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function open(file: string, options?: { readOnly: boolean }): LocalIndex {
  const index = openLocalIndex(file, options);
  opened.push(index);
  return index;
}

async function search(index: LocalIndex, query: string, filters: JsonObject = {}): Promise<readonly Hit[]> {
  const outcome = await index.search({ query, mode: 'hybrid', filters, topK: 10 });
  if (outcome.kind !== 'hits') throw new Error(JSON.stringify(outcome));
  return outcome.hits;
}

const sources = (hits: readonly Hit[]) => hits.map((hit) => hit.source);

async function refusal(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('it was not refused');
}

const many = (
  count: number,
  text = (n: number) => `# Gateway ${n}\n\nThe gateway number ${n} has a timeout.\n`,
) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`part-${n % 7}/gateway-${n}.md`, text(n)]));

describe('indexing a folder', () => {
  it('makes every kind of document searchable, with source, title, breadcrumb and section', async () => {
    const { folder, file } = given({
      'guides/gateway.md':
        '---\ntitle: Gateway guide\n---\n\n# Gateway\n\nIntroduction.\n\n## Steps\n\nRestart the flux capacitor.\n',
      'notes.txt': 'The warp core has no heading.',
      'page.html':
        '<html><head><title>Site</title></head><body><h1>Plasma</h1><p>Vent the plasma &amp; wait.</p></body></html>',
    });
    const index = open(file);
    const report = await index.indexFolder(folder);
    expect(report).toMatchObject({
      documents: 3,
      chunks: 3,
      indexed: 3,
      unchanged: 0,
      removed: 0,
      complete: true,
    });
    expect((await search(index, 'flux capacitor'))[0]).toMatchObject({
      source: 'guides/gateway.md',
      title: 'Gateway guide',
      breadcrumb: 'Gateway guide > Gateway',
      sectionTitle: 'Gateway',
      sourceUri: null,
      chunkIndex: 0,
    });
    expect((await search(index, 'warp core'))[0]).toMatchObject({ title: 'notes', sectionTitle: null });
    expect((await search(index, 'plasma'))[0]).toMatchObject({
      title: 'Plasma',
      content: expect.stringContaining('Vent the plasma & wait.') as string,
    });
  });

  it('names chunks by document and number, and the document by its path', async () => {
    const { folder, file } = given({ 'etcd/etcdNoLeader.md': '# etcdNoLeader\n\nNo leader.\n' });
    const index = open(file);
    await index.indexFolder(folder);
    const [hit] = await search(index, 'etcdNoLeader');
    expect(hit?.documentId).toMatch(/^etcd-etcdNoLeader-md-[0-9a-f]{8}$/);
    expect(hit?.evidenceKey).toBe(`${hit?.documentId ?? ''}#chunk-0`);
  });

  it('reports the share of chunks without title and without section', async () => {
    const { folder, file } = given({
      'a.md': '# A\n\ntext',
      'b.txt': 'text',
      'c.txt': 'text',
      'd.md': 'text',
    });
    const report = await open(file).indexFolder(folder);
    expect(report).toMatchObject({ withoutTitle: 0.75, withoutSection: 0.75 });
  });

  it('tells how far it is', async () => {
    const { folder, file } = given(many(3));
    const seen: IndexProgress[] = [];
    await open(file).indexFolder(folder, { onProgress: (progress) => seen.push(progress) });
    expect(seen.map((progress) => progress.currentFile)).toEqual([
      'part-0/gateway-0.md',
      'part-1/gateway-1.md',
      'part-2/gateway-2.md',
      null,
    ]);
    expect(seen.at(-1)).toMatchObject({ filesDone: 3, filesTotal: 3, chunks: 3 });
  });
});

describe('indexing a folder again', () => {
  it('given nothing new, reads no file into chunks', async () => {
    const { folder, file } = given(many(5));
    const index = open(file);
    await index.indexFolder(folder);
    const before = await search(index, 'gateway');
    expect(await index.indexFolder(folder)).toMatchObject({ indexed: 0, unchanged: 5, generation: 2 });
    expect(await search(index, 'gateway')).toEqual(before);
  });

  it('takes in what changed and what is new, and drops what is gone', async () => {
    const { folder, file } = given({
      'a.md': '# A\n\nold words',
      'b.md': '# B\n\nconstant words',
      'c.md': '# C\n\ndoomed words',
    });
    const index = open(file);
    await index.indexFolder(folder);
    write(folder, 'a.md', '# A\n\nfresh words');
    write(folder, 'd.md', '# D\n\nadded words');
    rmSync(join(folder, 'c.md'));
    expect(await index.indexFolder(folder)).toMatchObject({
      indexed: 2,
      unchanged: 1,
      removed: 1,
      documents: 3,
    });
    expect(await search(index, 'old')).toEqual([]);
    expect(await search(index, 'doomed')).toEqual([]);
    expect(sources(await search(index, 'fresh'))).toEqual(['a.md']);
    expect(sources(await search(index, 'added'))).toEqual(['d.md']);
    expect(sources(await search(index, 'words'))).toEqual(['a.md', 'b.md', 'd.md']);
  });

  it('gives the same answers, however it came to hold what it holds', async () => {
    const { folder, file } = given(many(30));
    const changed = open(file);
    await changed.indexFolder(folder);
    for (const n of [3, 17, 4])
      write(folder, `part-${n % 7}/gateway-${n}.md`, `# Gateway ${n}\n\nThe gateway changed its timeout.\n`);
    await changed.indexFolder(folder);
    const fresh = open(`${file}.fresh`);
    await fresh.indexFolder(folder);
    expect(await search(changed, 'gateway timeout')).toEqual(await search(fresh, 'gateway timeout'));
  });
});

describe('a run that is broken off', () => {
  it('by a signal: rejects with its reason, says that it is incomplete, and the next run does the rest', async () => {
    const { folder, file } = given(many(10));
    const index = open(file);
    const controller = new AbortController();
    const run = index.indexFolder(folder, {
      signal: controller.signal,
      onProgress: ({ filesDone }) => filesDone === 4 && controller.abort(new Error('enough')),
    });
    await expect(run).rejects.toThrow('enough');
    expect(index.stats()).toMatchObject({ complete: false, generation: 0 });
    const done = index.stats().documents;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(10);
    expect(await index.indexFolder(folder)).toMatchObject({
      unchanged: done,
      indexed: 10 - done,
      complete: true,
    });
  });

  it('in the middle of a file: the file is there as it was', async () => {
    const { folder, file } = given({ 'a.md': '# A\n\nthe gateway as it was' });
    const index = open(file);
    await index.indexFolder(folder);
    const before = await search(index, 'gateway');

    const db = openIndexFile(file, { readOnly: false });
    const chunk = { content: 'the gateway as it becomes', breadcrumb: 'A', sectionTitle: null };
    const unwritable = { ...chunk, content: {} as string };
    const document = {
      path: 'a.md',
      slug: 'a',
      title: 'A',
      titled: true,
      digest: 'x',
      chunks: [chunk, unwritable],
    };
    expect(() => createIndexStore(db).replace(document, [])).toThrow();
    db.close();
    expect(await search(index, 'gateway')).toEqual(before);
    expect(wholeChunks(file)).toBe(true);
  });

  it('by SIGKILL: every file is there whole or not at all, and the next run completes it', async () => {
    const files = many(120, (n) => `# Gateway ${n}\n\n${`The gateway ${n} times out. `.repeat(150)}\n`);
    const { folder, file } = given(files);
    const child = startChild('retrieval-index-child.ts', ['index', file, folder]);
    await child.line('file 20');
    child.kill('SIGKILL');
    await child.exited;

    const index = open(file);
    const left = index.stats();
    expect(left).toMatchObject({ complete: false });
    expect(left.documents).toBeLessThan(120);
    expect(await search(index, 'gateway')).not.toEqual([]);
    await index.indexFolder(folder);
    const fresh = open(`${file}.fresh`);
    await fresh.indexFolder(folder);
    expect(index.stats()).toEqual({ ...fresh.stats(), generation: 1 });
    expect(await search(index, 'gateway 17 times')).toEqual(await search(fresh, 'gateway 17 times'));
    expect(wholeChunks(file)).toBe(true);
  });
});

/** Every document has the chunks that it says, numbered from 0, and every chunk has its terms. */
function wholeChunks(file: string): boolean {
  const db = new Database(file, { readonly: true });
  const wrong = db
    .prepare(
      `SELECT count(*) FROM document WHERE chunks <> (SELECT count(*) FROM chunk WHERE document_id = document.id)
       OR chunks - 1 <> (SELECT max(number) FROM chunk WHERE document_id = document.id)`,
    )
    .pluck()
    .get();
  const chunks = db.prepare('SELECT count(*) FROM chunk').pluck().get();
  const termed = db.prepare("SELECT count(*) FROM term WHERE term MATCH 'gateway'").pluck().get();
  db.close();
  return wrong === 0 && chunks === termed;
}

describe('an index that another process uses', () => {
  it('is searched by one while it is written by another', async () => {
    const { folder, file } = given(many(200));
    const index = open(file);
    const child = startChild('retrieval-index-child.ts', ['search', file]);
    await child.line('open');
    await index.indexFolder(folder);
    await waitUntil('the other has found what was indexed', () => child.lines.at(-1) === 'found 10');
    expect(child.lines.filter((line) => line.startsWith('wrong'))).toEqual([]);
  });

  it('is written by two at once, and holds the folder in the end', async () => {
    const { folder, file } = given(many(60));
    const children = [1, 2].map(() => startChild('retrieval-index-child.ts', ['index', file, folder]));
    for (const child of children) await child.line('done');
    expect(open(file).stats()).toMatchObject({ documents: 60, complete: true });
    expect(wholeChunks(file)).toBe(true);
  });

  it('does not take two runs of one process at once', async () => {
    const { folder, file } = given(many(5));
    const index = open(file);
    const first = index.indexFolder(folder);
    expect(isProoflineError(await refusal(() => index.indexFolder(folder)), 'PL_INPUT_INVALID')).toBe(true);
    expect(await first).toMatchObject({ indexed: 5 });
  });
});

describe('what cannot be used', () => {
  it('refuses to read an index that is not there, and makes none', async () => {
    const { file } = given({});
    const error = await refusal(() => openLocalIndex(file, { readOnly: true }));
    expect(isProoflineError(error, 'PL_INDEX_UNUSABLE')).toBe(true);
  });

  it('refuses to write through an index that is open to read', async () => {
    const { folder, file } = given(many(1));
    await open(file).indexFolder(folder);
    const error = await refusal(() => open(file, { readOnly: true }).indexFolder(folder));
    expect(isProoflineError(error, 'PL_INDEX_UNUSABLE')).toBe(true);
  });

  it.each([
    [
      'text',
      (file: string) => writeFileSync(file, 'this is no database at all, but long enough to be looked at'),
    ],
    ['another database', (file: string) => new Database(file).exec('CREATE TABLE mine (x)').close()],
    [
      'an index of another version',
      (file: string) => {
        openLocalIndex(file)
          .close()
          .catch(() => undefined);
        const db = new Database(file);
        db.pragma('user_version = 99');
        db.close();
      },
    ],
  ])('refuses a file that is %s, and leaves it as it is', async (_, make) => {
    const { file } = given({});
    make(file);
    const before = readFileSync(file);
    const error = await refusal(() => openLocalIndex(file));
    expect(isProoflineError(error, 'PL_INDEX_UNUSABLE')).toBe(true);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('refuses a folder that is not there, and keeps what it has', async () => {
    const { folder, file } = given(many(3));
    const index = open(file);
    await index.indexFolder(folder);
    const error = await refusal(() => index.indexFolder(`${folder}-gone`));
    expect(isProoflineError(error, 'PL_INPUT_INVALID')).toBe(true);
    expect(index.stats()).toMatchObject({ documents: 3, complete: true });
  });

  it('says down when its tables are damaged', async () => {
    const { folder, file } = given(many(3));
    const index = open(file);
    await index.indexFolder(folder);
    const db = new Database(file);
    db.exec('DELETE FROM chunk');
    db.close();
    expect(await index.search({ query: 'gateway', mode: 'hybrid', filters: {}, topK: 1 })).toMatchObject({
      kind: 'down',
    });
  });
});
