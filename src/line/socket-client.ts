import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { resolve } from 'node:path';
import { ProoflineError } from '../contracts/errors.js';
import { isJsonObject, parseJson, type JsonObject } from '../contracts/json.js';
import type { IndexProgress } from '../retrieval/local/index-folder.js';
import { contextFromJson, contextHandInToJson } from './context-hand-in.js';
import { errorFromWire } from './error-json.js';
import { handInToJson } from './hand-in-json.js';
import type {
  DecisionAnswer,
  DraftAnswer,
  IndexAnswer,
  LineClient,
  LineHealth,
  LookupAnswer,
} from './line-client.js';
import type { UsageRecorded } from './record-usage.js';
import type { Replayed } from './replay.js';
import { socketPathToConnect } from './socket-path.js';
import { MAX_BODY_BYTES } from './socket-server.js';
import { usageHandInToJson } from './usage-hand-in.js';

/** The largest answer is a verdict with its lookups; a record is 4 MiB at most. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** The line that runs on the data folder, if one does. */
export async function connectSocket(folder: string): Promise<LineClient | null> {
  const path = socketPathToConnect(folder);
  if (path === null) return null;
  try {
    await readAnswer(await send(path, 'GET', '/health', undefined, AbortSignal.timeout(HEALTH_MS)));
    return clientOver(path);
  } catch (error) {
    // The socket of a process that is gone.
    if (isNobodyThere(error)) return null;
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
    const params = { seconds: HEALTH_MS / 1000, what: `the line that listens at ${path}` };
    throw new ProoflineError('PL_TIMEOUT', params, { cause: error });
  }
}

/** A line that is alive answers at once. */
const HEALTH_MS = 10_000;

function isNobodyThere(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === 'ECONNREFUSED' || code === 'ENOENT';
}

function clientOver(socketPath: string): LineClient {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
    readAnswer<T>(await send(socketPath, method, path, body));
  return {
    remote: true,
    lookup: (lookup) => call<LookupAnswer>('POST', '/lookups', handInToJson(lookup)),
    submit: (draft) => call<DraftAnswer>('POST', '/drafts', handInToJson(draft)),
    decide: (decision) => call<DecisionAnswer>('POST', '/review/decisions', handInToJson(decision)),
    replay: (request) => call<Replayed>('POST', '/dlq/replay', handInToJson(request)),
    assemble: async (context) =>
      contextFromJson(await call<JsonObject>('POST', '/contexts', contextHandInToJson(context))),
    recordUsage: (usage) => call<UsageRecorded>('POST', '/usage', usageHandInToJson(usage)),
    health: () => call<LineHealth>('GET', '/health'),
    async index(folder, { onProgress, signal } = {}) {
      // The line may run elsewhere in the file tree.
      const response = await send(socketPath, 'POST', '/index', { folder: resolve(folder) }, signal);
      return readProgress(response, onProgress, signal);
    },
    close: () => Promise.resolve(),
  };
}

function send(
  socketPath: string,
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  const text = body === undefined ? '' : JSON.stringify(body);
  if (Buffer.byteLength(text) > MAX_BODY_BYTES) {
    const problem = `as JSON it has more than ${MAX_BODY_BYTES} bytes`;
    return Promise.reject(new ProoflineError('PL_INPUT_INVALID', { problem }));
  }
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((answer, reject) => {
    const options = { socketPath, method, path, headers, agent: false };
    const request = httpRequest(signal === undefined ? options : { ...options, signal }, answer);
    request.on('error', (error) =>
      reject(isNobodyThere(error) ? error : (reasonOf(signal) ?? gone(path, error))),
    );
    request.end(text);
  });
}

function reasonOf(signal: AbortSignal | undefined): Error | null {
  return signal?.aborted === true ? (signal.reason as Error) : null;
}

/** The running line was stopped meanwhile. What was handed in is in its log, or is not: the same ids tell. */
function gone(path: string, cause: unknown): ProoflineError {
  const what = `${path}, the running line closed the connection`;
  return new ProoflineError('PL_TIMEOUT', { seconds: 0, what }, { cause });
}

async function readAnswer<T>(response: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw gone('the answer', error);
  }
  const answer = parseJson(Buffer.concat(chunks).toString('utf8'));
  const error = errorFromWire(answer);
  if (error !== null) throw error;
  return answer as T;
}

async function readProgress(
  response: IncomingMessage,
  onProgress: ((progress: IndexProgress) => void) | undefined,
  signal: AbortSignal | undefined,
): Promise<IndexAnswer> {
  for await (const line of linesOf(response, signal)) {
    const error = errorFromWire(line);
    if (error !== null) throw error;
    if (!isJsonObject(line)) continue;
    if ('result' in line) return line['result'] as IndexAnswer;
    if ('progress' in line) onProgress?.(line['progress'] as IndexProgress);
  }
  throw reasonOf(signal) ?? gone('/index', undefined);
}

async function* linesOf(response: IncomingMessage, signal: AbortSignal | undefined): AsyncGenerator {
  // What breaks it off is thrown by the lines, and emitted besides.
  response.on('error', () => undefined);
  try {
    for await (const text of createInterface({ input: response })) yield parseJson(text);
  } catch (error) {
    throw reasonOf(signal) ?? gone('/index', error);
  }
}
