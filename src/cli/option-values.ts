import { ProoflineError } from '../contracts/errors.js';

/** Values of options, which come as texts. */

/** A whole number within the bounds. @throws ProoflineError PL_INPUT_INVALID. */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw invalid(`${option} is ${JSON.stringify(text)}; it must be a whole number from ${min} to ${max}`);
}

export function invalid(problem: string): ProoflineError {
  return new ProoflineError('PL_INPUT_INVALID', { problem });
}
