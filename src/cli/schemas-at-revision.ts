import { execFileSync } from 'node:child_process';
import { ProoflineError } from '../contracts/errors.js';
import { avroTypeOf, brokenPromises, lockOf, type Lock } from '../contracts/freeze.js';
import { isTopicName } from '../contracts/topics.js';
import { packageLock, schemasFolder } from './package-schemas.js';

/**
 * Which promises of the schemas of a git revision the schemas of this folder break, each with what to do; and which
 * records of then cannot be read now.
 * @throws ProoflineError PL_INPUT_INVALID where there is no such revision, or no git.
 */
export function problemsAgainst(revision: string, folder = schemasFolder()): string[] {
  const current = packageLock(folder);
  const before = schemasAt(revision, folder);
  const broken = brokenPromises(lockThen(before, revision, folder), current.lock);
  return [...broken, ...unreadable(before, current.avro)];
}

type Schemas = ReadonlyMap<string, unknown>;

function schemasAt(revision: string, folder: string): Schemas {
  const commit = git(folder, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${revision}^{commit}`,
  ]);
  const files = git(folder, ['ls-tree', '--name-only', commit.trim(), './'])
    .split('\n')
    .filter((file) => file.endsWith('.avsc'));
  if (files.length === 0) throw noRevision(revision, 'it has no schemas');
  return new Map(
    files.map((file) => [file.replace('.avsc', ''), parsed(show(commit.trim(), file, folder), file)]),
  );
}

/** Its own lock tells which were frozen; one that has none yet promises what its schemas say. */
function lockThen(before: Schemas, revision: string, folder: string): Lock {
  try {
    return parsed(show(revision, 'frozen.lock.json', folder), 'frozen.lock.json') as Lock;
  } catch {
    return lockOf(
      [...before].filter(([name]) => isTopicName(name)),
      [],
    );
  }
}

function show(revision: string, file: string, folder: string): string {
  return git(folder, ['show', '--end-of-options', `${revision}:./${file}`]);
}

/** A frozen schema that moved may still read the old records; one that cannot loses them. */
function unreadable(before: Schemas, now: Schemas): string[] {
  return [...before].flatMap(([name, written]) => {
    const reading = now.get(name);
    if (reading === undefined) return [];
    try {
      avroTypeOf(reading).createResolver(avroTypeOf(written));
      return [];
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return [`${name} cannot read the records of then: ${problem}`];
    }
  });
}

const MAX_BYTES = 16 * 1024 * 1024;

function git(folder: string, args: readonly string[]): string {
  try {
    return execFileSync('git', ['-C', folder, ...args], {
      encoding: 'utf8',
      maxBuffer: MAX_BYTES,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    const said = stderr?.trim() ?? '';
    throw noRevision(args.at(-1) ?? '', said === '' ? message : said, error);
  }
}

function noRevision(revision: string, problem: string, cause?: unknown): ProoflineError {
  const what = `the schemas of ${JSON.stringify(revision)} cannot be had from git: ${problem.slice(0, 300)}`;
  return new ProoflineError('PL_INPUT_INVALID', { problem: what }, { cause });
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw noRevision(file, 'it is no JSON', error);
  }
}
