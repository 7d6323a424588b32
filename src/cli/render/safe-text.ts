import { cutText } from '../../text/text.js';

/**
 * Texts of others on a person's terminal. Queries, excerpts, ids and headers come from agents and documents: an
 * escape sequence in one of them would move the cursor, set the clipboard or hide what stands beside it.
 */

/**
 * What a terminal acts on, or what a reader cannot see or sees elsewhere: control characters (C0, DEL, C1), line and
 * paragraph separators, bidirectional controls, zero-width space and no-break, tag characters, lone surrogates.
 * Joiners stay: emoji and many scripts are spelled with them.
 */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** The text on one line, with everything of that kind spelled as an escape: `\n`, `\e`, `\u{202e}`. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, spelled);
}

/** `safeText` over several lines: line breaks stay, `\r\n` as one. */
export function safeLines(text: string): readonly string[] {
  return text.split(/\r\n|\n/).map(safeText);
}

/** `safeText` of at most about `limit` characters, with `…` where it was cut. Looks at no more than that of the text. */
export function safeCut(text: string, limit: number): string {
  return text.length <= limit ? safeText(text) : `${safeText(cutText(text, limit))}…`;
}

function spelled(character: string): string {
  return SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Characters that take two columns: Han, kana, Hangul, full-width forms, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Characters that take none: marks that sit on another one, and joiners. */
const NARROW = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** How many columns of a terminal the text takes. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : NARROW.test(character) ? 0 : 1;
  return width;
}
