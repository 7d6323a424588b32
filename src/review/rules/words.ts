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

/** The distinct content words of a text. */
export interface ContentWords {
  readonly stems: ReadonlySet<string>;
  /** Stretches of neighbouring characters, each as its pairs in order: n pairs are n + 1 characters. */
  readonly runs: readonly (readonly number[])[];
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
const ONLY_DIGITS = /^\p{N}+$/u;
const NON_ASCII = /[^\x00-\x7f]/;

/** The distinct content words of a text. Numbers are none. */
export function contentWords(text: string): ContentWords {
  const folded = foldCase(text);
  const runs = NON_ASCII.test(folded) ? runsOf(folded.replace(CHINESE_STOPS, ' ')) : [];
  return { stems: stems(folded), runs };
}

/** All that evidence may have of the words. */
export function termsOf({ stems, runs }: ContentWords): Term[] {
  const terms: Term[] = [...stems];
  for (const run of runs) for (const pair of run) terms.push(pair);
  return terms;
}

/** How many content words there are and how many of them are shown, both in half words. */
export function countWords(
  { stems, runs }: ContentWords,
  isShown: (term: Term) => boolean,
): { total: number; shown: number } {
  let total = 2 * stems.size;
  let shown = 0;
  for (const stem of stems) if (isShown(stem)) shown += 2;
  for (const run of runs) {
    total += run.length + 1;
    shown += charactersShown(run, isShown);
  }
  return { total, shown };
}

/** A character is shown beside the one before it or beside the one after it. */
function charactersShown(run: readonly number[], isShown: (term: Term) => boolean): number {
  let shown = 0;
  let before = false;
  for (const pair of run) {
    const here = isShown(pair);
    if (before || here) shown += 1;
    before = here;
  }
  return shown + (before ? 1 : 0);
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
    if (!ENGLISH_STOP_WORDS.has(word) && !isNumber(word)) found.add(stem(word));
  return found;
}

function isNumber(word: string): boolean {
  // Most words begin with a letter.
  return word.charCodeAt(0) <= 0x39 ? ONLY_DIGITS.test(word) : false;
}

/** A pair that was there before is a repeat and ends the run; a character that stands alone is no content. */
function runsOf(text: string): number[][] {
  const seen = new Set<number>();
  const runs: number[][] = [];
  for (const stretch of text.match(PAIRED_RUN) ?? []) {
    let run: number[] = [];
    for (let i = 1; i < stretch.length; i++) {
      const pair = pairAt(stretch, i);
      if (seen.has(pair)) run = [];
      else if (run.push(pair) === 1) runs.push(run);
      seen.add(pair);
    }
  }
  return runs;
}

/** The characters at `i - 1` and `i`. */
function pairAt(run: string, i: number): number {
  return (run.charCodeAt(i - 1) << 16) | run.charCodeAt(i);
}
