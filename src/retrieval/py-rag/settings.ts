import { ProoflineError } from '../../contracts/errors.js';

/** How py-rag is reached and how much of it is put up with. */
export interface PyRagSettings {
  /** The one address that lookups are posted to. */
  readonly url: string;
  /** Sent as a bearer token; null sends none. */
  readonly token: string | null;
  /** Milliseconds for one attempt, from connecting to the last byte of the body. */
  readonly timeoutMs: number;
  /** Attempts for one lookup. */
  readonly attempts: number;
  /** Lookups in a row without an answer that mean that the service is down. */
  readonly downAfter: number;
  /** Bytes of an answer. */
  readonly maxBytes: number;
  /** Milliseconds before the second attempt; doubled before each further one. */
  readonly backoffMs: number;
  /** Milliseconds between two attempts at most. */
  readonly maxBackoffMs: number;
  /** The longest Retry-After that is believed, in milliseconds. */
  readonly maxRetryAfterMs: number;
}

export const pyRagDefaults = Object.freeze({
  token: null,
  timeoutMs: 5_000,
  attempts: 5,
  downAfter: 5,
  maxBytes: 2 * 1024 * 1024,
  backoffMs: 200,
  maxBackoffMs: 2_000,
  maxRetryAfterMs: 15 * 60_000,
}) satisfies Omit<PyRagSettings, 'url'>;

/** What a header may carry of a token; anything else would show up, token and all, in an error of `fetch`. */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * The settings, or PL_CONFIG_INVALID. Checked here and not by `fetch`, whose errors repeat the whole address
 * and the whole header: the messages here name neither.
 */
export function checkedSettings(settings: PyRagSettings): PyRagSettings {
  const problems = [addressProblem(settings.url), tokenProblem(settings.token)].filter((p) => p !== null);
  if (problems.length > 0) throw new ProoflineError('PL_CONFIG_INVALID', { problems: problems.join('; ') });
  return settings;
}

function addressProblem(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null) return 'the address of py-rag is no URL';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'the address of py-rag is not http(s)';
  if (url.username !== '' || url.password !== '') return 'the address of py-rag has a password in it';
  return null;
}

function tokenProblem(token: string | null): string | null {
  if (token === null || TOKEN.test(token)) return null;
  return 'the token of py-rag is empty or has characters that a header cannot carry';
}
