import type { AssemblyOptions } from '../../context/assemble.js';
import type { TokenBudgetOptions } from '../../context/token-budget.js';
import { encodings } from '../../context/token-counter.js';
import { inputInvalid, wholeNumber } from '../input.js';

/** The options of `proofline assemble`. */
export interface AssembleOptions {
  readonly input?: string;
  readonly run?: string;
  readonly call: readonly string[];
  readonly query?: string;
  readonly tokens?: string;
  readonly model?: string;
  readonly encoding?: string;
  readonly labels: boolean;
  readonly delimiter?: string;
  readonly answer?: string;
  readonly unit?: string;
  readonly packed?: true;
  readonly text?: true;
}

/** Null where none is asked for. @throws ProoflineError PL_INPUT_INVALID. */
export function budgetAsked({ tokens, model, encoding }: AssembleOptions): TokenBudgetOptions | null {
  if (tokens === undefined) {
    if (model === undefined && encoding === undefined) return null;
    throw inputInvalid('--model and --encoding say how --tokens are counted, and it is not given');
  }
  const known = encodings.find((each) => each === encoding);
  if (encoding !== undefined && known === undefined)
    throw inputInvalid(`--encoding is ${JSON.stringify(encoding)}, and must be ${encodings.join(' or ')}`);
  return { tokens: wholeNumber('--tokens', tokens), model: model ?? null, encoding: known ?? null };
}

export function assemblyOption({ labels, delimiter }: AssembleOptions): AssemblyOptions {
  return {
    ...(labels ? {} : { includeCitations: false }),
    ...(delimiter === undefined ? {} : { delimiter }),
  };
}
