/**
 * What the contracts mean by characters, bytes and blank. Limits on text count UTF-16 code units, limits on
 * bytes count UTF-8, and a cut never splits a surrogate pair or a grapheme cluster.
 */

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * A character that a reader sees something of: neither white space nor zero-width nor otherwise ignorable.
 * Searched for, because matching a whole text of invisible ones overflows the stack when it is very long.
 */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u;

/** True when nothing is left once white space and default-ignorable characters are removed. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/**
 * The text, or its longest prefix of at most `limit` UTF-16 units that ends at a grapheme boundary.
 * What follows the cut is not looked at, so a long text costs no more than a short one.
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, boundaryAtOrBefore(text, limit));
}

/** True when `index` lies between two grapheme clusters of the text, or at one of its ends. */
export function isGraphemeBoundary(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return index === 0 || index === text.length;
  return boundaryAtOrBefore(text, index) === index;
}

/** The last grapheme boundary that is not after `index`, which lies inside the text. */
function boundaryAtOrBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  const start = plainBoundaryBefore(text, index);
  if (start === index) return index;
  // Whether a boundary lies at `index` depends on what is before it and on the one code point behind it.
  const segments = graphemes.segment(text.slice(start, index + 2));
  return start + (segments.containing(index - start)?.index ?? 0);
}

/** How far back a boundary is looked for that is known without segmenting; ordinary text has one close by. */
const LOOK_BACK = 64;

/** A boundary at or before `index` that stands between two plain characters, else the start of the text. */
function plainBoundaryBefore(text: string, index: number): number {
  const last = Math.max(1, index - LOOK_BACK);
  for (let i = index; i >= last; i--) {
    if (isPlain(text.charCodeAt(i - 1)) && isPlain(text.charCodeAt(i))) return i;
  }
  return 0;
}

/** Printable ASCII and Han: such a character never joins another one, so between two of them is a boundary. */
function isPlain(unit: number): boolean {
  return (unit >= 0x20 && unit < 0x7f) || (unit >= 0x4e00 && unit <= 0x9fff);
}

/** Length of the text in UTF-8 bytes; a lone surrogate counts as the three bytes of U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 2;
      i += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** A digest of the text's UTF-8 bytes as lower-case hex. Rules are handed one, so that they import nothing. */
export type Sha256 = (text: string) => string;
