import { placeFragments } from './elided.js';
import { isAfterNegation } from './negations.js';
import { shortFragment, type PreparedQuote } from './prepared-quote.js';
import { searchFor } from './search.js';
import type { ShownText, Span } from './shown-text.js';
import { contextOf, type QuoteContext } from './surroundings.js';

/** How a quote agrees with what was shown, the best first. */
export const RUNGS = ['EXACT', 'FOLDED', 'ELIDED'] as const;
export type Rung = (typeof RUNGS)[number];

/** Where a quote stands in a text: UTF-16 units, end exclusive. */
export interface QuoteMatch extends Span {
  readonly rung: Rung;
  /** It stands in more than one place of this rung. */
  readonly ambiguous: boolean;
  /** Its first places, not overlapping, where it is ambiguous; else empty. */
  readonly places: readonly Span[];
  /** A negation stands right before it. */
  readonly afterNegation: boolean;
}

const MOST_PLACES = 16;

/** The quote on the first rung that holds; null where none does. */
export function findQuote(quote: PreparedQuote, shown: ShownText): QuoteMatch | null {
  for (const rung of RUNGS) {
    const match = findOnRung(rung, quote, shown);
    if (match !== null) return match;
  }
  return null;
}

/** The quote on one rung. A quote with a fragment that is too short has no ELIDED one. */
export function findOnRung(rung: Rung, quote: PreparedQuote, shown: ShownText): QuoteMatch | null {
  const found = placesOn(rung, quote, shown);
  const [first] = found;
  if (first === undefined) return null;
  const ambiguous = found.length > 1;
  return {
    rung,
    start: first.start,
    end: first.end,
    ambiguous,
    places: ambiguous ? found.map(({ start, end }) => ({ start, end })) : [],
    afterNegation: isAfterNegation(shown.text, first.start),
  };
}

/** Whether only an ellipsis over a negation makes the quote fit. */
export function dropsNegation(quote: PreparedQuote, shown: ShownText): boolean {
  const { fragments } = quote;
  if (fragments === null || shown.negations().length === 0) return false;
  return placeFragments({ fragments, context: contextOf(quote, shown), negations: [] }, shown) !== null;
}

function placesOn(rung: Rung, quote: PreparedQuote, shown: ShownText): Span[] {
  switch (rung) {
    case 'EXACT':
      return exactPlaces(quote, shown);
    case 'FOLDED':
      return foldedPlaces(quote, shown);
    case 'ELIDED':
      return elidedPlaces(quote, shown);
  }
}

function exactPlaces(quote: PreparedQuote, shown: ShownText): Span[] {
  const { text } = shown;
  let context: QuoteContext | undefined;
  const adjoins = ({ start, end }: Span): boolean => {
    if (quote.prefix === '' && quote.suffix === '') return true;
    context ??= contextOf(quote, shown);
    return (
      context.isPossible &&
      context.precedes(shown.foldedIndex(start)) &&
      context.follows(shown.foldedIndex(end))
    );
  };
  return places(quote.text, text, (start, end) => {
    const isPlace = shown.isBoundary(start) && shown.isBoundary(end) && adjoins({ start, end });
    return isPlace ? { start, end } : null;
  });
}

function foldedPlaces(quote: PreparedQuote, shown: ShownText): Span[] {
  const context = contextOf(quote, shown);
  if (!context.isPossible) return [];
  return places(quote.folded, shown.folded().text, (start, end) =>
    context.precedes(start) && context.follows(end) ? shown.placeOf(start, end) : null,
  );
}

/** The first places where the pattern stands and `accept` says what they are. */
function places(pattern: string, text: string, accept: (start: number, end: number) => Span | null): Span[] {
  const found: Span[] = [];
  const next = searchFor(pattern, text);
  let at = next(0);
  while (at >= 0 && found.length < MOST_PLACES) {
    const place = accept(at, at + pattern.length);
    if (place !== null) found.push(place);
    at = next(place === null ? at + 1 : at + pattern.length);
  }
  return found;
}

function elidedPlaces(quote: PreparedQuote, shown: ShownText): Span[] {
  const { fragments } = quote;
  if (fragments === null || shortFragment(quote) !== undefined) return [];
  const elision = { fragments, context: contextOf(quote, shown), negations: shown.negations() };
  const found: Span[] = [];
  let from = 0;
  while (found.length < MOST_PLACES) {
    const place = placeFragments(elision, shown, from);
    if (place === null) break;
    found.push(place);
    from = shown.foldedIndex(place.end);
  }
  return found;
}
