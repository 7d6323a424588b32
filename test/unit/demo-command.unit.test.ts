import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDemo } from '../../src/cli/commands/demo.js';
import { nextCommands } from '../../src/cli/render/demo-next.js';
import { examplesFolder } from '../../src/demo/examples-folder.js';
import { dataFolder } from '../../src/line/data-folder.js';
import { openRetrieval } from '../../src/line/retrieval.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

interface Ran {
  readonly out: string;
  readonly code: number;
}

interface Terminal {
  readonly data?: string;
  readonly json?: boolean;
  readonly interactive?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function demo(args: readonly string[], terminal: Terminal = {}): Promise<Ran> {
  const { data = '.proofline', json = false, interactive = false, env = {} } = terminal;
  const { signal = new AbortController().signal } = terminal;
  const ran = { out: '', code: 0 };
  const program = new Command().exitOverride();
  addDemo(program, {
    io: {
      out: (text) => void (ran.out += text),
      err: () => undefined,
      stdin: () => Promise.resolve(''),
      interactive,
      env,
      signal,
    },
    global: () => ({ data, json }),
    exit: (code) => void (ran.code = code),
  });
  await program.parseAsync(['demo', ...args], { from: 'user' });
  return ran;
}

/** Where the demo makes its folders here, and other tests do not. */
let folders: string;
const tmpdirBefore = process.env['TMPDIR'];

beforeAll(() => {
  folders = tempFolder();
  process.env['TMPDIR'] = folders;
});

afterAll(() => {
  if (tmpdirBefore === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = tmpdirBefore;
  removeTempFolders();
});

function demoFolders(): readonly string[] {
  return readdirSync(folders).filter((name) => name.startsWith('proofline-demo-'));
}

describe('proofline demo', () => {
  let ran: Ran;

  beforeAll(async () => {
    ran = await demo([]);
  });

  test('tells the story, one trail and what to try next, and exits with 0', () => {
    expect(ran.code).toBe(0);
    const headings = [
      'INDEX',
      'RUN demo-gateway',
      'RUN demo-kafka',
      'RUN demo-gpu',
      'TRAIL',
      'IN SHORT',
      'TRY NEXT',
    ];
    const places = headings.map((heading) => ran.out.indexOf(heading));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(ran.out).toContain('├─ draft draft-no-evidence  PASSED');
  });

  test('is of a length that a person reads', () => {
    expect(ran.out.split('\n').length).toBeLessThan(115);
  });

  test('leaves no folder behind, and no colours where nobody watches', () => {
    expect(demoFolders()).toEqual([]);
    expect(ran.out).not.toContain('\u001b');
  });
});

describe('proofline demo --json', () => {
  test('gives every record as one JSON value', async () => {
    const { out, code } = await demo([], { json: true, interactive: true });
    const report = JSON.parse(out) as {
      kept: boolean;
      runs: {
        run_id: string;
        lookups: unknown[];
        drafts: { verdict: { status: string }; verified: unknown }[];
      }[];
      trail: { run_id: string };
    };
    expect(code).toBe(0);
    expect(report.kept).toBe(true);
    expect(report.runs.map(({ run_id, lookups }) => [run_id, lookups.length])).toEqual([
      ['demo-gateway', 3],
      ['demo-kafka', 1],
      ['demo-gpu', 1],
    ]);
    const drafts = report.runs.flatMap((run) => run.drafts);
    expect(drafts.map(({ verdict, verified }) => [verdict.status, verified !== null])).toEqual([
      ['REJECTED', false],
      ['PASSED', true],
      ['PASSED', false],
      ['PASSED', true],
    ]);
    expect(report.trail.run_id).toBe('demo-gpu');
  });
});

describe('proofline demo --keep', () => {
  test('keeps the folder with its index, and says how to look into it', async () => {
    const data = join(tempFolder(), 'kept');
    const { out, code } = await demo(['--keep'], { data });
    expect(code).toBe(0);
    expect(out).toContain(`--data ${data} trail demo-gateway`);
    const paths = dataFolder(data);
    expect(existsSync(paths.bus)).toBe(true);
    const retrieval = openRetrieval(paths, null);
    expect(retrieval.describe()).toMatchObject({
      stats: { documents: 12 },
      source: { folder: join(examplesFolder(), 'docs') },
    });
    await retrieval.search.close();
  });

  test('touches no folder that holds anything', async () => {
    const data = tempFolder();
    writeFileSync(join(data, 'index.db'), 'of somebody else');
    await expect(demo(['--keep'], { data })).rejects.toMatchObject({ code: 'PL_INPUT_INVALID' });
    expect(readdirSync(data)).toEqual(['index.db']);
    expect(readFileSync(join(data, 'index.db'), 'utf8')).toBe('of somebody else');
  });
});

describe('proofline demo --examples', () => {
  test('exits with 1 and says in what a draft differs from what was promised', async () => {
    const examples = tempFolder();
    cpSync(examplesFolder(), examples, { recursive: true });
    const file = join(examples, 'drafts', 'true.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('md-57adcb16#chunk-0', 'md-57adcb16#chunk-7'));
    const { out, code } = await demo(['--examples', examples]);
    expect(code).toBe(1);
    expect(out).toContain('This is not what the demo promises:');
    expect(out).toContain('true.json: the verdict is REJECTED, not PASSED');
  });

  test('tells of a folder that is not there', async () => {
    const examples = join(tempFolder(), 'nowhere');
    await expect(demo(['--examples', examples])).rejects.toMatchObject({ code: 'PL_INPUT_INVALID' });
  });
});

describe('how the demo is printed', () => {
  test('colours for a person, unless they are not wanted', async () => {
    const [coloured, plain] = [
      await demo([], { interactive: true }),
      await demo([], { interactive: true, env: { NO_COLOR: '1' } }),
    ];
    expect(coloured.out).toContain('\u001b[31m');
    expect(plain.out).not.toContain('\u001b');
  });

  test('stops when it is told to, and leaves no folder', async () => {
    const reason = new Error('stopped');
    await expect(demo([], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(demoFolders()).toEqual([]);
  });
});

describe('the commands to try next', () => {
  const place = {
    command: 'proofline',
    examples: '/opt/pack age/examples',
    cwd: '/home/someone',
    kept: null,
  };

  test('name the examples from where the person is, quoted where a shell needs it', () => {
    const commands = nextCommands(place).flatMap((next) => next.commands);
    expect(commands[0]).toBe('proofline index "../../opt/pack age/examples/docs"');
    expect(commands).toHaveLength(5);
  });

  test('begin with the folder that was kept', () => {
    const [first] = nextCommands({ ...place, kept: '/tmp/d' });
    expect(first?.commands).toEqual(['proofline --data /tmp/d trail demo-gateway']);
  });
});
