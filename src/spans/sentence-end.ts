import { CLOSING_ABBREVIATIONS, NUMBERED_ABBREVIATIONS, OPEN_ABBREVIATIONS } from './abbreviations.js';

/** Whether a character ends a sentence. Each question looks at a few characters on both sides, however long the text. */

/** Ends one wherever it stands: `。` `！` `？` `｡` */
export function isFullWidthEnd(unit: number): boolean {
  return unit === 0x3002 || unit === 0xff01 || unit === 0xff1f || unit === 0xff61;
}

/** May end one: `.` `!` `?` */
export function isAsciiEnd(unit: number): boolean {
  return unit === 0x2e || unit === 0x21 || unit === 0x3f;
}

/** What may stand between the end of a sentence and the next: quotes and brackets that close, emphasis. */
export function isCloser(unit: number): boolean {
  return CLOSERS.has(unit);
}

const CLOSERS: ReadonlySet<number> = new Set(Array.from('"\'”’)）」』》〉*_', (each) => each.charCodeAt(0)));

/** Characters that are looked at of the word before and of what is behind. */
const WORD = 24;

/**
 * Whether the run of `.`, `!` and `?` from `first` to `end` ends a sentence, `after` being what stands behind it and
 * its closers: it does before nothing, white space, a bracket or a full-width character, unless the full stop is the
 * word's own.
 */
export function endsSentence(text: string, first: number, end: number, after: number): boolean {
  if (!mayStandBehind(text, after)) return false;
  if (end - first === 1) return text.charCodeAt(first) !== FULL_STOP || !belongsToWord(text, first, after);
  if (/[!?]/.test(text.slice(first, Math.min(end, first + WORD)))) return true;
  // Dots that stand for something left out.
  return !/^[\p{Ll}\p{N}]/u.test(behind(text, after));
}

const FULL_STOP = 0x2e;

function mayStandBehind(text: string, after: number): boolean {
  if (after >= text.length) return true;
  const unit = text.charCodeAt(after);
  return unit <= 0x20 || unit === 0x5b || unit >= 0x2e80 || unit === 0xa0;
}

function behind(text: string, after: number): string {
  return text.slice(after, after + WORD).trimStart();
}

/** Whether the full stop at `end` is that of an abbreviation, an initial or a list number. */
function belongsToWord(text: string, end: number, after: number): boolean {
  const start = wordStart(text, end);
  if (end === start || end - start > LONGEST_ABBREVIATION) return false;
  const word = text.slice(start, end);
  const next = behind(text, after);
  if (next === '') return false;
  const folded = word.toLowerCase();
  if (OPEN_ABBREVIATIONS.has(folded)) return true;
  if (NUMBERED_ABBREVIATIONS.has(folded)) return /^[\p{N}(§#]/u.test(next);
  if (CLOSING_ABBREVIATIONS.has(folded)) return /^[\p{Ll}\p{N}(,;:]/u.test(next);
  return isInitial(word) || isListNumber(text, start, word);
}

/** Longer than any abbreviation, initials or list number. */
const LONGEST_ABBREVIATION = 8;

/** Where the word begins that ends at `end`, with the full stops inside it; no farther back than matters. */
function wordStart(text: string, end: number): number {
  let at = end;
  while (at > 0 && end - at <= LONGEST_ABBREVIATION && isOfWord(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function isOfWord(unit: number): boolean {
  if (unit < 0x80)
    return (
      (unit >= 0x30 && unit <= 0x39) || unit === FULL_STOP || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a)
    );
  return unit >= 0xc0 && unit < 0x2000;
}

/** `J.` of a name, `J.R.` too. */
function isInitial(word: string): boolean {
  return /^(?:\p{Lu}\.)*\p{Lu}$/u.test(word);
}

/** `1.` at the beginning of a line, behind bullets and quote signs at most. */
function isListNumber(text: string, start: number, word: string): boolean {
  if (!/^\d{1,4}$/.test(word)) return false;
  for (let at = start - 1; at >= 0; at--) {
    const unit = text.charCodeAt(at);
    if (unit === 0x0a) return true;
    if (!BEFORE_LIST.has(unit) || start - at > WORD) return false;
  }
  return true;
}

/** Space, tab, `*`, `>`, `-` */
const BEFORE_LIST: ReadonlySet<number> = new Set([0x20, 0x09, 0x2a, 0x3e, 0x2d]);
