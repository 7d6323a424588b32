import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/config.js';
import { isValidId } from '../../contracts/ids.js';
import { errorToJson } from '../../line/error-json.js';
import { serveLine } from '../../line/socket-server.js';
import type { AgentLine } from '../../mcp/agent-line.js';
import { boundedCalls } from '../../mcp/bounded-calls.js';
import { doorLine } from '../../mcp/door-line.js';
import { gatewayLine } from '../../mcp/gateway-line.js';
import { isLoopback, type HttpAccess } from '../../mcp/http-access.js';
import { serveMcpHttp } from '../../mcp/http-server.js';
import { createRuns } from '../../mcp/runs.js';
import { createMcpServer, type McpSession } from '../../mcp/server.js';
import { serveStdio } from '../../mcp/stdio.js';
import type { CommandContext } from '../command.js';
import { languageOf } from '../commands/prompts.js';
import { inputInvalid } from '../input.js';
import { wholeNumber } from '../option-values.js';
import { warn } from '../render/error.js';
import { safeLines } from '../render/safe-text.js';
import { atDoors, configOf, withLine } from '../with-line.js';

export interface McpOptions {
  readonly http?: string;
  readonly url?: string;
  readonly token?: string;
  readonly run?: string;
  readonly runPrefix: string;
  readonly lang: string;
  readonly wait: string;
  readonly allowHost: readonly string[];
  readonly allowOrigin: readonly string[];
}

/** Calls of all sessions that work at once, and that wait for that. */
const CALLS = { atOnce: 64, queued: 2000 } as const;

const LONGEST_WAIT_SECONDS = 600;

/** Serves until the client is gone, or until a signal asks to stop. */
export async function runMcp(options: McpOptions, context: CommandContext): Promise<void> {
  const config = await configOf(context);
  const plan = await planOf(options, config, context);
  let served: Promise<void> = Promise.resolve();
  try {
    await withAgentLine(options, config, context, (line) => (served = serve(line, plan, context)));
  } catch (error) {
    if (!context.io.signal.aborted || error !== context.io.signal.reason) throw error;
    await served;
  }
}

interface Plan {
  /** Null serves standard input and output. */
  readonly http: { readonly host: string; readonly port: number; readonly access: HttpAccess } | null;
  readonly session: Omit<McpSession, 'line' | 'runs'>;
  readonly createRuns: () => McpSession['runs'];
}

async function planOf(options: McpOptions, config: Config, { io }: CommandContext): Promise<Plan> {
  const { run: fixed = null, runPrefix: prefix } = options;
  if (fixed !== null && !isValidId(fixed)) throw inputInvalid(`--run is ${shown(fixed)}, and must be an id`);
  if (!isValidId(`${prefix}${random()}`))
    throw inputInvalid(`--run-prefix is ${shown(prefix)}, and must begin an id`);
  const language = await languageOf(options.lang);
  const waitMs = 1000 * wholeNumber('--wait', options.wait, 1, LONGEST_WAIT_SECONDS);
  const onError = (error: unknown): void => io.err(`${safeLines(errorToJson(error).message).join('\n')}\n`);
  // Of a run that was named there is one, whoever works on it.
  const begin = (): McpSession['runs'] => createRuns({ fixed, prefix, random, now: () => performance.now() });
  const shared = fixed === null ? null : begin();
  return {
    http: options.http === undefined ? null : httpOf(options.http, options, config),
    session: { calls: boundedCalls(CALLS), language, waitMs, onError },
    createRuns: () => shared ?? begin(),
  };
}

function random(): string {
  return randomUUID().replaceAll('-', '');
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

const ADDRESS = /^(?:(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253}):)?(\d{1,5})$/;

function httpOf(
  address: string,
  options: McpOptions,
  { mcpToken: token }: Config,
): NonNullable<Plan['http']> {
  const [, name = '127.0.0.1', digits] = ADDRESS.exec(address) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535)
    throw inputInvalid(`--http is ${shown(address)}, and must be PORT or HOST:PORT`);
  const host = name.replace(/^\[|\]$/g, '');
  if (!isLoopback(host) && token === null)
    throw inputInvalid(
      `--http ${shown(address)} can be reached by others: set PROOFLINE_MCP_TOKEN to the token that clients must have`,
    );
  const names = options.allowHost.map((each) => each.toLowerCase());
  // With a token a name that was not meant gains nothing.
  const hosts = token !== null && names.length === 0 ? null : names;
  return { host, port, access: { token, hosts, origins: options.allowOrigin } };
}

/** The gateway's line where there is one, else that of the command line. */
async function withAgentLine(
  options: McpOptions,
  config: Config,
  context: CommandContext,
  work: (line: AgentLine) => Promise<void>,
): Promise<void> {
  const url = options.url ?? config.client.url;
  if (url !== null) {
    await work(gatewayLine({ url: urlOf(url), token: options.token ?? config.client.token }));
    return;
  }
  if (config.kafka !== null) {
    await atDoors(context, 'something to search', (client) => work(doorLine(client)));
    return;
  }
  await withLine(context, 'something to search', async (client) => {
    // Other commands, and other servers, find the line of this process as they find that of `proofline dev`.
    const socket = client.remote ? null : await serveLine(client, config.data);
    try {
      await work(doorLine(client));
    } finally {
      await socket?.close();
    }
  });
}

function urlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw inputInvalid('--url must begin with http:// or https://, without a user');
  return text;
}

async function serve(line: AgentLine, plan: Plan, context: CommandContext): Promise<void> {
  const createServer = () => createMcpServer({ ...plan.session, line, runs: plan.createRuns() });
  const { signal } = context.io;
  if (plan.http !== null) {
    await serveUntilStopped({ ...plan.http, createServer, onError: plan.session.onError }, context);
    return;
  }
  const { calls } = plan.session;
  await serveStdio(createServer(), { stdin: process.stdin, stdout: process.stdout, calls, signal });
}

async function serveUntilStopped(
  options: Parameters<typeof serveMcpHttp>[0],
  { io, global }: CommandContext,
): Promise<void> {
  const { host, port } = options;
  const server = await serveMcpHttp(options).catch((error: unknown) => {
    throw inputInvalid(`${host}:${port} cannot be listened on: ${errorToJson(error).message}`, error);
  });
  if (options.access.token === null)
    warn(io, 'no token is asked for: whoever works on this machine may connect');
  io.out(global().json ? `${JSON.stringify({ url: server.url })}\n` : `MCP at ${server.url}\n`);
  await new Promise<void>((resolve) => {
    if (io.signal.aborted) resolve();
    io.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.close();
}
