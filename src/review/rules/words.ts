import { CHINESE_STOPS, ENGLISH_STOP_WORDS } from './stop-words.js';
import { stem } from './stemming.js';

/**
 * Words of scripts with spaces are compared by their stems. Scripts without spaces (and Hangul, whose words carry
 * endings) are compared by pairs of neighbouring characters: a character is found when it stands in the evidence
 * beside the same neighbour, and counts as half a word. Dictionaries that cut such text into words differ from one
 * runtime to the next, and the same draft must get the same answer everywhere.
 */

/**
 * What texts are compared by: the stem of a word, a pair of neighbouring characters (their UTF-16 units in one
 * integer), or the key of a number.
 */
export type Term = string | number;

/** What counts as one content word, or half a word, and the terms of which evidence must have one. */
export interface ContentWord {
  readonly terms: readonly Term[];
  /** In half words: 2 for a word with spaces around it, 1 for a character of a script without. */
  readonly halves: 1 | 2;
}

const PAIRED = [
  'Script=Han',
  'Script=Hiragana',
  'Script=Katakana',
  'Script=Hangul',
  'Script=Thai',
  'Script=Lao',
  'Script=Khmer',
  'Script=Myanmar',
].map((script) => `\\p{${script}}`);

const PAIRED_RUN = new RegExp(`[${PAIRED.join('')}]+`, 'gv');
const SPACED_WORD = new RegExp(`[[\\p{L}\\p{M}\\p{N}]--[${PAIRED.join('')}]]+`, 'gv');
const ASCII_WORD = /[a-z0-9]+/g;
const HAS_LETTER = /\p{L}/u;
const NON_ASCII = /[^\x00-\x7f]/;

/** The distinct content words of a text. Numbers are none. */
export function contentWords(text: string): ContentWord[] {
  const folded = foldCase(text);
  const words: ContentWord[] = [];
  for (const stem of stems(folded)) words.push({ terms: [stem], halves: 2 });
  if (NON_ASCII.test(folded)) pushCharacters(words, folded.replace(CHINESE_STOPS, ' '));
  return words;
}

/** The words and pairs that a text shows as evidence. */
export function evidenceTerms(text: string): Set<Term> {
  const folded = foldCase(text);
  const terms: Set<Term> = stems(folded);
  if (!NON_ASCII.test(folded)) return terms;
  for (const run of folded.match(PAIRED_RUN) ?? [])
    for (let i = 1; i < run.length; i++) terms.add(pairAt(run, i));
  return terms;
}

function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function stems(folded: string): Set<string> {
  const found = new Set<string>();
  for (const word of folded.match(NON_ASCII.test(folded) ? SPACED_WORD : ASCII_WORD) ?? [])
    if (HAS_LETTER.test(word) && !ENGLISH_STOP_WORDS.has(word)) found.add(stem(word));
  return found;
}

/** A character between two pairs that were there before is a repeat; one that stands alone is no content. */
function pushCharacters(words: ContentWord[], text: string): void {
  const seen = new Set<number>();
  for (const run of text.match(PAIRED_RUN) ?? []) {
    for (let i = 0; i < run.length; i++) {
      const terms = pairsAround(run, i);
      if (!terms.every((pair) => seen.has(pair))) words.push({ terms, halves: 1 });
      if (i > 0) seen.add(pairAt(run, i));
    }
  }
}

function pairsAround(run: string, i: number): number[] {
  const pairs = i > 0 ? [pairAt(run, i)] : [];
  if (i + 1 < run.length) pairs.push(pairAt(run, i + 1));
  return pairs;
}

/** The characters at `i - 1` and `i`. */
function pairAt(run: string, i: number): number {
  return (run.charCodeAt(i - 1) << 16) | run.charCodeAt(i);
}
