import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isProoflineError, ProoflineError } from '../contracts/errors.js';
import { parseJson } from '../contracts/json.js';
import type { IndexProgress } from '../retrieval/local/index-folder.js';
import { contextHandInFromJson, contextToJson } from './context-hand-in.js';
import { errorToWire } from './error-json.js';
import {
  decisionFromJson,
  draftFromJson,
  indexFromJson,
  lookupFromJson,
  replayFromJson,
} from './hand-in-json.js';
import type { LineClient } from './line-client.js';
import { usageHandInFromJson } from './usage-hand-in.js';
import { socketPathToListen } from './socket-path.js';

/** How the commands of this machine reach a running line: HTTP over a Unix socket that only its owner may open. */

export const MAX_BODY_BYTES = 1024 * 1024;

const MAX_CONNECTIONS = 256;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** How long requests at hand may take to end when the line stops. */
const GRACE_MS = 2000;
/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 50;

export interface SocketServer {
  readonly path: string;
  /** Lets the requests at hand end, for a while, and takes the socket away. Idempotent. */
  close(): Promise<void>;
}

/**
 * Listens for the line of the data folder. The caller holds the folder's lock: a socket that lies there is a dead
 * process's, and is replaced.
 * @throws ProoflineError PL_DATA_FOLDER_UNUSABLE.
 */
export async function serveLine(client: LineClient, folder: string): Promise<SocketServer> {
  const path = socketPathToListen(folder);
  const server = createServer((request, response) => void answer(client, request, response));
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.on('clientError', (_error, socket) => void socket.destroy());
  try {
    removeStale(path);
    await listen(server, path);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new ProoflineError('PL_DATA_FOLDER_UNUSABLE', { folder, problem }, { cause: error });
  }
  let closed: Promise<void> | null = null;
  return { path, close: () => (closed ??= close(server, path)) };
}

function removeStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} is in the way and is no socket`);
  rmSync(path, { force: true });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    // The file is made in here, and must at no time be open to others.
    const mask = process.umask(0o177);
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
    process.umask(mask);
  }).then(() => chmodSync(path, 0o600));
}

async function close(server: Server, path: string): Promise<void> {
  const ended = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await ended;
  clearTimeout(late);
  rmSync(path, { force: true });
}

/** Answers with the JSON to send; a route that writes the response itself has sent it by then. */
type Route = (client: LineClient, body: unknown, response: ServerResponse) => Promise<unknown>;

const routes: Readonly<Record<string, Route>> = {
  'GET /health': (client) => client.health(),
  'POST /index': (client, body, response) => index(client, body, response),
  'POST /lookups': (client, body) => client.lookup(lookupFromJson(body)),
  'POST /drafts': (client, body) => client.submit(draftFromJson(body)),
  'POST /review/decisions': (client, body) => client.decide(decisionFromJson(body)),
  'POST /dlq/replay': (client, body) => client.replay(replayFromJson(body)),
  'POST /contexts': async (client, body) => contextToJson(await client.assemble(contextHandInFromJson(body))),
  'POST /usage': (client, body) => client.recordUsage(usageHandInFromJson(body)),
};

/** Never rejects. */
async function answer(client: LineClient, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Who goes away does not wait for an answer.
  response.on('error', () => undefined);
  request.on('error', () => undefined);
  try {
    const name = `${request.method ?? ''} ${request.url ?? ''}`;
    const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
    if (route === undefined) throw new ProoflineError('PL_NOT_FOUND', { what: name.slice(0, 200) });
    const body = request.method === 'GET' ? null : await readBody(request);
    send(response, 200, await route(client, body, response));
  } catch (error) {
    send(response, statusOf(error), errorToWire(error));
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES)
      throw new ProoflineError('PL_INPUT_INVALID', { problem: `it has more than ${MAX_BODY_BYTES} bytes` });
    chunks.push(chunk);
  }
  const body = parseJson(Buffer.concat(chunks).toString('utf8'));
  if (body === undefined) throw new ProoflineError('PL_INPUT_INVALID', { problem: 'the body is no JSON' });
  return body;
}

/** Tells how far it is line by line, and in the last line what came of it. Who goes away breaks it off. */
async function index(client: LineClient, body: unknown, response: ServerResponse): Promise<void> {
  const { folder } = indexFromJson(body);
  const gone = new AbortController();
  response.on('close', () => gone.abort(new Error('nobody waits for it any more')));
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  const line = (value: object): void => void response.write(`${JSON.stringify(value)}\n`);
  let told = 0;
  const onProgress = (progress: IndexProgress): void => {
    if (performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    line({ progress });
  };
  try {
    line({ result: await client.index(folder, { onProgress, signal: gone.signal }) });
  } catch (error) {
    line(errorToWire(error));
  }
  response.end();
}

function send(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(value));
}

function statusOf(error: unknown): number {
  if (!isProoflineError(error)) return 500;
  switch (error.code) {
    case 'PL_INPUT_INVALID':
    case 'PL_ID_INVALID':
      return 400;
    case 'PL_NOT_FOUND':
      return 404;
    case 'PL_CONTEXT_REFUSED':
    case 'PL_REPLAY_REFUSED':
    case 'PL_REPEAT_CONFLICT':
    case 'PL_REVIEW_REFUSED':
      return 409;
    case 'PL_TIMEOUT':
      return 504;
    default:
      return 503;
  }
}
