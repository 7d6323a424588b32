import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { cli, startCli, type CliOptions, type RunningCli } from '../support/cli-run.js';
import { docsFolder } from '../support/docs-folder.js';
import { callTool, texts } from '../support/mcp.js';
import { INITIALIZE, post } from '../support/mcp-http.js';
import { tellStory } from '../support/mcp-story.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const clients: Client[] = [];
const running: { readonly cli: RunningCli; readonly stop: () => void }[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const { cli: one, stop } of running.splice(0)) {
    stop();
    expect((await one.ended).code).toBe(0);
  }
  removeTempFolders();
});

const SLOW_MS = 120_000;

/** Runs a command until the test ends; the first JSON value that it writes. */
async function serving(
  argv: readonly string[],
  env: CliOptions['env'] = {},
): Promise<Record<string, unknown>> {
  const stopping = new AbortController();
  const one = startCli(argv, { env, signal: stopping.signal });
  running.unshift({ cli: one, stop: () => stopping.abort(new Error('stopped by the test')) });
  const line = await waitUntil(`it runs: ${argv.join(' ')}`, () => /^\{.*\}$/m.exec(one.out())?.[0], SLOW_MS);
  return JSON.parse(line) as Record<string, unknown>;
}

async function indexed(): Promise<string> {
  const data = tempFolder();
  expect((await cli(['index', docsFolder(data), '--data', data])).code).toBe(0);
  return data;
}

async function connected(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  clients.push(client);
  await client.listTools();
  return client;
}

describe('proofline mcp over HTTP', { timeout: SLOW_MS }, () => {
  it('takes two models at once from a question over a forged report to a published one', async () => {
    const data = await indexed();
    const { url } = await serving(['mcp', '--http', '0', '--data', data, '--json']);
    const [first, second] = await Promise.all(
      [await connected(String(url)), await connected(String(url))].map(tellStory),
    );
    expect(first?.runId).not.toBe(second?.runId);
  });

  it('asks for the token of the environment, and begins runs as it is told', async () => {
    const data = await indexed();
    const argv = [
      'mcp',
      '--http',
      '[::1]:0',
      '--data',
      data,
      '--json',
      '--run-prefix',
      'team-a-',
      '--lang',
      'zh',
    ];
    const { url } = await serving(argv, { PROOFLINE_MCP_TOKEN: 'right' });
    expect((await post(String(url), INITIALIZE)).status).toBe(401);
    const client = await connected(String(url), { authorization: 'Bearer right' });
    expect(client.getInstructions()).toContain('不许编造');
    const answer = await callTool(client, 'lookup_knowledge', { query: '量子纠缠与火星天气' });
    expect(answer.structuredContent).toMatchObject({ evidence_status: 'NO_EVIDENCE' });
    expect(texts(answer)).toHaveLength(2);
    expect(JSON.stringify(answer._meta)).toContain('"run_id":"team-a-');
  });
});

describe('proofline mcp before a gateway', { timeout: SLOW_MS }, () => {
  it('takes a model the same way, without a data folder of its own', async () => {
    const data = await indexed();
    const gateway = await serving(['dev', '--port', '0', '--data', data, '--json']);
    const { url } = await serving(['mcp', '--http', '0', '--data', `${data}/none`, '--json'], {
      PROOFLINE_URL: String(gateway['url']),
    });
    const { runId, view } = await tellStory(await connected(String(url)));
    const trail = await cli(['trail', runId, '--data', data, '--json']);
    expect(trail.out).toContain(sha256(view));
  });
});
