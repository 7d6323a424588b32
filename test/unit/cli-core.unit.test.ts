import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.js';
import { VERSION } from '../../src/version.js';
import { cli } from '../support/cli-run.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterEach(removeTempFolders);

/** The names that `proofline --help` lists. */
async function commandNames(): Promise<string[]> {
  const { out } = await cli(['--help']);
  const list = out.slice(out.indexOf('Commands:'), out.indexOf('Examples:'));
  return [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name!).filter((name) => name !== 'help');
}

function errorOf(out: string): { code: string | null; message: string; solve: string; retryable: boolean } {
  return (JSON.parse(out) as { error: ReturnType<typeof errorOf> }).error;
}

describe('help', () => {
  it('lists every command, gives examples and says what exit codes mean', async () => {
    const { code, out, err } = await cli(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(await commandNames()).toEqual([
      ...[
        'demo',
        'dev',
        'up',
        'index',
        'lookup',
        'submit',
        'assemble',
        'review',
        'trail',
        'trace',
        'replay',
        'tail',
        'check',
        'try',
        'eval',
        'doctor',
      ],
      ...['topics', 'offsets', 'schemas', 'prompts', 'mcp', 'dlq', 'ledger', 'audit', 'keys', 'tokens'],
      'bench',
    ]);
    expect(out).toContain('proofline dev --docs');
    expect(out).toContain('Exit codes: 0 fine');
  });

  it('of every command has examples and the options that all have', async () => {
    for (const name of await commandNames()) {
      const { code, out } = await cli([name, '--help']);
      expect(code, name).toBe(0);
      expect(out.match(new RegExp(`proofline .*${name}`, 'g'))?.length, name).toBeGreaterThanOrEqual(3);
      expect(out, name).toContain('--data <DIR>');
      expect(out, name).toContain('--json');
    }
  });

  it('is what comes of no command, as an error', async () => {
    const { code, out, err } = await cli([]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: proofline');
  });

  it('--version prints the version', async () => {
    expect(await cli(['--version'])).toEqual({ code: 0, out: `${VERSION}\n`, err: '' });
  });
});

describe('a command line that cannot be read', () => {
  it.each([
    [['lokup', 'x'], /unknown command 'lokup' \(Did you mean lookup\?\)/],
    [['lookup', 'x', '--fitler', 'a=b'], /unknown option '--fitler' \(Did you mean --filter\?\)/],
    [['lookup'], /missing required argument 'query'/],
    [['submit', 'x.json'], /required option '--run <ID>' not specified/],
    [['index', 'a', 'b'], /too many arguments/],
    [['lookup', 'x', '--run'], /argument missing/],
  ])('%j is told in one message, exit code 2', async (argv, message) => {
    const { code, out, err } = await cli(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
    expect(err).toMatch(/^error PL_INPUT_INVALID: .*\n {2}→ .*\n$/);
  });

  it('is told as JSON with --json', async () => {
    const { code, out, err } = await cli(['lokup', '--json']);
    expect({ code, err }).toEqual({ code: 2, err: '' });
    expect(errorOf(out)).toMatchObject({ code: 'PL_INPUT_INVALID', retryable: false });
  });

  it('takes --json behind -- as an argument', async () => {
    const { out } = await cli(['lookup', '--bad', '--', '--json']);
    expect(out).toBe('');
  });
});

describe('an error', () => {
  it.each([
    ['2, your input', ['lookup', ' '], 2, 'PL_INPUT_INVALID'],
    ['2, an id that is none', ['submit', '-', '--run', 'a b', '--attempt', '0'], 2, 'PL_INPUT_INVALID'],
    ['3, your environment', ['lookup', 'x'], 3, 'PL_INDEX_UNUSABLE'],
    ['3, no line', ['submit', '-', '--run', 'r1'], 3, 'PL_DATA_FOLDER_UNUSABLE'],
  ] as const)('has exit code %s', async (_what, argv, exit, code) => {
    const data = join(tempFolder(), 'new');
    const run = await cli(['--data', data, '--json', ...argv]);
    expect(run.code).toBe(exit);
    expect(errorOf(run.out).code).toBe(code);
  });

  it('of the configuration lists everything that is wrong', async () => {
    const env = { PROOFLINE_PARTITIONS: 'x', PROOFLINE_LOG_LEVEL: 'y' };
    const { code, err } = await cli(['lookup', 'x'], { env });
    expect(code).toBe(3);
    expect(err).toMatch(/PROOFLINE_PARTITIONS is "x".*\n.*PROOFLINE_LOG_LEVEL is "y"/);
  });

  it('that nobody foresaw is one short message, with the stack only when asked', async () => {
    const { code, err } = await broken({});
    expect(code).toBe(1);
    expect(err).toMatch(/^error: Something unexpected happened: boom\n {2}→ .*PROOFLINE_DEBUG=1.*\n$/);
    expect((await broken({ PROOFLINE_DEBUG: '1' })).err).toContain('cli-core.unit.test.ts');
  });

  it('shows no escape sequences of others', async () => {
    const { err } = await cli(['try', '\u001b[2Jx', '--input', '-']);
    expect(err).not.toContain('\u001b');
  });
});

/** A program whose output breaks under it. */
async function broken(env: Record<string, string>): Promise<{ code: number; err: string }> {
  let err = '';
  const code = await runCli(['--help'], {
    out: () => {
      throw new Error('boom');
    },
    err: (text) => void (err += text),
    stdin: () => Promise.resolve(''),
    interactive: false,
    env,
    signal: new AbortController().signal,
  });
  return { code, err };
}

describe('who stops a command', () => {
  it('is told nothing more', async () => {
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    const folder = tempFolder();
    const docs = join(folder, 'docs');
    mkdirSync(docs);
    const run = await cli(['--data', folder, 'index', docs], { signal: stop.signal });
    expect(run).toEqual({ code: 1, out: '', err: '' });
  });
});

describe('an unknown variable', () => {
  it('is a warning on standard error, and no more', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'a.md'), '# A\n\nText of a.\n');
    const env = { PROOFLINE_PARTITION: '1', PROOFLINE_PARTITIONS: '1' };
    const { code, out, err } = await cli(['--data', join(folder, 'd'), 'index', folder, '--json'], { env });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ documents: 1 });
    expect(err).toBe(
      'warning: PROOFLINE_PARTITION is not a variable of proofline and does nothing; did you mean PROOFLINE_PARTITIONS?\n',
    );
  });
});
