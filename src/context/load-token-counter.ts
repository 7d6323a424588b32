import { bytePairCounter } from './byte-pair-counter.js';
import type { Encoding, TokenCounter } from './token-counter.js';

/**
 * Vocabularies and patterns are gpt-tokenizer's, megabytes of them, so they are loaded when somebody counts. The
 * merging is our own: the usual one takes time that grows with the square of a word, and evidence may bring a word of
 * any length (100,000 Han characters without a stop took it a minute and a half).
 */

const counters = new Map<Encoding, Promise<TokenCounter>>();

/** The counter of an encoding. */
export function loadTokenCounter(encoding: Encoding): Promise<TokenCounter> {
  const known = counters.get(encoding);
  if (known !== undefined) return known;
  const counter = load(encoding);
  counters.set(encoding, counter);
  // What could not be loaded is tried again.
  counter.catch(() => counters.delete(encoding));
  return counter;
}

/** Families of models whose tokens are o200k_base's, also tuned ones (`ft:gpt-4o-…`). */
const O200K_MODELS =
  /^(?:ft:)?(?:(?:chatgpt|gpt)-4o|gpt-4\.[15]|gpt-5(?:\.\d+)?|gpt-oss|codex-mini|o[134])(?:[-:]|$)/;

/** The encoding that a model's tokens are counted in; of a model that is not known, or none, cl100k_base. */
export function encodingOfModel(model: string | null): Encoding {
  return model !== null && O200K_MODELS.test(model) ? 'o200k_base' : 'cl100k_base';
}

async function load(encoding: Encoding): Promise<TokenCounter> {
  const { loadVocabulary } = await import('../tokenizer/load-vocabulary.js');
  const patterns = await import('gpt-tokenizer/encodingParams/constants');
  const pattern = {
    cl100k_base: patterns.CL100K_TOKEN_SPLIT_REGEX,
    o200k_base: patterns.O200K_TOKEN_SPLIT_REGEX,
  }[encoding];
  return bytePairCounter(encoding, loadVocabulary(encoding), pattern);
}
