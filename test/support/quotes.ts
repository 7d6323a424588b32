import { tryQuote } from '../../src/cli/try/quote.js';
import type { JsonObject } from '../../src/contracts/json.js';

/** A quote as a draft has it, its document left out. */
export interface QuoteJson {
  readonly text: string;
  readonly prefix?: string | null;
  readonly suffix?: string | null;
}

/** The outcome of one quote against one excerpt. */
export function quoteOf(quote: QuoteJson, excerpt: string, more: object = {}): JsonObject {
  return tryQuote({ quote, excerpt, ...more });
}
