import { fold } from './fold.js';

/** A quote as a draft has it. */
export interface QuoteText {
  readonly text: string;
  readonly prefix: string | null;
  readonly suffix: string | null;
}

/** A quote made ready to be looked for in any number of texts. */
export interface PreparedQuote {
  /** As written. */
  readonly text: string;
  /** Folded, without space at its edges. */
  readonly folded: string;
  /** What must stand right before and after it, in the same form; empty where nothing must. */
  readonly prefix: string;
  readonly suffix: string;
  /** What stands around its ellipses; null where it has none. */
  readonly fragments: readonly string[] | null;
}

export function prepareQuote({ text, prefix, suffix }: QuoteText): PreparedQuote {
  const folded = trimmed(text);
  return {
    text,
    folded,
    prefix: trimmed(prefix ?? ''),
    suffix: trimmed(suffix ?? ''),
    fragments: fragmentsOf(folded),
  };
}

function trimmed(text: string): string {
  return fold(text).text.replace(/^ | $/g, '');
}

/** `...`, `…`, `[...]`, `……`; more dots in a row are one ellipsis too. */
const ELLIPSIS = /\[(?:\.{3}|…+)\]|\.{3,}|…+/;

function fragmentsOf(folded: string): readonly string[] | null {
  const parts = folded.split(ELLIPSIS);
  if (parts.length === 1) return null;
  return parts.map((part) => part.replace(/^ | $/g, '')).filter((part) => part !== '');
}

/** UTF-16 units, folded. */
const SHORTEST = 4;
const SHORTEST_FRAGMENT = 8;
const SHORTEST_DENSE_FRAGMENT = 4;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Too short to prove anything, or nothing but ellipses: it is not looked for. */
export function isTooShort({ folded, fragments }: PreparedQuote): boolean {
  return folded.length < SHORTEST || fragments?.length === 0;
}

/** The first fragment that is under its minimum. */
export function shortFragment({ fragments }: PreparedQuote): string | undefined {
  return fragments?.find(
    (each) => each.length < (DENSE.test(each) ? SHORTEST_DENSE_FRAGMENT : SHORTEST_FRAGMENT),
  );
}
