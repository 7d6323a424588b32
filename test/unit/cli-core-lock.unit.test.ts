import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openLocalLine } from '../../src/line/local-line.js';
import { cli as run, startCli, type CliRun } from '../support/cli-run.js';
import { docsFolder } from '../support/docs-folder.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

let data = '';
const env = { PROOFLINE_PARTITIONS: '2' };

beforeEach(async () => {
  data = join(tempFolder(), 'data');
  await cli(['index', docsFolder(tempFolder())]);
});

afterEach(removeTempFolders);

function cli(argv: readonly string[]): Promise<CliRun> {
  return run(['--data', data, ...argv], { env });
}

describe('a data folder that is taken', () => {
  it('by a process that answers at no socket: it says so after a while', async () => {
    const line = await openLocalLine({ config: readConfig(env, { data }).config });
    const { code, err } = await cli(['lookup', 'gateway']);
    expect(code).toBe(3);
    expect(err).toMatch(/^error PL_DATA_FOLDER_LOCKED: .*\n {2}→ One process writes/);
    await line.close();
  });
});

describe('a command that is stopped', () => {
  it('ends, and leaves the folder to the next', async () => {
    const stop = new AbortController();
    // Nobody answers at this address for a long time.
    const url = { ...env, PROOFLINE_PYRAG_URL: 'http://127.0.0.1:9/', PROOFLINE_ANSWER_TIMEOUT_MS: '600000' };
    const waiting = startCli(['--data', data, 'lookup', 'gateway', '--run', 'r9'], {
      env: url,
      signal: stop.signal,
    });
    const probe = async (): Promise<boolean> =>
      (await cli(['doctor', '--json'])).out.includes('another process');
    await waitUntil('it has the folder', probe);
    stop.abort(new Error('stopped by SIGINT'));
    expect(await waiting.ended).toEqual({ code: 1, out: '', err: '' });
    expect((await cli(['lookup', 'gateway'])).code).toBe(0);
  });
});
