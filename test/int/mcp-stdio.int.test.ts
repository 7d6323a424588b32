import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { systemPrompt } from '../../src/prompts/kit.js';
import { cli } from '../support/cli-run.js';
import { docsFolder } from '../support/docs-folder.js';
import { callTool, texts } from '../support/mcp.js';
import { INITIALIZE } from '../support/mcp-http.js';
import { command, stdioClient } from '../support/mcp-process.js';
import { tellStory } from '../support/mcp-story.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const clients: Client[] = [];
const processes: ChildProcessByStdio<Writable, Readable, Readable>[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const child of processes.splice(0)) child.kill('SIGKILL');
  removeTempFolders();
});

const SLOW_MS = 120_000;

async function indexed(): Promise<string> {
  const data = tempFolder();
  const { code } = await cli(['index', docsFolder(data), '--data', data]);
  expect(code).toBe(0);
  return data;
}

/** A process whose streams the test holds itself. */
function start(...argv: readonly string[]) {
  const { command: file, args } = command('mcp', ...argv);
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  processes.push(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const answers = (): { id?: number; result?: Record<string, unknown>; error?: object }[] =>
    out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as object);
  return { child, answers, err: () => err, ended };
}

const call = (id: number, name: string, args: unknown): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`;

describe('proofline mcp over standard input and output', { timeout: SLOW_MS }, () => {
  it('takes a model from a question over a forged report to a published one', async () => {
    const data = await indexed();
    const { client, err } = await stdioClient('--data', data);
    clients.push(client);
    const { runId, view } = await tellStory(client);
    expect(err()).toBe('');

    // Other commands find the line of this process, as they find that of `proofline dev`.
    const trail = JSON.parse((await cli(['trail', runId, '--data', data, '--json'])).out) as {
      lookups: { shown: { agent_view_sha256: string } }[];
      drafts: { outcome: { outcome: string } | null }[];
    };
    expect(trail.lookups[0]?.shown.agent_view_sha256).toBe(sha256(view));
    expect(trail.drafts.map(({ outcome }) => outcome?.outcome)).toEqual([undefined, 'VERIFIED']);
    const other = await cli(['lookup', 'full disk', '--data', data, '--json']);
    expect(other.code).toBe(0);

    const verified = await cli(['tail', 'verified.v1', '--data', data, '--json']);
    const { id, version, sha256: digest } = systemPrompt('en');
    expect(verified.out).toContain(JSON.stringify({ id, version, sha256: digest }));
  });

  it('answers what was asked when the input ends, and ends with it', async () => {
    const data = await indexed();
    const one = start('--data', data, '--run', 'job-7');
    one.child.stdin.end(`${INITIALIZE}\n${call(2, 'lookup_knowledge', { query: 'gateway timeout' })}`);
    expect(await one.ended).toBe(0);
    const found = one.answers().find(({ id }) => id === 2);
    expect(found?.result).toMatchObject({ _meta: { 'dev.proofline/lookup': { run_id: 'job-7' } } });
    expect(one.err()).toBe('');
  });

  it('ends when nobody reads its output any more', async () => {
    const data = await indexed();
    const one = start('--data', data);
    one.child.stdin.write(`${INITIALIZE}\n`);
    await waitUntil('it answers', () => one.answers().length === 1, SLOW_MS);
    one.child.stdout.destroy();
    for (let i = 0; i < 20; i++) one.child.stdin.write(call(i, 'lookup_knowledge', { query: 'disk' }));
    one.child.stdin.on('error', () => undefined);
    expect(await one.ended).toBe(0);
  });

  it('ends on SIGTERM', async () => {
    const one = start('--data', await indexed());
    one.child.stdin.write(`${INITIALIZE}\n`);
    await waitUntil('it answers', () => one.answers().length === 1, SLOW_MS);
    one.child.kill('SIGTERM');
    expect(await one.ended).toBe(0);
  });

  it('writes the protocol and nothing else, whatever comes in', async () => {
    const one = start('--data', await indexed());
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    one.child.stdin.write(
      [
        INITIALIZE,
        'no json',
        '{"jsonrpc":"2.0"}',
        deep,
        `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"lookup_knowledge","arguments":{"query":${deep}}}}`,
        call(4, 'lookup_knowledge', { query: 'x'.repeat(2 * 1024 * 1024) }).trim(),
        call(5, 'submit_draft', { draft: { analysis: 'x'.repeat(900_000) } }).trim(),
        '',
      ].join('\n'),
    );
    const hundred = Array.from({ length: 100 }, (_, i) =>
      call(100 + i, 'lookup_knowledge', { query: `disk ${i}` }),
    );
    one.child.stdin.end(hundred.join(''));
    expect(await one.ended).toBe(0);
    const answers = new Map(one.answers().map((answer) => [answer.id, answer]));
    for (const id of [3, 4, 5]) expect(answers.get(id)?.result).toMatchObject({ isError: true });
    for (let i = 0; i < 100; i++) expect(answers.get(100 + i)?.result).toHaveProperty('content');
    expect(one.err()).not.toBe('');
  });

  it('cuts a client off that sends a message without end', async () => {
    const one = start('--data', await indexed());
    one.child.stdin.on('error', () => undefined);
    one.child.stdin.write(`${INITIALIZE}\n`);
    await waitUntil('it answers', () => one.answers().length === 1, SLOW_MS);
    one.child.stdin.write('x'.repeat(5 * 1024 * 1024));
    expect(await one.ended).toBe(0);
    expect(one.err()).toContain('exceeded');
  });

  it('says what is wrong before it serves', async () => {
    const empty = tempFolder();
    const none = await cli(['mcp', '--data', `${empty}/none`]);
    expect(none).toMatchObject({ code: 3, out: '' });
    expect(none.err).toContain('proofline index');
    for (const argv of [
      ['--http', '0.0.0.0:0'],
      ['--http', 'nowhere'],
      ['--run', '../x'],
      ['--run-prefix', ' '],
      ['--lang', 'de'],
      ['--wait', '0'],
      ['--url', 'ftp://x'],
    ])
      expect(await cli(['mcp', '--data', empty, ...argv])).toMatchObject({ code: 2, out: '' });
  });
});

describe('two servers over one data folder', { timeout: SLOW_MS }, () => {
  it('share the line of the one that came first', async () => {
    const data = await indexed();
    const first = await stdioClient('--data', data);
    clients.push(first.client);
    const second = await stdioClient('--data', data);
    clients.push(second.client);
    await tellStory(second.client);
    await first.client.close();
    // The line is gone with the first: that is said, as something that may pass.
    const answer = await callTool(second.client, 'lookup_knowledge', { query: 'disk' });
    expect(answer.isError).toBe(true);
    expect(texts(answer)[0]).toContain('PL_NOT_SERVING');

    const third = await stdioClient('--data', data);
    clients.push(third.client);
    expect((await callTool(second.client, 'lookup_knowledge', { query: 'disk' })).isError).toBeUndefined();
  });
});
