import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { problemsAgainst } from '../../src/cli/schemas-at-revision.js';
import { cli } from '../support/cli-run.js';
import { refusal } from '../support/refusal.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

let root: string;
let schemas: string;

function git(...args: string[]): void {
  execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    stdio: 'pipe',
  });
}

beforeEach(() => {
  root = tempFolder();
  schemas = join(root, 'schemas');
  cpSync('schemas', schemas, { recursive: true });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  git('tag', 'v1');
});
afterEach(removeTempFolders);

interface Schema {
  fields: { name: string; type: unknown; default?: unknown }[];
}

function change(file: string, edit: (schema: Schema) => void): void {
  const path = join(schemas, file);
  const schema = JSON.parse(readFileSync(path, 'utf8')) as Schema;
  edit(schema);
  writeFileSync(path, JSON.stringify(schema));
}

describe('the schemas, held against a git revision', () => {
  test('given the same, nothing is broken', () => {
    expect(problemsAgainst('v1', schemas)).toEqual([]);
  });

  test('given an internal schema that can read what was written, nothing is broken', () => {
    change('run-state.v1.avsc', ({ fields }) => fields.push({ name: 'm', type: 'int', default: 0 }));
    expect(problemsAgainst('v1', schemas)).toEqual([]);
  });

  test('given an internal one that cannot, it is named', () => {
    change('run-state.v1.avsc', ({ fields }) => fields.push({ name: 'm', type: 'int' }));
    expect(problemsAgainst('v1', schemas).join('\n')).toContain(
      'run-state.v1 can no longer read what was written with it before',
    );
  });

  test('given a frozen one that moved, the promise of then is broken, although the old records are read', () => {
    change('ledger.v1.avsc', ({ fields }) => fields.push({ name: 'm', type: 'int', default: 0 }));
    const problems = problemsAgainst('v1', schemas);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('ledger.v1 is frozen, but');
  });

  test('given a frozen one that cannot read the old records, that is said as well', () => {
    change('ledger.v1.avsc', ({ fields }) => fields.push({ name: 'm', type: 'int' }));
    expect(problemsAgainst('v1', schemas).join('\n')).toContain('ledger.v1 cannot read the records of then');
  });

  test('given one that is gone, it is named', () => {
    rmSync(join(schemas, 'verdict.v1.avsc'));
    expect(problemsAgainst('v1', schemas).join('\n')).toContain('verdict.v1 is gone');
  });

  test('given a revision from before there was a lock, its schemas are what was promised', () => {
    rmSync(join(schemas, 'frozen.lock.json'));
    git('commit', '-q', '-a', '-m', 'no lock');
    expect(problemsAgainst('HEAD', schemas)).toEqual([]);
    change('ledger.v1.avsc', ({ fields }) => fields.pop());
    expect(problemsAgainst('HEAD', schemas).join('\n')).toContain('ledger.v1 is frozen, but');
  });

  test.each(['no-such-tag', '--output=x', '', 'v1:schemas'])('given %j, it is no revision', (revision) => {
    expect(() => problemsAgainst(revision, schemas)).toThrow(refusal('PL_INPUT_INVALID'));
  });

  test('given a folder that no git knows, it says so', () => {
    const folder = join(tempFolder(), 'schemas');
    cpSync('schemas', folder, { recursive: true });
    expect(() => problemsAgainst('v1', folder)).toThrow(
      refusal('PL_INPUT_INVALID', 'cannot be had from git'),
    );
  });

  test('the command answers with exit code 2 for what is no revision', async () => {
    expect(await cli(['schemas', 'check', '--against', 'no-such-tag'])).toMatchObject({ code: 2 });
  });
});
