import { connect, type Socket } from 'node:net';
import { readConfig } from '../../src/config/config.js';
import type { Config, GatewayConfig } from '../../src/config/config.js';
import { isJsonObject, type JsonObject } from '../../src/contracts/json.js';
import { createGatewayServer } from '../../src/gateway/gateway-server.js';
import { openLine, type Line } from '../../src/line/embedded-line.js';
import { createLog } from '../../src/observe/log.js';
import { createObservability } from '../../src/observe/observability.js';
import type { KnowledgeSearch } from '../../src/retrieval/knowledge-search.js';
import { scripted } from './line-search.js';
import { tempFolder } from './temp-folder.js';

/** A gateway before an embedded line, over real HTTP. */
export interface TestGateway {
  readonly url: string;
  readonly port: number;
  readonly line: Line;
  /** Lines of the log. */
  readonly log: readonly string[];
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>;
  readonly drain: () => Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Empty where the text is no JSON object. */
  readonly json: JsonObject;
}

export interface TestGatewayOptions {
  readonly gateway?: Partial<GatewayConfig>;
  readonly search?: KnowledgeSearch;
  readonly env?: Readonly<Record<string, string>>;
  /** Before another gateway's line. */
  readonly line?: Line;
}

const closing: (() => Promise<unknown>)[] = [];

export async function openTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { gateway = {}, search = scripted() } = options;
  const { config: read } = readConfig(options.env ?? {});
  const config: Config = { ...read, gateway: { ...read.gateway, ...gateway } };
  const lines: string[] = [];
  const log = createLog('info', (text) => void lines.push(text));
  const observe = await createObservability({ log, env: {} });
  const line = options.line ?? openLine({ folder: tempFolder(), search, partitions: 2, observe });
  const server = createGatewayServer({ config, host: '127.0.0.1', observe, log, line: () => line });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  closing.unshift(
    () => server.drain(),
    () => server.close(),
    () => (options.line === undefined ? line.stop() : Promise.resolve()),
    () => observe.stop(),
  );
  return {
    url,
    port: Number(new URL(url).port),
    line,
    log: lines,
    get: (path, headers = {}) => answerOf(fetch(`${url}${path}`, { headers })),
    post: (path, body, headers = {}) =>
      answerOf(
        fetch(`${url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
    drain: () => server.drain(),
  };
}

export async function closeGateways(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}

export async function answerOf(asked: Promise<Response>): Promise<Answer> {
  const response = await asked;
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: jsonOf(text) };
}

function jsonOf(text: string): JsonObject {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : {};
  } catch {
    return {};
  }
}

/** What a program sends that does not keep to HTTP, or to a pace. */
export interface RawConnection {
  readonly socket: Socket;
  /** What came back so far. */
  readonly received: () => string;
  readonly closed: Promise<void>;
}

export function openRaw({ port }: TestGateway, text: string): RawConnection {
  const socket = connect(port, '127.0.0.1', () => void socket.write(text));
  let received = '';
  socket.on('data', (chunk) => void (received += chunk.toString('utf8')));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  return { socket, received: () => received, closed };
}
