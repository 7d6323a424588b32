import type { KnowledgeQuery, SearchOutcome } from '../knowledge-search.js';
import { answered, down, failed } from '../outcomes.js';
import { networkFault } from './network-faults.js';
import { readAnswer } from './read-answer.js';
import { retryAfterMs } from './retry-after.js';
import type { PyRagSettings } from './settings.js';

/** One attempt: settled one way or the other, or without an answer, so that another attempt may help. */
export type Attempt =
  | { readonly kind: 'settled'; readonly outcome: SearchOutcome }
  | { readonly kind: 'unanswered'; readonly problem: string };

/** Posts the query once. Rejects only with the signal's reason, when it aborts. */
export async function attempt(
  settings: PyRagSettings,
  query: KnowledgeQuery,
  signal: AbortSignal | undefined,
  now: () => number,
): Promise<Attempt> {
  const request = new AbortController();
  const giveUp = () => request.abort(signal?.reason);
  const timer = setTimeout(() => request.abort(), settings.timeoutMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await judge(await post(settings, query, request.signal), settings, now());
  } catch (error) {
    signal?.throwIfAborted();
    if (request.signal.aborted) return unanswered(`no whole answer within ${settings.timeoutMs / 1000} s`);
    const fault = networkFault(error);
    return fault.down ? settled(down(fault.problem)) : unanswered(fault.problem);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
    // Lets go of the connection where the body was not read to its end.
    request.abort();
  }
}

function post(settings: PyRagSettings, query: KnowledgeQuery, signal: AbortSignal): Promise<Response> {
  const { query: text, mode, filters, topK } = query;
  return fetch(settings.url, {
    method: 'POST',
    // A redirect could lead the token to somebody else.
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      // Small bytes that unpack to large ones are refused rather than measured.
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      ...(settings.token === null ? {} : { authorization: `Bearer ${settings.token}` }),
    },
    body: JSON.stringify({ query: text, mode, filters, top_k: topK }),
    signal,
  });
}

async function judge(response: Response, settings: PyRagSettings, now: number): Promise<Attempt> {
  const { status, headers } = response;
  if (status >= 500) return unanswered(`it answers ${status}`);
  if (status === 401 || status === 403) return settled(down(`it refuses the token (${status})`));
  if (status === 429)
    return settled(
      down(
        'it takes no more requests now (429)',
        retryAfterMs(headers.get('retry-after'), now, settings.maxRetryAfterMs),
      ),
    );
  if (status >= 400) return settled(failed('PL_RETRIEVAL_REFUSED', { problem: `it answers ${status}` }));
  if (!response.ok) return settled(broken(`it answers ${status}, and redirects are not followed`));
  const answer = await readAnswer(response, settings.maxBytes);
  return settled('problem' in answer ? broken(answer.problem) : answered(answer.json));
}

function broken(problem: string): SearchOutcome {
  return failed('PL_RETRIEVAL_CONTRACT', { problem });
}

function settled(outcome: SearchOutcome): Attempt {
  return { kind: 'settled', outcome };
}

function unanswered(problem: string): Attempt {
  return { kind: 'unanswered', problem };
}
