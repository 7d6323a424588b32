import { isProoflineApiError } from './api-error.js';
import { pause } from './retry.js';
import type { ApiAnswer, ApiRequest, Transport } from './transport.js';

/** Asking for something that may take longer than one request. */

export const DEFAULT_WAIT_MS = 30_000;
/** The longest that one request asks the gateway to wait: proxies end what is silent for longer. */
const LONGEST_REQUEST_MS = 20_000;
/** Between two questions where the gateway did not wait as long as it was asked to. */
const PAUSE_MS = 250;

export interface Asking {
  readonly first: ApiRequest;
  /** Where to look after the first request was taken. */
  readonly then: ApiRequest;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The answer when it is there within the time, which is asked for at least once; null when it is not.
 * @throws ProoflineApiError; the reason of the signal when it aborts
 */
export async function ask(
  transport: Transport,
  { first, then, waitMs, signal }: Asking,
): Promise<ApiAnswer | null> {
  const end = performance.now() + waitMs;
  let request = first;
  for (let left = waitMs; ;) {
    const part = Math.min(LONGEST_REQUEST_MS, Math.max(0, left));
    const asked = performance.now();
    const answer = await sendOr404(transport, { ...request, waitMs: part, signal }, request === then);
    if (answer !== null && answer.status !== ACCEPTED) return answer;
    const early = performance.now() - asked < part / 2;
    left = end - performance.now();
    if (left <= 0) return null;
    if (early) await pause(Math.min(PAUSE_MS, left), signal);
    request = then;
  }
}

const ACCEPTED = 202;
const NOT_FOUND = 404;

/** What one gateway took, another may not have seen yet. */
async function sendOr404(
  transport: Transport,
  request: ApiRequest,
  wasTaken: boolean,
): Promise<ApiAnswer | null> {
  try {
    return await transport.send(request);
  } catch (error) {
    if (wasTaken && isProoflineApiError(error) && error.status === NOT_FOUND) return null;
    throw error;
  }
}
