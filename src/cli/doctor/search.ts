import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Config } from '../../config/config.js';
import type { DataFolder } from '../../line/data-folder.js';
import { readIndexSource, type IndexSource } from '../../line/index-source.js';
import { openIndexFile } from '../../retrieval/local/database.js';
import { createIndexStore, readStats, type IndexStats } from '../../retrieval/local/index-store.js';
import { createLeftOutTally } from '../../retrieval/local/left-out.js';
import { walkFolder } from '../../retrieval/local/walk-folder.js';
import { createPyRag } from '../../retrieval/py-rag/py-rag.js';
import { percent } from '../render/index-report.js';
import { failure, ok, warning, type Check } from '../../doctor/check.js';

/** Where lookups are answered from: py-rag must answer, an index must be there and say what its folder holds. */
export async function checkSearch(config: Config, paths: DataFolder): Promise<readonly Check[]> {
  return config.pyRag === null ? checkIndex(paths) : [await checkPyRag(config.pyRag)];
}

async function checkPyRag(access: NonNullable<Config['pyRag']>): Promise<Check> {
  const pyRag = createPyRag({ ...access, attempts: 1, downAfter: 1 });
  const outcome = await pyRag.search({ query: 'proofline doctor', mode: 'hybrid', filters: {}, topK: 1 });
  await pyRag.close();
  const fix = 'Check the service, PROOFLINE_PYRAG_URL and PROOFLINE_PYRAG_TOKEN.';
  if (outcome.kind === 'down') return failure('search', `py-rag is down: ${outcome.problem}`, fix);
  if (outcome.kind === 'failed') return failure('search', `py-rag: ${outcome.failure.message}`, fix);
  return ok('search', 'py-rag answers');
}

async function checkIndex(paths: DataFolder): Promise<readonly Check[]> {
  if (!existsSync(paths.index))
    return [
      failure(
        'index',
        'nothing is indexed, so no lookup can be answered',
        'Index a folder: `proofline index DIR`.',
      ),
    ];
  const { stats, paths: indexed } = readIndex(paths.index);
  const source = readIndexSource(paths.indexSource);
  const of = source === null ? '' : ` of ${source.folder}`;
  const holds = `${stats.documents} documents, ${stats.chunks} passages${of}`;
  const again = source === null ? '`proofline index DIR`' : `\`proofline index ${source.folder}\``;
  const checks = [holdsCheck(stats, holds, again), ...shareChecks(stats)];
  if (source !== null) checks.push(...(await freshness(source, indexed, again)));
  return checks;
}

function readIndex(file: string): { stats: IndexStats; paths: ReadonlySet<string> } {
  const db = openIndexFile(file, { readOnly: true });
  try {
    return { stats: readStats(db), paths: new Set(createIndexStore(db).digests().keys()) };
  } finally {
    db.close();
  }
}

function holdsCheck({ documents, complete }: IndexStats, holds: string, again: string): Check {
  if (documents === 0)
    return failure('index', `it is empty: ${holds}`, `Index a folder that has documents: ${again}.`);
  if (complete) return ok('index', holds);
  return warning('index', `${holds}; an indexing was broken off`, `Let it end: ${again}.`);
}

const TOO_MANY = 0.5;

function shareChecks({ withoutTitle, withoutSection }: IndexStats): readonly Check[] {
  if (withoutTitle <= TOO_MANY && withoutSection <= TOO_MANY) return [];
  const finding = `${percent(withoutTitle)} of the passages have no title but their file's name, ${percent(withoutSection)} stand under no heading`;
  return [
    warning(
      'index',
      finding,
      'Titles and headings are searched too: documents that have them are found better.',
    ),
  ];
}

/** Goes by the times of the files, which is quick; indexing itself goes by what is in them. */
async function freshness(
  { folder, indexedAt }: IndexSource,
  indexed: ReadonlySet<string>,
  again: string,
): Promise<readonly Check[]> {
  const files = await walkFolder(folder, createLeftOutTally()).catch(() => null);
  if (files === null)
    return [warning('index', `its folder ${folder} cannot be read any more`, `Index another one: ${again}.`)];
  const since = Date.parse(indexedAt);
  let changed = 0;
  for (const { location } of files) {
    const found = await stat(location).catch(() => null);
    if (found !== null && Math.max(found.mtimeMs, found.ctimeMs) > since) changed += 1;
  }
  const here = new Set(files.map(({ path }) => path));
  const gone = [...indexed].filter((path) => !here.has(path)).length;
  if (changed + gone === 0) return [];
  const finding = `it is behind its folder: ${changed} files are new or changed since ${indexedAt}, ${gone} are gone`;
  return [warning('index', finding, `Index again: ${again}, or \`proofline dev --watch 10\`.`)];
}
