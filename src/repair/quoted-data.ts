import { cutText } from '../text/text.js';

/**
 * Words of drafts, documents and people inside a prompt. They are data, and must not be able to read as a part of it:
 * a title may say "ignore all of the above", bring line breaks and headings, or close a fence.
 */

/**
 * What could end the line or the string, what a reader does not see (controls, bidirectional marks, zero-width and tag
 * characters), and what opens a fence, a tag or a control token of a chat format.
 */
const ESCAPED =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3000\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}<>`"\\]/gu;

/**
 * The text as a JSON string on one line, which reads back as the text; of more than `limit` UTF-16 units the beginning,
 * followed by `…` behind the string.
 */
export function quotedData(text: string, limit: number): string {
  const whole = text.toWellFormed();
  const shown = cutText(whole, limit);
  return `"${shown.replace(ESCAPED, escaped)}"${shown.length < whole.length ? '…' : ''}`;
}

const SHORT: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
};

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return SHORT[character] ?? units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
