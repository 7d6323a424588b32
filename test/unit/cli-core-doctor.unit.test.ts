import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Check } from '../../src/doctor/check.js';
import { checkNode } from '../../src/cli/doctor/machine.js';
import { checkClock } from '../../src/cli/doctor/line-checks.js';
import { lookupRequested } from '../../producers/lookups.js';
import { openEmbeddedBus } from '../../src/bus/embedded/embedded-bus.js';
import { createCodec } from '../../src/contracts/codec.js';
import { encodeRecord } from '../../src/station/envelope.js';
import { readConfig } from '../../src/config/config.js';
import { dataFolder } from '../../src/line/data-folder.js';
import { openLocalLine } from '../../src/line/local-line.js';
import { serveLine } from '../../src/line/socket-server.js';
import { cli as run, type CliOptions, type CliRun } from '../support/cli-run.js';
import { docsFolder } from '../support/docs-folder.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

let data = '';
let docs = '';

beforeEach(async () => {
  data = join(tempFolder(), 'data');
  docs = docsFolder(tempFolder());
  await cli(['index', docs]);
});

afterEach(removeTempFolders);

function cli(argv: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  return run(['--data', data, ...argv], { env: { PROOFLINE_PARTITIONS: '2' }, ...options });
}

/** The findings that are not *ok*, and the exit code. */
async function findings(options: CliOptions = {}): Promise<{ code: number; found: readonly Check[] }> {
  const { code, out } = await cli(['doctor', '--json'], options);
  const { checks } = JSON.parse(out) as { checks: Check[] };
  return { code, found: checks.filter(({ status }) => status !== 'ok') };
}

describe('doctor', () => {
  it('where all is well, says so and what it looked at', async () => {
    const { code, out } = await cli(['doctor']);
    expect(code).toBe(0);
    expect([...out.matchAll(/^ok {4}(\w+)/gm)].map(([, name]) => name)).toEqual([
      ...['node', 'config', 'data', 'disk', 'line', 'storage', 'work', 'clock', 'keys', 'index'],
    ]);
    expect(out).toContain('2 partitions; SQLite with journal wal, synchronous FULL');
    expect(out.endsWith('\nall is well\n')).toBe(true);
  });

  it('asks a line that runs', async () => {
    const line = await openLocalLine({ config: readConfig({}, { data }).config });
    const server = await serveLine(line, data);
    const { code, out } = await cli(['doctor']);
    await server.close();
    await line.close();
    expect(out).toContain(`a line runs here (process ${process.pid}, since`);
    expect(out).toContain('synchronous FULL');
    expect(out).toContain('no station waits');
    expect(code).toBe(0);
  });

  it('says that another process has the folder, exit code 3', async () => {
    const line = await openLocalLine({ config: readConfig({}, { data }).config });
    const { code, found } = await findings();
    await line.close();
    expect(code).toBe(3);
    expect(found).toMatchObject([{ name: 'line', status: 'fail' }]);
  });

  it('without a data folder says how to make one, and makes none', async () => {
    rmSync(data, { recursive: true });
    const { code, out } = await cli(['doctor']);
    expect(code).toBe(0);
    expect(out).toMatch(/warn {2}data {6}\S+ is not there yet\n {16}→ `proofline dev`/);
    expect((await findings()).found).toHaveLength(1);
  });

  it('says that the configuration is wrong, each variable a finding', async () => {
    const env = { PROOFLINE_PARTITIONS: 'x', PROOFLINE_LOG_LEVEL: 'y' };
    const { code, found } = await findings({ env });
    expect(code).toBe(3);
    expect(found.map(({ finding }) => finding)).toEqual([
      expect.stringContaining('PROOFLINE_PARTITIONS'),
      expect.stringContaining('PROOFLINE_LOG_LEVEL'),
    ]);
  });

  it('says that nothing is indexed', async () => {
    rmSync(join(data, 'index.db'));
    expect(await findings()).toMatchObject({ code: 3, found: [{ name: 'index', status: 'fail' }] });
  });

  it('says that the index is behind its folder', async () => {
    writeFileSync(join(docs, 'new.md'), '# New\n\n## Part\n\ntext\n');
    rmSync(join(docs, 'disk.md'));
    const { code, found } = await findings();
    expect(code).toBe(0);
    expect(found).toMatchObject([{ name: 'index', status: 'warn' }]);
    expect(found[0]!.finding).toMatch(/1 files are new or changed since .*, 1 are gone/);
    expect(found[0]!.fix).toContain(`proofline index ${docs}`);
    await cli(['index', docs]);
    expect((await findings()).found).toEqual([]);
  });

  it('says that documents have no titles', async () => {
    for (const file of readdirSync(docs)) rmSync(join(docs, file));
    writeFileSync(join(docs, 'a.txt'), 'text without a title\n');
    await cli(['index', docs]);
    const { found } = await findings();
    expect(found).toMatchObject([
      { name: 'index', status: 'warn', finding: expect.stringContaining('100 %') as string },
    ]);
  });

  it('says that others may read a key', async () => {
    const keys = join(data, 'keys');
    const file = readdirSync(keys).find((name) => name.endsWith('.key.pem'))!;
    chmodSync(join(keys, file), 0o644);
    const { code, found } = await findings();
    expect(code).toBe(3);
    expect(found).toMatchObject([{ name: 'keys', status: 'fail' }]);
    expect(found[0]!.finding).toContain('chmod 600');
  });

  it('says that a file is not what it should be', async () => {
    writeFileSync(join(data, 'bus.db'), 'garbage '.repeat(1000));
    const { code, found } = await findings();
    expect(code).toBe(3);
    expect(found.map(({ name }) => name)).toContain('storage');
  });

  it('says that py-rag does not answer, without its token', async () => {
    const env = { PROOFLINE_PYRAG_URL: 'http://127.0.0.1:9/', PROOFLINE_PYRAG_TOKEN: 'sesame' };
    const { code, found } = await findings({ env });
    expect(code).toBe(3);
    expect(found).toMatchObject([{ name: 'search', status: 'fail' }]);
    expect(JSON.stringify(found)).not.toContain('sesame');
  });

  it('is content with a py-rag that answers', async () => {
    const answer = {
      query: 'q',
      mode: 'hybrid',
      hits: [],
      evidence_status: 'no_evidence',
      retrieval_trace: {},
    };
    const server = createServer((_request, response) => response.end(JSON.stringify(answer)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const env = { PROOFLINE_PYRAG_URL: `http://127.0.0.1:${port}/` };
    const { out } = await cli(['doctor'], { env });
    server.close();
    expect(out).toContain('py-rag answers');
    expect(out).toContain('all is well');
  });

  it('says what waits where no line runs', async () => {
    const bus = openEmbeddedBus({ folder: data });
    const emitter = { station: 'door', codec: createCodec(), partitions: 2, prefix: '', now: Date.now };
    const request = lookupRequested({ runId: 'r1', toolCallId: 'c1', query: 'x' }, Date.now());
    await bus.append([encodeRecord(emitter, 'lookup-requested.v1', request)]);
    await bus.close();
    const { found, code } = await findings();
    expect(code).toBe(0);
    const finding = '1 lookups and 0 drafts wait to be worked on';
    expect(found).toMatchObject([{ name: 'work', status: 'warn', finding }]);
  });

  it('says that a record is from the future', async () => {
    await cli(['lookup', 'gateway']);
    const paths = dataFolder(data);
    expect((await checkClock(paths, Date.now())).status).toBe('ok');
    const yesterday = Date.now() - 86_400_000;
    expect(await checkClock(paths, yesterday)).toMatchObject({
      status: 'fail',
      finding: expect.stringContaining('newest record') as string,
    });
  });
});

describe('the version of Node', () => {
  it.each([
    ['20.19.0', 'ok'],
    ['24.0.0', 'ok'],
    ['20.18.9', 'fail'],
    ['18.20.0', 'fail'],
  ])('%s is %s', (version, status) => {
    expect(checkNode(version).status).toBe(status);
  });
});
