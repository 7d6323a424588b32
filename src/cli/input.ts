import { ProoflineError } from '../contracts/errors.js';

/** What a person typed, read or refused. */

export function inputInvalid(problem: string, cause?: unknown): ProoflineError {
  return new ProoflineError('PL_INPUT_INVALID', { problem }, { cause });
}

/** The value of an option that takes a count. @throws ProoflineError PL_INPUT_INVALID. */
export function wholeNumber(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw inputInvalid(`${option} is ${JSON.stringify(text)}, and must be a whole number from 1 on`);
}
