import { ProoflineError } from '../../contracts/errors.js';
import type { BudgetLimits } from '../budget.js';
import { judgeLimits, type JudgeLimits } from '../limits.js';

/** How the endpoint is reached, and how much of it is put up with. */
export interface ChatJudgeSettings extends BudgetLimits {
  /** The base address of an OpenAI-compatible API, as `https://host/v1`, or the whole one of its chat completions. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token; null sends none. */
  readonly key: string | null;
  /** Milliseconds for one attempt, from connecting to the last byte of the body. */
  readonly timeoutMs: number;
  /** Attempts for one question. */
  readonly attempts: number;
  /** Questions in a row without an answer that mean that the endpoint is down. */
  readonly downAfter: number;
  /** Milliseconds for which an endpoint that is down is not asked. */
  readonly restMs: number;
  /** Bytes of an answer. */
  readonly maxBytes: number;
  /** Milliseconds before the second attempt; doubled before each further one. */
  readonly backoffMs: number;
  /** Milliseconds between two attempts at most. A longer Retry-After ends the question, and is kept to by the next. */
  readonly maxBackoffMs: number;
  /** The longest Retry-After that is believed, in milliseconds. */
  readonly maxRetryAfterMs: number;
  readonly limits: JudgeLimits;
}

export const chatJudgeDefaults = Object.freeze({
  key: null,
  timeoutMs: 15_000,
  attempts: 3,
  downAfter: 5,
  restMs: 30_000,
  maxBytes: 256 * 1024,
  backoffMs: 250,
  maxBackoffMs: 2_000,
  maxRetryAfterMs: 15 * 60_000,
  callsPerHour: 1_000,
  tokensPerHour: 2_000_000,
  limits: judgeLimits,
}) satisfies Omit<ChatJudgeSettings, 'url' | 'model'>;

/** What a header may carry of a key; anything else would show up, key and all, in an error of `fetch`. */
const KEY = /^[\x21-\x7e]+$/;

/**
 * The settings with the whole address, or PL_CONFIG_INVALID. Checked here and not by `fetch`, whose errors repeat the
 * whole address and the whole header: the messages here name neither.
 */
export function checkedSettings(settings: ChatJudgeSettings): ChatJudgeSettings {
  const problems = [addressProblem(settings.url), keyProblem(settings.key), modelProblem(settings.model)];
  const found = problems.filter((problem) => problem !== null);
  if (found.length > 0) throw new ProoflineError('PL_CONFIG_INVALID', { problems: found.join('; ') });
  return { ...settings, url: completionsUrl(settings.url) };
}

function addressProblem(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null) return 'the address of the judge is no URL';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'the address of the judge is not http(s)';
  if (url.username !== '' || url.password !== '') return 'the address of the judge has a password in it';
  return null;
}

function keyProblem(key: string | null): string | null {
  if (key === null || KEY.test(key)) return null;
  return 'the key of the judge is empty or has characters that a header cannot carry';
}

function modelProblem(model: string): string | null {
  return model.trim() === '' ? 'the model of the judge is blank' : null;
}

const COMPLETIONS = '/chat/completions';

function completionsUrl(address: string): string {
  const url = new URL(address);
  const base = url.pathname.replace(/\/+$/, '');
  url.pathname = base.endsWith(COMPLETIONS) ? base : `${base}${COMPLETIONS}`;
  return url.href;
}
