import { clientError } from './api-error.js';
import type { StreamOptions } from './event-stream.js';
import { createReview, type Review } from './review.js';
import { retryDefaults, type RetryPolicy } from './retry.js';
import { createRun, type Run, type RunOptions } from './run.js';
import { createTransport } from './transport.js';
import { verifiedDrafts, type VerifiedEvent } from './verified.js';

/** A client of the gateway, for Node and browsers: it needs `fetch` and, to check views, WebCrypto. */

export interface ClientOptions {
  /** Where the gateway is: `http://127.0.0.1:8080`. A path before `/v1` is kept. */
  readonly url: string | URL;
  /** The bearer token. */
  readonly token?: string;
  /** Used instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
  readonly retry?: Partial<RetryPolicy>;
  /** How long the gateway may take beyond the time that it is asked to wait, in milliseconds. Default 15 s. */
  readonly timeoutMs?: number;
  /** Bytes of an answer at most. Default 16 MiB: a verdict, its review and what is published together. */
  readonly maxAnswerBytes?: number;
  /** Whether each view is held against its digest. Default true. */
  readonly checkViews?: boolean;
}

export interface Client {
  /** Begins a run, or goes on with one. Nothing is sent yet. */
  createRun(options?: RunOptions): Run;
  readonly review: Review;
  /** The outcomes of all runs that the token may read, for publishers. It ends when the signal aborts. */
  verified(options?: Pick<StreamOptions, 'lastEventId' | 'signal'>): AsyncGenerator<VerifiedEvent>;
}

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** @throws ProoflineApiError PL_INPUT_INVALID for a URL that is none */
export function createClient(options: ClientOptions): Client {
  const retry = { ...retryDefaults, ...options.retry };
  const transport = createTransport({
    url: urlOf(options.url),
    token: options.token ?? null,
    // In a browser `fetch` is only itself on its window.
    fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    retry,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    maxAnswerBytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
  });
  const context = { transport, retry, checkViews: options.checkViews ?? true };
  return {
    createRun: (run) => createRun(context, run),
    review: createReview(transport),
    verified: (stream = {}) => verifiedDrafts(transport, { ...stream, retry }),
  };
}

function urlOf(text: string | URL): URL {
  const url = URL.canParse(String(text)) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw clientError('PL_INPUT_INVALID', {
      problem: 'the URL of the gateway begins with http:// or https://, without a user',
    });
  url.search = '';
  url.hash = '';
  return url;
}
