import { request } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { boundedCalls } from '../../src/mcp/bounded-calls.js';
import type { AgentLine } from '../../src/mcp/agent-line.js';
import { serveMcpHttp, type McpHttp, type McpHttpOptions } from '../../src/mcp/http-server.js';
import { createRuns } from '../../src/mcp/runs.js';
import { createMcpServer } from '../../src/mcp/server.js';

/** A server over HTTP on a free port, each session with a run of its own. */
export function serve(
  line: AgentLine,
  options: Partial<McpHttpOptions> & { readonly onError?: (error: unknown) => void } = {},
): Promise<McpHttp> {
  let made = 0;
  const calls = boundedCalls({ atOnce: 8, queued: 100 });
  const { onError = () => undefined } = options;
  return serveMcpHttp({
    host: '127.0.0.1',
    port: 0,
    access: { token: null, hosts: [], origins: [] },
    createServer: () => {
      const random = (): string => String(++made).padStart(12, '0');
      const runs = createRuns({ fixed: null, prefix: 'http-', random, now: () => 0 });
      return createMcpServer({ line, runs, calls, language: 'en', waitMs: 20_000, onError });
    },
    ...options,
    onError,
  });
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A request with headers that no well-behaved client would send. */
export function post(url: string, body: string, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
  const given = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: given, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
