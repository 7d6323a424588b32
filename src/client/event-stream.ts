import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { isProoflineApiError, mayPass } from './api-error.js';
import { readerOf } from './read-body.js';
import { unusable } from './records.js';
import { pause, pauseBefore, type RetryPolicy } from './retry.js';
import type { ApiRequest, Transport } from './transport.js';

/** Server-sent events that go on where they stopped when the connection breaks. */

export interface StreamOptions {
  readonly path: string;
  readonly retry: RetryPolicy;
  /** Where to go on; what came up to it does not come again. */
  readonly lastEventId?: string | undefined;
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal | undefined;
}

/** A connection that says nothing for so long, not even a comment, is dead. */
const SILENCE_MS = 60_000;
const MAX_EVENT_UNITS = 8 * 1024 * 1024;

/**
 * The events, in order. What is temporarily out of reach is waited for, for ever: whoever follows ends it by the signal.
 * @throws ProoflineApiError for an answer that no waiting mends
 */
export async function* followEvents(
  transport: Transport,
  { path, retry, signal, ...options }: StreamOptions,
): AsyncGenerator<EventSourceMessage> {
  let { lastEventId } = options;
  const isOver = (): boolean => signal?.aborted === true;
  for (let failed = 1; !isOver(); failed++) {
    let askedMs: number | null = null;
    try {
      for await (const message of transport.stream(requestOf(path, lastEventId, signal), messagesOf)) {
        failed = 0;
        lastEventId = message.id ?? lastEventId;
        yield message;
      }
    } catch (error) {
      if (isOver()) return;
      if (!isProoflineApiError(error) || !mayPass(error)) throw error;
      askedMs = error.retryAfterMs;
    }
    await pauseFor(retry, Math.max(1, failed), askedMs, signal);
  }
}

function requestOf(
  path: string,
  lastEventId: string | undefined,
  signal: AbortSignal | undefined,
): ApiRequest {
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  return { method: 'GET', path, headers, signal };
}

/** Only the length of the pause is the policy's: a stream is never given up. */
async function pauseFor(
  policy: RetryPolicy,
  failed: number,
  askedMs: number | null,
  signal: AbortSignal | undefined,
): Promise<void> {
  const times = Math.min(failed, Math.max(1, policy.retries));
  const ms = pauseBefore({ ...policy, retries: times }, times, askedMs, Math.random());
  await pause(ms ?? policy.longestPauseMs, signal).catch(() => undefined);
}

async function* messagesOf(response: Response): AsyncGenerator<EventSourceMessage> {
  const reader = readerOf(response);
  if (reader === undefined) throw unusable('it has no body');
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    throw unusable('it is no stream of events');
  const decoder = new TextDecoder();
  let messages: EventSourceMessage[] = [];
  let tooLarge = false;
  const isTooLarge = (): boolean => tooLarge;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_UNITS,
    onEvent: (message) => void messages.push(message),
    onError: ({ type }) => void (tooLarge ||= type === 'max-buffer-size-exceeded'),
  });
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* messages;
      messages = [];
      if (isTooLarge()) throw unusable(`an event is larger than ${MAX_EVENT_UNITS} characters`);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

async function withinSilence<T>(read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${SILENCE_MS / 1000} s`)), SILENCE_MS);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}
