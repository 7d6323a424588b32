import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLineLog } from '../../src/cli/dev/incident-log.js';
import { createRepeater } from '../../src/cli/dev/repeater.js';
import { openEmbeddedBus } from '../../src/bus/embedded/embedded-bus.js';
import { cli as run, startCli, type CliOptions, type CliRun, type RunningCli } from '../support/cli-run.js';
import { docsFolder } from '../support/docs-folder.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { createGate, waitUntil } from '../support/wait.js';

let data = '';
let docs = '';
let stop = new AbortController();
let running: RunningCli | null = null;
const env = { PROOFLINE_PARTITIONS: '2' };

beforeEach(() => {
  data = join(tempFolder(), 'data');
  docs = docsFolder(tempFolder());
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort(new Error('the test is over'));
  await running?.ended;
  running = null;
  removeTempFolders();
});

function cli(argv: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  return run(['--data', data, ...argv], { env, ...options });
}

/** Starts `proofline dev`, and resolves once it says that it runs. */
async function dev(...argv: readonly string[]): Promise<RunningCli> {
  const started = startCli(['--data', data, 'dev', ...argv], { env, signal: stop.signal });
  running = started;
  let failed: CliRun | null = null;
  void started.ended.then((ended) => (failed = ended));
  await waitUntil('it runs', () => {
    if (failed !== null) throw new Error(`it ended: ${failed.err}`);
    return started.out().includes(argv.includes('--json') ? '"socket"' : 'socket ');
  });
  return started;
}

describe('dev', () => {
  it('indexes, says what runs, answers other commands, and stops when asked', async () => {
    const started = await dev('--docs', docs);
    expect(started.out()).toMatch(/^indexed {3}.*2 documents, 2 passages/);
    expect(started.out()).toMatch(
      /\nrunning {3}proofline \S+; Ctrl-C stops it\ndata {6}.*, 2 partitions, entries are signed by key \w{16}\n/,
    );
    expect(started.out()).toContain(`search    the local index of ${docs}: 2 documents, 2 passages`);
    expect(existsSync(join(data, 'proofline.sock'))).toBe(true);

    const lookup = await cli(['lookup', 'gateway timeout upstream', '--run', 'r1', '--call', 'c1']);
    expect(lookup).toMatchObject({ code: 0, err: '' });
    expect(lookup.out).toContain('EVIDENCE_FOUND');
    const report = '{"analysis":[],"conclusion":null,"action_plan":[],"limitations":["x"]}';
    expect((await cli(['submit', '-', '--run', 'r1'], { stdin: report })).code).toBe(0);
    expect((await cli(['index', docs])).out).toContain('0 new or changed, 2 as before');

    stop.abort(new Error('stopped by SIGINT'));
    const ended = await started.ended;
    expect(ended).toMatchObject({ code: 0, err: 'stopped\n' });
    expect(existsSync(join(data, 'proofline.sock'))).toBe(false);
    const alone = await cli(['lookup', 'gateway timeout upstream', '--run', 'r1', '--call', 'c1']);
    expect(alone.out).toContain('asked before');
  });

  it('without documents starts, says how to index, and answers once it was done', async () => {
    const started = await dev();
    expect(started.out()).toContain('nothing is indexed yet, so no lookup can be answered');
    expect(started.out()).toContain('index DIR');
    expect(await cli(['lookup', 'gateway'])).toMatchObject({ code: 3 });
    expect((await cli(['index', docs])).code).toBe(0);
    expect((await cli(['lookup', 'gateway'])).code).toBe(0);
  });

  it('a second one on the same folder is refused', async () => {
    await dev();
    const { code, err } = await cli(['dev']);
    expect(code).toBe(3);
    expect(err).toMatch(
      /^error PL_DATA_FOLDER_LOCKED: The data folder \S+ is in use by another process\n {2}→ /,
    );
  });

  it('with --json says in one line what runs', async () => {
    const started = await dev('--docs', docs, '--json');
    const lines = started.out().trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      pid: process.pid,
      partitions: 2,
      socket: join(data, 'proofline.sock'),
      retrieval: { kind: 'local', index: { documents: 2 } },
    });
  });

  it('indexes again on SIGHUP, and survives that the folder is away', async () => {
    const started = await dev('--docs', docs);
    writeFileSync(join(docs, 'new.md'), '# Walrus\n\nA walrus sleeps.\n');
    started.hangUp();
    await waitUntil('it says so', () => started.err().includes('indexed again: 1 new or changed'));
    expect((await cli(['lookup', 'walrus'])).out).toContain('EVIDENCE_FOUND');
    rmSync(docs, { recursive: true });
    started.hangUp();
    await waitUntil('it warns', () => started.err().includes('warning: '));
    expect((await cli(['lookup', 'walrus', '--json'])).out).toContain('EVIDENCE_FOUND');
  });

  it('with --watch looks by itself for what has changed', async () => {
    const started = await dev('--docs', docs, '--watch', '1');
    rmSync(join(docs, 'disk.md'));
    await waitUntil('it says so', () => started.err().includes('indexed again: 0 new or changed, 1 gone'));
  });

  it('logs what goes to the dead letters, by its ids', async () => {
    const bus = openEmbeddedBus({ folder: data, partitions: 2 });
    const key = Buffer.from('r1');
    const value = Buffer.from('the walrus sleeps');
    await bus.append([{ topic: 'lookup-requested.v1', partition: 0, key, value, headers: { ce_id: 'e1' } }]);
    await bus.close();
    const started = await dev('--docs', docs);
    await waitUntil('it is logged', () => started.err().includes('\n'));
    const logged = JSON.parse(started.err().split('\n')[0]!) as unknown;
    const ids = { run_id: 'r1', event_id: 'e1', topic: 'lookup-requested.v1', partition: 0, offset: 0 };
    expect(logged).toMatchObject({ station: 'retrieve', code: 'PL_RECORD_UNDECODABLE', ...ids });
    expect(started.err()).not.toContain('walrus');
  });

  it.each([
    [['dev', '--watch', '5'], /--watch needs a folder/],
    [['dev', '--docs', '/nowhere/at/all'], /does not exist/],
    [['dev', '--docs', '.', '--watch', 'often'], /--watch is "often"/],
  ])('refuses %j', async (argv, message) => {
    const { code, err } = await cli(argv);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(existsSync(data)).toBe(false);
  });

  it('refuses documents where lookups go to py-rag', async () => {
    const { code } = await cli(['dev', '--docs', docs], {
      env: { PROOFLINE_PYRAG_URL: 'http://127.0.0.1:9/' },
    });
    expect(code).toBe(2);
  });

  it('that is stopped while it indexes is stopped, not broken', async () => {
    stop.abort(new Error('stopped by SIGINT'));
    const { code, err } = await cli(['dev', '--docs', docs], { signal: stop.signal });
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});

describe('the log of a line', () => {
  it('names code, place, run and event, and nothing that a thrown error says', async () => {
    const bus = openEmbeddedBus({ folder: data, partitions: 1 });
    const record = {
      topic: 'ledger.v1',
      partition: 0,
      key: Buffer.from('r1/c1'),
      value: null,
      headers: { ce_id: 'e1' },
    } as const;
    await bus.append([record]);
    let err = '';
    const io = { ...nothing, err: (text: string) => void (err += text) };
    const log = createLineLog(io, 'info');
    const at = { topic: 'ledger.v1', partition: 0, offset: 0 } as const;
    const cause = new TypeError('the text of the evidence');
    log.incident(
      { station: 'guard', code: 'PL_INVARIANT', params: { problem: cause.message }, record: at, cause },
      bus,
    );
    await waitUntil('it is logged', () => err !== '');
    await bus.close();
    expect(JSON.parse(err)).toMatchObject({
      level: 40,
      station: 'guard',
      code: 'PL_INVARIANT',
      topic: 'ledger.v1',
      offset: 0,
      run_id: 'r1',
      event_id: 'e1',
      msg: 'The record contradicts its own contract: TypeError',
    });
    expect(err).not.toContain('the text of the evidence');

    err = '';
    log.incident({ station: 'guard', code: 'PL_PARTITION_WRONG', params: { found: 1 }, record: at }, bus);
    await waitUntil('it is logged although the bus is closed', () => err !== '');
    expect(err).toContain('PL_PARTITION_WRONG');
  });
});

const nothing = {
  out: () => undefined,
  stdin: () => Promise.resolve(''),
  interactive: false,
  env: {},
  signal: new AbortController().signal,
};

describe('repeating work', () => {
  it('does one at a time, and once more for all that was asked meanwhile', async () => {
    const gates = [createGate(), createGate(), createGate()];
    let begun = 0;
    const repeater = createRepeater(() => gates[begun++]!.opened);
    repeater.request();
    expect(begun).toBe(1);
    repeater.request();
    repeater.request();
    expect(begun).toBe(1);
    gates[0]!.open();
    await waitUntil('it is done again', () => begun === 2);
    gates[1]!.open();
    await repeater.stop();
    repeater.request();
    expect(begun).toBe(2);
  });
});
