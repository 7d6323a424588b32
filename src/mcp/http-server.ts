import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { denial, type HttpAccess } from './http-access.js';
import { createHttpSessions, sendRpcError, type HttpSessions } from './http-sessions.js';

export interface McpHttpOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly access: HttpAccess;
  /** Makes the server of one session. */
  readonly createServer: () => McpServer;
  readonly onError: (error: unknown) => void;
  /** Sessions at once; 256 by default. */
  readonly maxSessions?: number;
}

export interface McpHttp {
  /** Where clients connect to. */
  readonly url: string;
  readonly sessions: HttpSessions;
  /** Ends all sessions and stops listening. Idempotent. */
  close(): Promise<void>;
}

const PATH = '/mcp';
const MAX_SESSIONS = 256;
const MAX_CONNECTIONS = 1024;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const SESSION_IDLE_MS = 60 * 60 * 1000;
const LOOK_MS = 60_000;
const RETRY_AFTER_SECONDS = '5';

/**
 * Serves the protocol over Streamable HTTP at `/mcp`.
 * @throws as listening does: the address is taken, or not this machine's.
 */
export async function serveMcpHttp(options: McpHttpOptions): Promise<McpHttp> {
  const sessions = createHttpSessions({
    createServer: options.createServer,
    max: options.maxSessions ?? MAX_SESSIONS,
    idleMs: SESSION_IDLE_MS,
  });
  const server = createServer((request, response) => {
    // Who goes away does not wait for an answer.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    answer(sessions, options, request, response).catch((error: unknown) => {
      options.onError(error);
      if (response.headersSent) response.destroy();
      else sendRpcError(response, 500, -32603, 'Internal error');
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  const url = await listen(server, options);
  const sweep = setInterval(() => void sessions.endIdle().catch(options.onError), LOOK_MS).unref();
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    clearInterval(sweep);
    const ended = new Promise((resolve) => server.close(resolve));
    await sessions.close();
    server.closeAllConnections();
    await ended;
  };
  return { url, sessions, close: () => (closed ??= close()) };
}

function listen(server: Server, { host, port }: McpHttpOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { port: given } = server.address() as AddressInfo;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${given}${PATH}`);
    });
  });
}

async function answer(
  sessions: HttpSessions,
  { access }: McpHttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const denied = denial(request.headers, access);
  if (denied !== null) {
    const headers = denied.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
    sendRpcError(response, denied.status, -32000, denied.message, headers);
  } else if (pathOf(request) !== PATH) {
    sendRpcError(response, 404, -32000, `Not found: the server is at ${PATH}`);
  } else if (!(await sessions.handle(request, response))) {
    const headers = { 'retry-after': RETRY_AFTER_SECONDS };
    sendRpcError(response, 503, -32000, 'Too many sessions; try again later', headers);
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}
