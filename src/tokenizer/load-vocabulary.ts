import { createRequire } from 'node:module';
import { packVocabulary, type Token, type Vocabulary } from './vocabulary.js';

const require = createRequire(import.meta.url);

/** gpt-tokenizer's tokens, packed. What it is packed from is let go of: an imported module would stay for good. */
export function loadVocabulary(encoding: string): Vocabulary {
  const path = require.resolve(`gpt-tokenizer/bpeRanks/${encoding}`);
  const loaded = require(path) as { readonly default: readonly Token[] };
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the cache of modules is such an object
  delete require.cache[path];
  return packVocabulary(loaded.default);
}
