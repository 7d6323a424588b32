import { ProoflineError } from '../contracts/errors.js';
import { encodingOfModel, loadTokenCounter } from './load-token-counter.js';
import { encodings, type Encoding, type TokenCounter } from './token-counter.js';

/** How many tokens a context may have, and how they are counted. */
export interface TokenBudget {
  readonly tokens: number;
  readonly counter: TokenCounter;
}

/** An encoding wins over a model; neither, or a model that is not known, is counted in cl100k_base. */
export interface TokenBudgetOptions {
  readonly tokens: number;
  readonly model?: string | null | undefined;
  readonly encoding?: Encoding | null | undefined;
}

/** @throws ProoflineError PL_INPUT_INVALID unless the tokens are a whole number from 1 on and the encoding is known. */
export async function tokenBudget({ tokens, model, encoding }: TokenBudgetOptions): Promise<TokenBudget> {
  // From programs without types anything may come.
  if (typeof encoding === 'string' && !encodings.includes(encoding))
    throw invalid(`encoding ${JSON.stringify(encoding)} is none of ${encodings.join(', ')}`);
  assertPositive(tokens);
  return budgetOf(tokens, await loadTokenCounter(encoding ?? encodingOfModel(model ?? null)));
}

/** A budget over a counter that is at hand. @throws ProoflineError PL_INPUT_INVALID unless it is positive. */
export function budgetOf(tokens: number, counter: TokenCounter): TokenBudget {
  assertPositive(tokens);
  return { tokens, counter };
}

function assertPositive(tokens: number): void {
  if (Number.isSafeInteger(tokens) && tokens > 0) return;
  throw invalid(`a budget of ${String(tokens)} tokens is no whole number from 1 on`);
}

function invalid(problem: string): ProoflineError {
  return new ProoflineError('PL_INPUT_INVALID', { problem });
}
