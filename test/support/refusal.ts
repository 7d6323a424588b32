import { expect } from 'vitest';
import type { ErrorCode } from '../../src/contracts/errors.js';

/** For `toThrow` and `rejects`: an error of the table with this code, and this in its message. */
export function refusal(code: ErrorCode, problem = ''): Error {
  return expect.objectContaining({
    name: 'ProoflineError',
    code,
    message: expect.stringContaining(problem) as string,
  }) as Error;
}
