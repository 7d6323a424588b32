import { parseJson } from '../contracts/json.js';
import {
  clientError,
  isProoflineApiError,
  mayPass,
  problemError,
  type ProoflineApiError,
} from './api-error.js';
import { readBody, textOfBody } from './read-body.js';
import { requestSignal } from './request-signal.js';
import { pause, pauseBefore, retryAfterMs, type RetryPolicy } from './retry.js';

/** Requests to the gateway: sent again where that is safe, bounded in time and size. */

export interface TransportOptions {
  /** Where the gateway is, with the path that a proxy may put before the API. */
  readonly url: URL;
  readonly token: string | null;
  readonly fetch: typeof globalThis.fetch;
  readonly retry: RetryPolicy;
  /** How long the gateway may take beyond the time that it is asked to wait. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** Begins with `/v1/`; its parts are encoded. */
  readonly path: string;
  /** How long the gateway is asked to wait for what is not there yet. */
  readonly waitMs?: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** A success: its status is from 200 to 299. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

export interface Transport {
  /** @throws ProoflineApiError; the reason of the signal when it aborts */
  send(request: ApiRequest): Promise<ApiAnswer>;
  /**
   * Sends it once and hands the answer to `use` as soon as its headers are there. The body may take for ever; the
   * connection is given up when `use` is done.
   * @throws as `send`, and what `use` throws
   */
  stream<T>(request: ApiRequest, use: (response: Response) => AsyncGenerator<T>): AsyncGenerator<T>;
}

export function createTransport(options: TransportOptions): Transport {
  async function fetchOnce(request: ApiRequest, signal: AbortSignal): Promise<Response> {
    const response = await options.fetch(urlOf(options.url, request), initOf(options, request, signal));
    if (response.status >= 200 && response.status < 300) return response;
    throw await failureOf(response, options.maxAnswerBytes);
  }

  async function sendOnce(request: ApiRequest): Promise<ApiAnswer> {
    request.signal?.throwIfAborted();
    const ending = requestSignal(request.signal, options.timeoutMs + (request.waitMs ?? 0));
    try {
      const response = await fetchOnce(request, ending.signal);
      const bytes = await readBody(response, options.maxAnswerBytes);
      return { status: response.status, headers: response.headers, bytes };
    } catch (error) {
      throw ended(request, error);
    } finally {
      ending.release();
    }
  }

  return {
    send: (request) => withRetries(options.retry, request.signal, () => sendOnce(request)),
    async *stream(request, use) {
      request.signal?.throwIfAborted();
      const ending = requestSignal(request.signal, options.timeoutMs);
      try {
        const response = await fetchOnce(request, ending.signal);
        ending.begun();
        yield* use(response);
      } catch (error) {
        throw ended(request, error);
      } finally {
        ending.release();
      }
    },
  };
}

/** Why a request ended without an answer: the caller's own reason comes first. */
function ended({ signal }: ApiRequest, error: unknown): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (isProoflineApiError(error)) return error;
  return clientError('PL_GATEWAY_DOWN', { problem: reasonOf(error) }, { cause: error });
}

function urlOf(base: URL, { path, waitMs }: ApiRequest): URL {
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/+$/, '') + path;
  if (waitMs !== undefined) url.searchParams.set('wait', String(waitMs / 1000));
  return url;
}

function initOf({ token }: TransportOptions, request: ApiRequest, signal: AbortSignal): RequestInit {
  const { method, body, headers } = request;
  return {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
    // The token goes to the gateway, and nowhere that an answer points to.
    redirect: 'manual',
    credentials: 'omit',
  };
}

async function failureOf(response: Response, maxBytes: number): Promise<ProoflineApiError> {
  const { status, headers } = response;
  // A browser hides where a redirect leads, and says 0.
  if (status === 0 || (status >= 300 && status < 400)) {
    await response.body?.cancel();
    return clientError('PL_GATEWAY_ANSWER', { problem: 'it leads elsewhere; give the URL that it leads to' });
  }
  const body = parseJson(textOfBody(await readBody(response, maxBytes)));
  return problemError(status, body, retryAfterMs(headers.get('retry-after'), Date.now()));
}

async function withRetries<T>(
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failed = 1; ; failed++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isProoflineApiError(error) || !mayPass(error)) throw error;
      const ms = pauseBefore(policy, failed, error.retryAfterMs, Math.random());
      if (ms === null) throw error;
      await pause(ms, signal);
    }
  }
}

/** What `fetch` says is "fetch failed"; the cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  const { name, message } = error.cause instanceof Error ? error.cause : error;
  return message === '' ? name : message.slice(0, 200);
}
