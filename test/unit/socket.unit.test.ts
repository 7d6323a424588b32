import { existsSync, lstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig, type Config } from '../../src/config/config.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { connectLine } from '../../src/line/connect-line.js';
import type { LineClient } from '../../src/line/line-client.js';
import { openLocalLine, type LocalLine } from '../../src/line/local-line.js';
import { connectSocket } from '../../src/line/socket-client.js';
import { MAX_BODY_BYTES, serveLine, type SocketServer } from '../../src/line/socket-server.js';
import { docsFolder } from '../support/docs-folder.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  removeTempFolders();
});

function configFor(data: string, env: Record<string, string> = {}): Config {
  return readConfig({ PROOFLINE_PARTITIONS: '2', PROOFLINE_ANSWER_TIMEOUT_MS: '10000', ...env }, { data })
    .config;
}

async function openLine(data: string): Promise<LocalLine> {
  const line = await openLocalLine({ config: configFor(data) });
  closing.push(() => line.close());
  return line;
}

/** A line with a client that reaches it by its socket. */
async function served(
  data = tempFolder(),
): Promise<{ line: LocalLine; server: SocketServer; client: LineClient; data: string }> {
  const line = await openLine(data);
  const server = await serveLine(line, data);
  closing.push(() => server.close());
  const client = await connectSocket(data);
  if (client === null) throw new Error('nobody answers at the socket');
  return { line, server, client, data };
}

/** The error's code, of a promise that has to reject. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return isProoflineError(error) ? error.code : `no code: ${String(error)}`;
}

interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/** A request that no client of ours would make. */
function raw(path: string, method: string, url: string, body?: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: path, method, path: url, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('a line behind its socket', () => {
  it('answers as the line in this process does', async () => {
    const { line, client, data } = await served();
    const docs = docsFolder(data);
    const progress: number[] = [];
    const report = await client.index(docs, { onProgress: ({ filesDone }) => void progress.push(filesDone) });
    expect(report).toMatchObject({
      folder: docs,
      documents: 2,
      indexed: 2,
      left_out: { counts: { extension: 1 } },
    });

    const lookup = {
      runId: 'r1',
      toolCallId: 'c1',
      query: 'gateway timeout upstream',
      filters: { path: 'gateway' },
    };
    const answer = await client.lookup(lookup);
    expect(answer.projected).toMatchObject({
      run_id: 'r1',
      tool_call_id: 'c1',
      state: 'READY',
      repeat: false,
    });
    const again = await line.lookup(lookup);
    expect(again.projected['agent_view']).toBe(answer.projected['agent_view']);
    expect(again.projected['repeat']).toBe(true);

    const draftJson = JSON.stringify({
      analysis: [],
      conclusion: null,
      action_plan: [],
      limitations: ['nothing was looked at'],
    });
    const judged = await client.submit({
      runId: 'r1',
      draftId: 'd1',
      draftJson,
      limits: { deadline: Date.now(), maxLookups: null, maxTokens: null, maxAttempts: 2 },
    });
    expect(judged).toMatchObject({
      verdict: { status: 'PASSED', draft_id: 'd1' },
      reviewed: { decision: 'PUBLISH' },
      verified: { outcome: 'VERIFIED' },
    });
    expect(await client.health()).toMatchObject({
      pid: process.pid,
      partitions: 2,
      sqlite: { journal_mode: 'wal', synchronous: 2 },
      retrieval: { kind: 'local', index: { documents: 2, folder: docs } },
      waiting: [],
    });
  });

  it('says what went wrong with the code that it has', async () => {
    const { client, data } = await served();
    const lookup = { runId: 'r1', toolCallId: 'c1', query: 'x' };
    expect(await codeOf(client.lookup(lookup))).toBe('PL_INDEX_UNUSABLE');
    await client.index(docsFolder(data));
    expect(await codeOf(client.lookup({ ...lookup, runId: 'not an id' }))).toBe('PL_ID_INVALID');
    expect(await codeOf(client.index(join(data, 'nowhere')))).toBe('PL_INPUT_INVALID');
    const replay = { deadLetterEventId: 'e', partition: 0, offset: 0, by: 'me' };
    expect(await codeOf(client.replay(replay))).toBe('PL_NOT_FOUND');
    const large = { runId: 'r1', draftId: 'd1', draftJson: 'x'.repeat(MAX_BODY_BYTES) };
    expect(await codeOf(client.submit(large))).toBe('PL_INPUT_INVALID');
  });

  it('breaks indexing off when nobody waits for it any more', async () => {
    const { client, data } = await served();
    const stop = new AbortController();
    const reason = new Error('enough');
    const indexing = client.index(docsFolder(data), {
      onProgress: () => stop.abort(reason),
      signal: stop.signal,
    });
    await expect(indexing).rejects.toBe(reason);
    // The line has left off too: one indexing is made at a time.
    const docs = docsFolder(data);
    const again = await waitUntil('it can be indexed again', () => client.index(docs).catch(() => null));
    expect(again.documents).toBe(2);
  });
});

describe('what a hostile client sends', () => {
  const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const lookupWith = (filters: string): string =>
    `{"run_id":"r1","tool_call_id":"c1","query":"x","filters":${filters}}`;

  it.each<[string, string, string, string | Buffer, number]>([
    ['too large a body', 'POST', '/index', JSON.stringify({ folder: 'x'.repeat(MAX_BODY_BYTES) }), 400],
    ['no JSON', 'POST', '/lookups', '{"run_id":', 400],
    ['no object', 'POST', '/drafts', '[]', 400],
    ['nothing', 'POST', '/drafts', '', 400],
    ['bytes that are no text', 'POST', '/index', Buffer.from([0xff, 0xfe, 0x00]), 400],
    ['an unknown field', 'POST', '/index', '{"folder":"/","__proto__":{"a":1},"more":1}', 400],
    ['deep JSON', 'POST', '/lookups', deep(100_000), 400],
    ['deep filters', 'POST', '/lookups', lookupWith(`{"a":${deep(50_000)}}`), 400],
    ['filters that are a list', 'POST', '/lookups', lookupWith('[]'), 400],
    ['another path', 'POST', '/lookups/../../etc/passwd', '{}', 404],
    ['a name of every object', 'GET', '/constructor', '', 404],
    ['another method', 'DELETE', '/lookups', '{}', 404],
    ['a folder that is none', 'POST', '/index', '{"folder":"\\u0000"}', 400],
  ])('%s is answered with an error, and the line goes on', async (_what, method, url, body, status) => {
    const { server, client } = await served();
    const answer = await raw(server.path, method, url, body).catch((error: unknown) => error as Error);
    // Who sends too much may find the connection closed before the answer.
    if (answer instanceof Error) expect(body.length).toBeGreaterThan(MAX_BODY_BYTES);
    else {
      expect(answer.status).toBe(status);
      expect(answer.body).toContain(body.length > MAX_BODY_BYTES ? 'it has more than' : '"error"');
    }
    expect((await client.health()).waiting).toEqual([]);
  });

  it('garbage, silence and going away do it no harm', async () => {
    const { server, client } = await served();
    const garbage = connect(server.path);
    garbage.on('error', () => undefined);
    garbage.write(Buffer.from([0, 1, 2, 3, 0x0d, 0x0a, 0x0d, 0x0a]));
    await waitUntil('the connection is closed', () => garbage.closed);
    const silent = connect(server.path);
    const leaving = connect(server.path);
    leaving.write('POST /lookups HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{');
    leaving.destroy();
    expect((await client.health()).pid).toBe(process.pid);
    silent.destroy();
  });
});

describe('the socket', () => {
  it('is open to its owner only, and goes with the line', async () => {
    const { server, data } = await served();
    expect(statSync(server.path).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o077).toBe(0);
    await server.close();
    expect(existsSync(server.path)).toBe(false);
    expect(await connectSocket(data)).toBeNull();
  });

  it('of a killed process counts as none, and is replaced', async () => {
    const data = tempFolder();
    const path = join(data, 'proofline.sock');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    expect(lstatSync(path).isSocket()).toBe(true);
    expect(await connectSocket(data)).toBeNull();
    const { server } = await served(data);
    expect(server.path).toBe(path);
  });

  it('is not put in the place of a file', async () => {
    const data = tempFolder();
    writeFileSync(join(data, 'proofline.sock'), 'mine');
    const line = await openLine(data);
    expect(await codeOf(serveLine(line, data))).toBe('PL_DATA_FOLDER_UNUSABLE');
  });

  it('of a folder with too long a path is somewhere else, and is found', async () => {
    const data = join(tempFolder(), 'a'.repeat(60), 'b'.repeat(60));
    mkdirSync(data, { recursive: true });
    const { server, client } = await served(data);
    expect(Buffer.byteLength(server.path)).toBeLessThanOrEqual(100);
    expect((await client.health()).folder).toBe(data);
    await server.close();
    expect(await connectSocket(data)).toBeNull();
  });
});

describe('connecting', () => {
  it('takes the running line, else one in this process', async () => {
    const { data } = await served();
    const remote = await connectLine({ config: configFor(data) });
    expect(remote.remote).toBe(true);
    const own = await connectLine({ config: configFor(tempFolder()) });
    closing.push(() => own.close());
    expect(own.remote).toBe(false);
  });

  it('waits for another short command, but not for ever', async () => {
    const data = tempFolder();
    const first = await openLine(data);
    expect(await codeOf(connectLine({ config: configFor(data), lockWaitMs: 0 }))).toBe(
      'PL_DATA_FOLDER_LOCKED',
    );
    const second = connectLine({ config: configFor(data), lockWaitMs: 60_000 });
    await first.close();
    const client = await second;
    closing.push(() => client.close());
    expect(client.remote).toBe(false);
  });

  it('makes no folder where something has to be there', async () => {
    const data = join(tempFolder(), 'new');
    const config = configFor(data);
    expect(await codeOf(connectLine({ config, requires: 'a line' }))).toBe('PL_DATA_FOLDER_UNUSABLE');
    expect(await codeOf(connectLine({ config, requires: 'something to search' }))).toBe('PL_INDEX_UNUSABLE');
    expect(existsSync(data)).toBe(false);
  });

  it('refuses another number of partitions than the folder has', async () => {
    const data = tempFolder();
    await (await openLine(data)).close();
    const config = configFor(data, { PROOFLINE_PARTITIONS: '3' });
    expect(await codeOf(connectLine({ config }))).toBe('PL_PARTITIONS_CHANGED');
  });
});
