import type { ErrorCode } from '../../contracts/errors.js';
import { networkFault } from '../../retrieval/py-rag/network-faults.js';
import { readAnswer } from '../../retrieval/py-rag/read-answer.js';
import { retryAfterMs } from '../../retrieval/py-rag/retry-after.js';
import type { ChatMessage } from '../prompt.js';
import { readCompletion, type Completion } from './completion.js';
import type { ChatJudgeSettings } from './settings.js';

/** One attempt: an answer, a refusal that no second attempt would change, or nothing, so that another may help. */
export type Exchange =
  | { readonly kind: 'answered'; readonly completion: Completion }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly problem: string }
  | {
      readonly kind: 'unanswered';
      readonly problem: string;
      /** How long it asks to be left alone. */
      readonly retryAfterMs: number | null;
      /** False where it was told no before it can have read anything. */
      readonly mayHaveCost: boolean;
    };

/** Posts the messages once. Rejects only with the signal's reason, when it aborts. */
export async function exchange(
  settings: ChatJudgeSettings,
  messages: readonly ChatMessage[],
  signal: AbortSignal | undefined,
  now: () => number,
): Promise<Exchange> {
  const request = new AbortController();
  const giveUp = (): void => request.abort(signal?.reason);
  const timer = setTimeout(() => request.abort(), settings.timeoutMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await read(await post(settings, messages, request.signal), settings, now());
  } catch (error) {
    signal?.throwIfAborted();
    if (request.signal.aborted) return unanswered(`no whole answer within ${settings.timeoutMs / 1000} s`);
    const fault = networkFault(error);
    return { ...unanswered(fault.problem), mayHaveCost: !fault.down };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
    // Lets go of the connection where the body was not read to its end.
    request.abort();
  }
}

function post(
  { url, model, key }: ChatJudgeSettings,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    // A redirect could lead the key to somebody else.
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      // Small bytes that unpack to large ones are refused rather than measured.
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      model,
      temperature: 0,
      response_format: { type: 'json_object' },
      stream: false,
      messages,
    }),
    signal,
  });
}

async function read(response: Response, settings: ChatJudgeSettings, now: number): Promise<Exchange> {
  const { status, headers } = response;
  if (status >= 500 || status === 429 || status === 408) {
    const after = retryAfterMs(headers.get('retry-after'), now, settings.maxRetryAfterMs);
    return { kind: 'unanswered', problem: `it answers ${status}`, retryAfterMs: after, mayHaveCost: false };
  }
  if (status === 401 || status === 403) return refused('PL_JUDGE_REFUSED', `it refuses the key (${status})`);
  if (!response.ok) return refused('PL_JUDGE_REFUSED', `it answers ${status}`);
  const answer = await readAnswer(response, settings.maxBytes);
  if ('problem' in answer) return refused('PL_JUDGE_ANSWER', answer.problem);
  const completion = readCompletion(answer.json);
  return 'problem' in completion
    ? refused('PL_JUDGE_ANSWER', completion.problem)
    : { kind: 'answered', completion };
}

function refused(code: ErrorCode, problem: string): Exchange {
  return { kind: 'refused', code, problem };
}

function unanswered(problem: string): Extract<Exchange, { kind: 'unanswered' }> {
  return { kind: 'unanswered', problem, retryAfterMs: null, mayHaveCost: true };
}
