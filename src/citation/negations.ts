import { fold, type FoldedText } from './fold.js';

/** Words that turn a sentence around. What is left out of a quote may hold none of them. */

const WORDS = 'not|no|never|without|except|unless|neither|nor|none|cannot';
/** A word ends beside Han and kana, as everywhere in quotes. */
const WORD_CHARACTER = '[[\\p{L}\\p{M}\\p{N}]--[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]]';
/** 除非 holds 非. */
const NEGATION = `(?:(?<!${WORD_CHARACTER})(?:${WORDS})|n't)(?!${WORD_CHARACTER})|[不无未非没勿别莫]|除外`;

const ANY = new RegExp(NEGATION, 'giv');
const AT_END = new RegExp(`(?:${NEGATION})[ "'\\(]*$`, 'iv');

/** The negations of a folded text, in order, as places in it. */
export function negationsIn(folded: FoldedText): readonly { readonly start: number; readonly end: number }[] {
  return Array.from(folded.text.matchAll(ANY), ({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
  }));
}

/** More than the longest negation with what may stand behind it. */
const WINDOW = 64;

/** Whether a negation stands right before `at`: only white space, a quote mark or a bracket between. */
export function isAfterNegation(text: string, at: number): boolean {
  return AT_END.test(fold(text.slice(Math.max(0, at - WINDOW), at)).text);
}
