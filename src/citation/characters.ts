import { folds, isDropped } from './fold-table.js';

/** What a character is to the edges of words and numbers: flags, as one may be several things. */
export const LETTER = 1;
export const DIGIT = 2;
/** Han or kana: words of these scripts have no edges. */
export const FREE = 4;
/** Apostrophe or hyphen: joins letters into one word. */
export const JOINER = 8;
/** Joins digits into one number. */
export const SEPARATOR = 16;
/** A full-width comma or colon: ends a clause between ordinary digits, and joins full-width ones. */
export const WIDE_SEPARATOR = 32;
export const SIGN = 64;
export const PERCENT = 128;
/** Not a character to a reader: dropped by folding, or a mark on the one before. */
export const UNSEEN = 256;
/** A full-width digit. */
export const WIDE = 512;

const FREE_SCRIPTS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc\uff70]/u;
const LETTERS = /\p{L}/u;
/** Numbers in circles are bullets. */
const DIGITS = new RegExp('[\\p{N}--[\\u2460-\\u249b\\u24ea-\\u24ff\\u2776-\\u2793]]', 'v');
const MARKS = /\p{M}/u;

/** Hyphens alone: a dash parts words. */
const HYPHENS = new Set([0x2d, 0x2010, 0x2011, 0xfe63, 0xff0d]);
/** An en dash before a digit is read as a minus. */
const SIGNS = new Set([0x2b, 0x2d, 0xb1, 0x2212, 0x2010, 0x2011, 0x2012, 0x2013, 0xfe63, 0xff0b, 0xff0d]);
const SEPARATORS = new Set(['.', ',', "'", ':', '/', '-']);
const CLAUSE_MARKS = new Set([0xff0c, 0xff1a]);

const ASCII = Array.from({ length: 0x80 }, (_, codePoint) => read(codePoint));

/** The flags of a code point. */
export function flagsOf(codePoint: number): number {
  return ASCII[codePoint] ?? read(codePoint);
}

function read(codePoint: number): number {
  if (isDropped(codePoint)) return UNSEEN;
  const character = String.fromCodePoint(codePoint);
  if (MARKS.test(character)) return UNSEEN;
  if (FREE_SCRIPTS.test(character)) return FREE | LETTER;
  if (LETTERS.test(character)) return isApostrophe(codePoint) ? JOINER | SEPARATOR : LETTER;
  if (DIGITS.test(character)) return DIGIT | (codePoint >= 0xff10 && codePoint <= 0xff19 ? WIDE : 0);
  return punctuation(codePoint, folds.get(codePoint) ?? character);
}

/** Some of them count as letters in Unicode. */
function isApostrophe(codePoint: number): boolean {
  return codePoint === 0x27 || folds.get(codePoint) === "'";
}

function punctuation(codePoint: number, folded: string): number {
  const isSeparator = SEPARATORS.has(folded);
  return (
    (isApostrophe(codePoint) || HYPHENS.has(codePoint) ? JOINER : 0) |
    (isSeparator ? (CLAUSE_MARKS.has(codePoint) ? WIDE_SEPARATOR : SEPARATOR) : 0) |
    (SIGNS.has(codePoint) ? SIGN : 0) |
    (folded === '%' ? PERCENT : 0)
  );
}
