import { ProoflineError } from '../contracts/errors.js';
import type { Vocabulary } from '../tokenizer/vocabulary.js';
import { byteString } from './byte-string.js';
import { countMerged } from './merge-bytes.js';
import { MAX_COUNTED, type TokenCounter } from './token-counter.js';

/** `pattern` cuts a text into pieces that are encoded each by itself, and leaves nothing out. Global. */
export function bytePairCounter(encoding: string, vocabulary: Vocabulary, pattern: RegExp): TokenCounter {
  const { longest } = vocabulary;
  /** Of our own, because it remembers where it is. */
  const pieceAt = new RegExp(pattern);
  const counted = new Map<string, number>();

  /** Words come again, and while a budget is being filled the same ones do. */
  function countPiece(piece: string): number {
    const known = counted.get(piece);
    if (known !== undefined) return known;
    const bytes = byteString(piece);
    const count = vocabulary.rankOf(bytes, 0, bytes.length) >= 0 ? 1 : countMerged(bytes, vocabulary);
    if (piece.length > LONGEST_REMEMBERED) return count;
    if (counted.size >= PIECES_REMEMBERED) counted.clear();
    counted.set(piece, count);
    return count;
  }

  function countWithin(text: string, limit: number): number | null {
    // No token is longer, and no character has fewer bytes than one.
    if (text.length > limit * longest) return null;
    assertCountable(text);
    const whole = text.toWellFormed();
    let count = 0;
    let start = 0;
    pieceAt.lastIndex = 0;
    // Pieces adjoin, so their ends tell all: a match of its own for each would take longer than finding it.
    while (pieceAt.test(whole)) {
      const end = pieceAt.lastIndex;
      if (count + (end - start) / longest > limit) return null;
      count += countPiece(whole.slice(start, end));
      if (count > limit) return null;
      start = end;
    }
    return count;
  }

  return { encoding, count: (text) => countWithin(text, Infinity) ?? Infinity, countWithin, isSeam };
}

const PIECES_REMEMBERED = 20_000;
/** A longer piece is a view into its text, and would keep all of that. */
const LONGEST_REMEMBERED = 12;

/** The pattern's matching runs out of stack on a word of some millions of characters. */
function assertCountable(text: string): void {
  if (text.length <= MAX_COUNTED) return;
  const problem = `a text of ${text.length} characters is too long for its tokens to be counted`;
  throw new ProoflineError('PL_INPUT_INVALID', { problem });
}

/**
 * In both patterns a piece ends with its letters before a space, a line break or a full-width mark, and no piece goes
 * on behind a line feed unless with white space or a slash.
 */
function isSeam(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return true;
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  if (before === LINE_FEED) return after > SPACE && after < 0x7f && after !== SLASH;
  return (after === SPACE || after === LINE_FEED || FULL_STOPS.has(after)) && isLetter(before);
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const SLASH = 0x2f;

function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  if (unit < 0x80) return lower >= 0x61 && lower <= 0x7a;
  return (unit >= 0x4e00 && unit <= 0x9fff) || LETTER.test(String.fromCharCode(unit));
}

const LETTER = /\p{L}/u;

/** `、` `。` `，` `：` `；` `！` `？` */
const FULL_STOPS: ReadonlySet<number> = new Set([0x3001, 0x3002, 0xff0c, 0xff1a, 0xff1b, 0xff01, 0xff1f]);
