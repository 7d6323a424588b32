import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { isLoopback } from '../../src/mcp/http-access.js';
import type { McpHttp } from '../../src/mcp/http-server.js';
import { callTool, fakeLine, ready, texts, viewOf } from '../support/mcp.js';
import { INITIALIZE, post, serve } from '../support/mcp-http.js';
import { createGate, waitUntil } from '../support/wait.js';

const servers: McpHttp[] = [];
const clients: Client[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const server of servers.splice(0)) await server.close();
});

async function started(...given: Parameters<typeof serve>): Promise<McpHttp> {
  const server = await serve(...given);
  servers.push(server);
  return server;
}

async function connected(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  clients.push(client);
  await client.listTools();
  return client;
}

describe('over HTTP', () => {
  it('gives each session a run of its own, and the view to the byte', async () => {
    const line = fakeLine();
    const { url } = await started(line);
    for (const client of [await connected(url), await connected(url)]) {
      const answer = await callTool(client, 'lookup_knowledge', { query: '网关超时' });
      expect(texts(answer)).toEqual([viewOf(line.lookups.at(-1)!)]);
    }
    const [first, second] = line.lookups;
    expect(first?.runId).not.toBe(second?.runId);
  });

  it('hears of a cancellation', async () => {
    const asked = createGate();
    let heard: AbortSignal | undefined;
    const line = fakeLine({
      lookup: (_lookup, { signal }) => {
        heard = signal;
        asked.open();
        return new Promise(() => undefined);
      },
    });
    const client = await connected((await started(line)).url);
    const cancelling = new AbortController();
    const answer = callTool(client, 'lookup_knowledge', { query: 'q' }, cancelling.signal);
    await asked.opened;
    cancelling.abort(new Error('no longer needed'));
    await expect(answer).rejects.toThrow('no longer needed');
    await waitUntil('the line hears of it', () => heard?.aborted === true);
  });

  it('ends with calls that still wait', async () => {
    const asked = createGate();
    const line = fakeLine({
      lookup: () => {
        asked.open();
        return new Promise(() => undefined);
      },
    });
    const server = await started(line);
    const client = await connected(server.url);
    const answer = callTool(client, 'lookup_knowledge', { query: 'q' });
    answer.catch(() => undefined);
    await asked.opened;
    await server.close();
    await client.close();
    await expect(answer).rejects.toThrow();
  });
});

describe('who may speak to it', () => {
  it.each([
    ['a foreign Host', { host: 'evil.example' }],
    ['a Host that only begins like one', { host: 'localhost.evil.example' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['an Origin without a host', { origin: 'null' }],
    ['an Origin of another kind', { origin: 'file://localhost' }],
  ])('refuses %s', async (_what, headers) => {
    const { url } = await started(fakeLine());
    expect(await post(url, INITIALIZE, headers)).toMatchObject({ status: 403 });
  });

  it('lets in names of this machine, and those that were named', async () => {
    const { url } = await started(fakeLine(), {
      access: { token: null, hosts: ['mcp.example'], origins: ['https://app.example'] },
    });
    const allowed = [{ host: 'localhost:1' }, { host: 'MCP.example' }, { origin: 'http://localhost:6274' }];
    for (const headers of [{}, ...allowed, { origin: 'https://app.example' }])
      expect(await post(url, INITIALIZE, headers)).toMatchObject({ status: 200 });
  });

  it('asks for the token, of every request', async () => {
    const { url } = await started(fakeLine(), { access: { token: 'right', hosts: null, origins: [] } });
    for (const authorization of ['', 'Bearer', 'Bearer wrong', 'Basic right', 'Bearer right2'])
      expect(await post(url, INITIALIZE, { authorization })).toMatchObject({ status: 401 });
    const client = await connected(url, { authorization: 'Bearer right' });
    expect((await callTool(client, 'lookup_knowledge', { query: 'q' })).isError).toBeUndefined();
  });

  it.each([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['127.evil.example', false],
    ['192.168.1.2', false],
  ])('%s is for this machine alone: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});

describe('hostile requests', () => {
  it.each([
    ['no JSON', '{', 400],
    ['nothing', '', 400],
    ['no session', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 400],
    ['a body without end', `{"jsonrpc":"2.0","x":"${'x'.repeat(1024 * 1024)}"}`, 413],
    ['a deep body', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 400],
  ])('%s is refused, and leaves no session', async (_what, body, status) => {
    const errors: unknown[] = [];
    const server = await started(fakeLine(), { onError: (error) => void errors.push(error) });
    const answer = await post(server.url, body);
    expect(answer.status).toBe(status);
    expect(answer.body.length).toBeLessThan(2000);
    expect(server.sessions.size).toBe(0);
    expect(await post(server.url, INITIALIZE)).toMatchObject({ status: 200 });
  });

  it('does not know a session that it did not begin', async () => {
    const { url } = await started(fakeLine());
    const answer = await post(url, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {
      'mcp-session-id': '../../0\u0009',
    });
    expect(answer.status).toBe(404);
  });

  it('is at one path', async () => {
    const { url } = await started(fakeLine());
    for (const path of ['/', '/mcp/../etc', '/mcp2', '/mcp/'])
      expect(await post(new URL(path, url).href, INITIALIZE)).toMatchObject({ status: 404 });
  });

  it('begins a session in the place of the one that was quiet for longest, and none while all work', async () => {
    const gate = createGate();
    const line = fakeLine({
      async lookup(asked) {
        await gate.opened;
        return ready(asked);
      },
    });
    const server = await started(line, { maxSessions: 2 });
    for (let i = 0; i < 5; i++) expect((await post(server.url, INITIALIZE)).status).toBe(200);
    await waitUntil('the first ones have given way', () => server.sessions.size === 2);
    const clients = [await connected(server.url), await connected(server.url)];
    const answers = clients.map((client) => callTool(client, 'lookup_knowledge', { query: 'q' }));
    await waitUntil('both work', () => line.lookups.length === 2);
    expect(await post(server.url, INITIALIZE)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
    });
    gate.open();
    for (const answer of await Promise.all(answers)) expect(answer.isError).toBeUndefined();
  });

  it('begins no more sessions than fit, however many come at once', async () => {
    const server = await started(fakeLine(), { maxSessions: 5 });
    const sizes: number[] = [];
    const begun = Array.from({ length: 100 }, async () => {
      const { status } = await post(server.url, INITIALIZE);
      sizes.push(server.sessions.size);
      return status;
    });
    for (const status of await Promise.all(begun)) expect([200, 503]).toContain(status);
    expect(Math.max(...sizes)).toBe(5);
  });
});
