import type { PreparedQuote } from './prepared-quote.js';
import { searchFor } from './search.js';
import type { ShownText } from './shown-text.js';

/** Whether what a quote says stands before and after it does, at places of the folded text; edge space is ignored. */
export interface QuoteContext {
  /** False where what must adjoin is not in the text at all. */
  readonly isPossible: boolean;
  readonly precedes: (start: number) => boolean;
  readonly follows: (end: number) => boolean;
}

export function contextOf({ prefix, suffix }: PreparedQuote, shown: ShownText): QuoteContext {
  if (prefix === '' && suffix === '') return { isPossible: true, precedes: () => true, follows: () => true };
  const { text } = shown.folded();
  const ends = prefix === '' ? null : placesOf(prefix, text, prefix.length);
  const starts = suffix === '' ? null : placesOf(suffix, text, 0);
  return {
    isPossible: ends?.size !== 0 && starts?.size !== 0,
    precedes: (start) => ends?.has(text[start - 1] === ' ' ? start - 1 : start) ?? true,
    follows: (end) => starts?.has(text[end] === ' ' ? end + 1 : end) ?? true,
  };
}

function placesOf(pattern: string, text: string, offset: number): ReadonlySet<number> {
  const next = searchFor(pattern, text);
  const places = new Set<number>();
  for (let at = next(0); at >= 0; at = next(at + 1)) places.add(at + offset);
  return places;
}
