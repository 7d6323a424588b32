import { isGraphemeBoundary } from '../text/text.js';
import {
  DIGIT,
  flagsOf,
  FREE,
  JOINER,
  LETTER,
  PERCENT,
  SEPARATOR,
  SIGN,
  UNSEEN,
  WIDE,
  WIDE_SEPARATOR,
} from './characters.js';

/**
 * Where a quote may begin and end: between graphemes, and never inside a word or a number. `50` is not in `1,500`, and
 * `critical alerts` not in `non-critical alerts`.
 */
export function isQuoteBoundary(text: string, at: number): boolean {
  return isWordBoundary(text, at) && isBetweenGraphemes(text, at);
}

/** How many unseen characters in a row are looked through; behind more of them nothing begins or ends. */
const LOOK_THROUGH = 32;

function isWordBoundary(text: string, at: number): boolean {
  // Most places that are none are like this.
  if (isPlainWord(text.charCodeAt(at - 1)) && isPlainWord(text.charCodeAt(at))) return false;
  const left = seenBefore(text, at);
  const right = seenFrom(text, at);
  if (left === TOO_FAR || right === TOO_FAR) return false;
  if (left === NONE || right === NONE) return true;
  const before = flagsAt(text, left);
  const after = flagsAt(text, right);
  if (((before | after) & FREE) !== 0) return true;
  const further = () => flagsAt(text, seenFrom(text, right + 1));
  return !(
    bothAre(before, after, LETTER | DIGIT) ||
    joins(after, before, further) ||
    joins(before, flagsAt(text, seenBefore(text, left)), () => after) ||
    isSigned(before, after)
  );
}

function isPlainWord(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);
}

function bothAre(before: number, after: number, flags: number): boolean {
  return (before & flags) !== 0 && (after & flags) !== 0;
}

/** Whether a mark stands between two letters or two digits of one word or number. */
function joins(mark: number, before: number, after: () => number): boolean {
  if ((mark & (JOINER | SEPARATOR | WIDE_SEPARATOR)) === 0) return false;
  const behind = after();
  return (
    ((mark & JOINER) !== 0 && bothAre(before, behind, LETTER)) ||
    ((mark & SEPARATOR) !== 0 && bothAre(before, behind, DIGIT)) ||
    ((mark & WIDE_SEPARATOR) !== 0 && bothAre(before, behind, WIDE))
  );
}

function isSigned(before: number, after: number): boolean {
  const [marked, digit] = (after & DIGIT) !== 0 ? [before, after] : [after & PERCENT, before];
  return (digit & DIGIT) !== 0 && (marked & (SIGN | PERCENT)) !== 0;
}

const NONE = -1;
const TOO_FAR = -2;

/** Where the last character before `at` begins that a reader sees. */
function seenBefore(text: string, at: number): number {
  let index = at;
  for (let looked = 0; looked <= LOOK_THROUGH; looked++) {
    if (index <= 0) return NONE;
    index -= isPairBefore(text, index) ? 2 : 1;
    if ((flagsAt(text, index) & UNSEEN) === 0) return index;
  }
  return TOO_FAR;
}

/** Where the first such character from `at` on begins. */
function seenFrom(text: string, at: number): number {
  // `at` may lie in the middle of a pair, when it is one past a character's first unit.
  let index = at < text.length && isPairBefore(text, at + 1) ? at + 1 : at;
  for (let looked = 0; looked <= LOOK_THROUGH; looked++) {
    if (index >= text.length) return NONE;
    const codePoint = text.codePointAt(index) ?? 0;
    if ((flagsOf(codePoint) & UNSEEN) === 0) return index;
    index += codePoint > 0xffff ? 2 : 1;
  }
  return TOO_FAR;
}

function isPairBefore(text: string, index: number): boolean {
  return (text.charCodeAt(index - 1) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 2) & 0xfc00) === 0xd800;
}

function flagsAt(text: string, index: number): number {
  return index < 0 ? 0 : flagsOf(text.codePointAt(index) ?? 0);
}

/** How far back graphemes are looked at: more than this no character of any script takes. */
const NEARBY = 64;

function isBetweenGraphemes(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  if (standsAlone(text.charCodeAt(at - 1)) && standsAlone(text.charCodeAt(at))) return true;
  let from = Math.max(0, at - NEARBY);
  if (from > 0 && isPairBefore(text, from + 1)) from -= 1;
  return isGraphemeBoundary(text.slice(from, at + 2), at - from);
}

/** Letters, digits, marks of ASCII, Greek, Cyrillic, kana, Han and Hangul syllables: none joins its neighbour. */
function standsAlone(unit: number): boolean {
  return (
    (unit >= 0x20 && unit < 0x7f) ||
    (unit >= 0xa0 && unit < 0x300 && unit !== 0xad) ||
    (unit >= 0x370 && unit < 0x483) ||
    (unit >= 0x2010 && unit < 0x2028) ||
    (unit >= 0x3000 && unit < 0x302a) ||
    (unit >= 0x3041 && unit < 0x3097) ||
    (unit >= 0x309b && unit < 0xa000) ||
    (unit >= 0xac00 && unit < 0xd7a4) ||
    (unit >= 0xff01 && unit < 0xff9e)
  );
}
