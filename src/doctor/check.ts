import { isProoflineError, ProoflineError, type ErrorCode } from '../contracts/errors.js';

/** One thing that was looked at. `fail` blocks the line, `warn` is worth knowing. */
export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly finding: string;
  /** What to do about it; null where all is well. */
  readonly fix: string | null;
  /** The retryable error of something that gives no answer now: waiting may mend it, unlike other failures. */
  readonly down?: ProoflineError;
}

export function ok(name: string, finding: string): Check {
  return { name, status: 'ok', finding, fix: null };
}

export function warning(name: string, finding: string, fix: string): Check {
  return { name, status: 'warn', finding, fix };
}

export function failure(name: string, finding: string, fix: string): Check {
  return { name, status: 'fail', finding, fix };
}

/** The code of what is looked at when it does not answer in time; its message takes a `problem`. */
type LateCode = Extract<ErrorCode, 'PL_BUS_DOWN' | 'PL_VIEW_DOWN' | 'PL_AUDIT_DOWN' | 'PL_REGISTRY_DOWN'>;

export interface Patience {
  readonly late: LateCode;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * What the looking came to. An error of it is a finding too: its own code says how to solve it. With `patience` it is
 * waited for only so long.
 */
export async function looking(
  name: string,
  look: () => Check | readonly Check[] | Promise<Check | readonly Check[]>,
  patience?: Patience,
): Promise<readonly Check[]> {
  try {
    const found = await (patience === undefined ? look() : within(patience, async () => look()));
    return 'name' in found ? [found] : found;
  } catch (error) {
    const finding = error instanceof Error ? error.message : String(error);
    const fix = isProoflineError(error) ? error.solve : 'PROOFLINE_DEBUG=1 proofline doctor shows more.';
    const check = failure(name, finding, fix);
    return [isProoflineError(error) && error.retryable ? { ...check, down: error } : check];
  }
}

async function within<T>({ late, timeoutMs = TIMEOUT_MS }: Patience, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    const error = new ProoflineError(late, { problem: `no answer within ${timeoutMs / 1000} s` });
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    return await Promise.race([work(), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
