import { cutText } from '../../text/text.js';
import { searchLimits } from './limits.js';
import type { SearchLimits } from './limits.js';
import { CHINESE_QUESTION, chineseJoining, chineseStopWords, englishStopWords } from './stop-words.js';
import { piecesOf, runTokens, segment, wordTokens } from './words.js';

/** A term of a query. */
export interface Term {
  readonly text: string;
  /** The FTS5 phrase that finds the chunks containing it. */
  readonly phrase: string;
}

/** How many chunks contain a phrase. */
export type CountChunks = (phrase: string) => number;

/**
 * The distinct terms of a query, at most `maxTerms`, in order. Stop words are left out, unless there is
 * nothing else. `count` helps to pair characters that the segmenter leaves alone (网关 comes out as 网 and 关).
 */
export function queryTerms(
  query: string,
  count: CountChunks,
  limits: SearchLimits = searchLimits,
): readonly Term[] {
  const text = cutText(query, limits.maxQueryChars);
  const strict = collect(text, count, limits.maxTerms, { strict: true });
  return strict.length > 0 ? strict : collect(text, count, limits.maxTerms, { strict: false });
}

function collect(text: string, count: CountChunks, limit: number, { strict }: { strict: boolean }): Term[] {
  const terms = new Map<string, Term>();
  for (const piece of piecesOf(text)) {
    const found = piece.kind === 'run' ? runTerms(piece.text, count, strict) : wordTerms(piece.text, strict);
    for (const term of found) {
      if (terms.size >= limit) return [...terms.values()];
      terms.set(term.text, term);
    }
  }
  return [...terms.values()];
}

function wordTerms(word: string, strict: boolean): Term[] {
  return wordTokens(word)
    .filter((token) => !strict || !englishStopWords.has(token))
    .map((token) => ({ text: token, phrase: `"${token}"` }));
}

function* runTerms(run: string, count: CountChunks, strict: boolean): Generator<Term> {
  const parts = strict ? run.split(CHINESE_QUESTION) : [run];
  for (const part of parts) yield* partTerms(part, count, strict);
}

/** The segmenter's words; the characters that it leaves alone side by side are paired. */
function* partTerms(part: string, count: CountChunks, strict: boolean): Generator<Term> {
  let alone: string[] = [];
  for (const word of segment(part)) {
    if (isOneCharacter(word) && !(strict && chineseJoining.has(word))) {
      alone.push(word);
      continue;
    }
    yield* pairUp(alone, count, strict);
    alone = [];
    if (!isOneCharacter(word) && !(strict && chineseStopWords.has(word))) yield runTerm(word);
  }
  yield* pairUp(alone, count, strict);
}

function isOneCharacter(word: string): boolean {
  return Array.from(word).length === 1;
}

/** Characters side by side that are looked at; a longer row of them is no language. */
const MAX_ALONE = 128;

/**
 * Of all ways to put neighbours together, the one whose pairs stand in the most chunks. A character left over
 * is an affix and says little: it counts only where a query has nothing else.
 */
function pairUp(alone: readonly string[], count: CountChunks, strict: boolean): Term[] {
  const characters = alone.slice(0, MAX_ALONE);
  const pairs = characters.map((character, index) => (characters[index - 1] ?? '') + character);
  const worth = pairs.map((pair, index) => (index === 0 ? 0 : worthOf(count(runTerm(pair).phrase))));
  const best = bestWorths(worth);
  const words: string[] = [];
  for (let n = characters.length; n > 0;) {
    if (n > 1 && best[n] === at(best, n - 2) + at(worth, n - 1)) {
      words.unshift(pairs[n - 1] ?? '');
      n -= 2;
    } else {
      if (!strict) words.unshift(characters[n - 1] ?? '');
      n -= 1;
    }
  }
  return words.map(runTerm);
}

/** A pair that no chunk knows is still better than its halves: as a term it says that something is missing. */
function worthOf(chunks: number): number {
  return Math.log1p(chunks) + 0.1;
}

/** The best worth of the first n characters, for every n; `worth[n]` is of the pair that ends with character n. */
function bestWorths(worth: readonly number[]): readonly number[] {
  const best = [0];
  for (const [index, pair] of worth.entries()) {
    const paired = index === 0 ? 0 : at(best, index - 1) + pair;
    best.push(Math.max(at(best, index), paired));
  }
  return best;
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? 0;
}

/** A word of Han or kana: its pairs in a row; one character: whatever begins with it. */
function runTerm(word: string): Term {
  const tokens = runTokens(word);
  const phrase = tokens.length === 1 ? `"${word}" *` : `"${tokens.slice(0, -1).join(' ')}"`;
  return { text: word, phrase };
}
