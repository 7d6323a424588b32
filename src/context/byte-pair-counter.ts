import { ProoflineError } from '../contracts/errors.js';
import { byteString } from './byte-string.js';
import { countMerged, type Ranks } from './merge-bytes.js';
import { MAX_COUNTED, type TokenCounter } from './token-counter.js';

/** What an encoding is made of. */
export interface Vocabulary {
  /** Tokens by rank: a text, or bytes that are none by themselves. It may have holes. */
  readonly tokens: readonly (string | readonly number[])[];
  /** Cuts a text into pieces that are encoded each by itself. Global. */
  readonly pattern: RegExp;
}

export function bytePairCounter(encoding: string, { tokens, pattern }: Vocabulary): TokenCounter {
  const ranks = ranksOf(tokens);
  const counted = new Map<string, number>();

  /** Words come again, and while a budget is being filled the same ones do. */
  function countPiece(piece: string): number {
    const known = counted.get(piece);
    if (known !== undefined) return known;
    const bytes = byteString(piece);
    const count = ranks.rankOf.has(bytes) ? 1 : countMerged(bytes, ranks);
    if (piece.length > LONGEST_REMEMBERED) return count;
    if (counted.size >= PIECES_REMEMBERED) counted.clear();
    counted.set(piece, count);
    return count;
  }

  function countWithin(text: string, limit: number): number | null {
    // No token is longer, and no character has fewer bytes than one.
    if (text.length > limit * ranks.longest) return null;
    assertCountable(text);
    let count = 0;
    for (const [piece] of text.toWellFormed().matchAll(pattern)) {
      if (count + piece.length / ranks.longest > limit) return null;
      count += countPiece(piece);
      if (count > limit) return null;
    }
    return count;
  }

  return { encoding, count: (text) => countWithin(text, Infinity) ?? Infinity, countWithin, isSeam };
}

const PIECES_REMEMBERED = 20_000;
const LONGEST_REMEMBERED = 64;

function ranksOf(tokens: Vocabulary['tokens']): Ranks {
  const rankOf = new Map<string, number>();
  let longest = 0;
  // Holes are passed over.
  tokens.forEach((token, rank) => {
    const bytes = typeof token === 'string' ? byteString(token) : String.fromCharCode(...token);
    rankOf.set(bytes, rank);
    longest = Math.max(longest, bytes.length);
  });
  return { rankOf, longest };
}

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
