import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpHttp } from '../../src/mcp/http-server.js';
import { fakeLine } from '../support/mcp.js';
import { serve } from '../support/mcp-http.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

/**
 * The official conformance suite. The other scenarios for servers ask for tools, resources, prompts and capabilities
 * of fixed names that a server of three tools does not have.
 */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');
const hooks = new URL('../support/conformance-hooks.mjs', import.meta.url).href;
const register = `data:text/javascript,import{register}from"node:module";register("${hooks}")`;

let server: McpHttp;
beforeAll(async () => {
  server = await serve(fakeLine());
});
afterAll(async () => {
  await server.close();
  removeTempFolders();
});

function run(scenario: string): Promise<{ readonly code: number | null; readonly out: string }> {
  const argv = ['server', '--url', server.url, '--scenario', scenario, '--output-dir', tempFolder()];
  const child = spawn(process.execPath, ['--import', register, suite, ...argv]);
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (out += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out })));
}

describe('the conformance suite of the protocol', { timeout: 60_000 }, () => {
  it.each(SCENARIOS)('passes %s', async (scenario) => {
    const { code, out } = await run(scenario);
    expect(code, out).toBe(0);
    expect(out).toMatch(/[1-9]\d*\/[1-9]\d*|[1-9]\d* passed/);
  });

  it('would tell of a server that does not conform', async () => {
    expect((await run('tools-call-simple-text')).code).not.toBe(0);
  });
});
