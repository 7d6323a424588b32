import { safeText, textWidth } from './safe-text.js';

/** Text set for a terminal: colours where a person watches, columns that hold, lines that end at words. */

export type Tone = 'strong' | 'faint' | 'good' | 'bad' | 'unsure';

/** Colours a text that was already laid out: colours take no columns. */
export type Paint = (tone: Tone, text: string) => string;

/** What switches the tone on and off again (ANSI SGR). */
const SGR: Readonly<Record<Tone, readonly [number, number]>> = {
  strong: [1, 22],
  faint: [2, 22],
  good: [32, 39],
  bad: [31, 39],
  unsure: [33, 39],
};

export function paintFor({ colours }: { readonly colours: boolean }): Paint {
  if (!colours) return (_tone, text) => text;
  return (tone, text) => `\u001b[${SGR[tone][0]}m${text}\u001b[${SGR[tone][1]}m`;
}

/** The text, made safe, with spaces after it up to so many columns. */
export function column(text: string, width: number): string {
  const safe = safeText(text);
  return safe + ' '.repeat(Math.max(width - textWidth(safe), 0));
}

/** What a line can be broken between: spaces, words, and single characters of scripts without spaces. */
const PIECES =
  /\s+|[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]|[^\s\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]+/gu;
/** Marks that do not begin a line. */
const CLOSING = /^[、。〉》」』】〕，．：；！？）]/u;

/**
 * The text, made safe, in lines of at most `width` columns. A longer word has a line of its own, and a mark that does
 * not begin a line may stand beyond the edge.
 */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of safeText(text.replace(/\s+/g, ' ')).match(PIECES) ?? []) {
    const edge = CLOSING.test(piece) ? width + 2 : width;
    const fits = textWidth(line) + textWidth(piece.trimEnd()) <= edge;
    if (!fits && line !== '') {
      lines.push(line.trimEnd());
      line = '';
    }
    if (line !== '' || piece.trim() !== '') line += piece;
  }
  if (line.trim() !== '') lines.push(line.trimEnd());
  return lines;
}

/** Wrapped, with `label` before the first line and the rest below it. */
export function labelled(label: string, text: string, width: number): readonly string[] {
  const indent = textWidth(label);
  const lines = wrapped(text, width - indent);
  return lines.map((line, i) => (i === 0 ? label : ' '.repeat(indent)) + line);
}
