import type { JsonObject } from '../contracts/json.js';
import { cutText } from '../text/text.js';
import { dropsNegation, findOnRung, findQuote, RUNGS, type QuoteMatch } from './find-quote.js';
import { nearestTo, type Nearest } from './nearest.js';
import { isTooShort, shortFragment, type PreparedQuote } from './prepared-quote.js';
import type { QuoteViolationCode } from './quote-violations.js';
import type { ShownText } from './shown-text.js';

/** A text that a quote may be from. */
export interface QuoteSource {
  /** Null where there is no lookup, as in a trial. */
  readonly toolCallId: string | null;
  readonly documentId: string | null;
  /** The excerpt, as shown. */
  readonly shown: ShownText;
  /** The same before it was cut; null where it is not at hand or was not cut. */
  readonly whole: () => ShownText | null;
}

/** How much may still be read to explain why quotes fail, in UTF-16 units. No status hangs on it. */
export interface ExplainBudget {
  left: number;
}

export interface QuoteFound {
  readonly match: QuoteMatch;
  readonly source: QuoteSource;
}

export interface QuoteFault {
  readonly violation: QuoteViolationCode;
  /** The item that has the words, where another one does. */
  readonly other: QuoteSource | null;
  /** More about it, as JSON. */
  readonly detail: JsonObject;
}

/**
 * Checks one quote.
 * @param sources What was shown of the document that it names, in the order of preference: the best rung wins, then
 *   this order. At least one.
 * @param others Every other item, in the order in which they are looked at.
 */
export function checkQuote(
  quote: PreparedQuote,
  sources: readonly QuoteSource[],
  others: Iterable<QuoteSource>,
  budget: ExplainBudget,
): QuoteFound | QuoteFault {
  if (isTooShort(quote)) return fault('QUOTE_TOO_SHORT');
  return (
    onBestRung(quote, sources) ??
    brokenElision(quote, sources) ??
    behindTheCut(quote, sources, budget) ??
    elsewhere(quote, others, budget) ??
    fault('QUOTE_NOT_FOUND', hint(quote, sources, budget))
  );
}

function fault(
  violation: QuoteViolationCode,
  detail: JsonObject = {},
  other: QuoteSource | null = null,
): QuoteFault {
  return { violation, other, detail };
}

function onBestRung(quote: PreparedQuote, sources: readonly QuoteSource[]): QuoteFound | undefined {
  for (const rung of RUNGS) {
    for (const source of sources) {
      const match = findOnRung(rung, quote, source.shown);
      if (match !== null) return { match, source };
    }
  }
  return undefined;
}

function brokenElision(quote: PreparedQuote, sources: readonly QuoteSource[]): QuoteFault | undefined {
  const fragment = shortFragment(quote);
  if (fragment !== undefined) return fault('QUOTE_TOO_SHORT', { fragment });
  return sources.some(({ shown }) => dropsNegation(quote, shown)) ? fault('QUOTE_DROPS_NEGATION') : undefined;
}

function behindTheCut(
  quote: PreparedQuote,
  sources: readonly QuoteSource[],
  budget: ExplainBudget,
): QuoteFault | undefined {
  for (const { whole } of sources) {
    const text = whole();
    if (text === null || !spend(text, budget)) continue;
    const match = findQuote(quote, text);
    if (match !== null) return fault('QUOTE_NOT_SHOWN', { start: match.start, end: match.end });
  }
  return undefined;
}

function elsewhere(
  quote: PreparedQuote,
  others: Iterable<QuoteSource>,
  budget: ExplainBudget,
): QuoteFault | undefined {
  for (const other of others) {
    if (!spend(other.shown, budget)) return undefined;
    const match = findQuote(quote, other.shown);
    if (match === null) continue;
    const { start, end } = match;
    const { documentId, toolCallId } = other;
    const named = {
      ...(documentId !== null && { shown_as: documentId }),
      ...(toolCallId !== null && { shown_by: toolCallId }),
    };
    return fault('QUOTE_MISATTRIBUTED', { ...named, start, end }, other);
  }
  return undefined;
}

/** Longer hints say no more. */
const HINT_LENGTH = 160;

function hint(quote: PreparedQuote, sources: readonly QuoteSource[], budget: ExplainBudget): JsonObject {
  let best: { readonly nearest: Nearest; readonly text: string } | undefined;
  for (const { shown } of sources) {
    const nearest = spend(shown, budget) ? nearestTo(quote, shown) : null;
    if (nearest !== null && nearest.likeness > (best?.nearest.likeness ?? 0))
      best = { nearest, text: shown.text };
  }
  if (best === undefined) return {};
  const { start, end } = best.nearest;
  const nearest = cutText(best.text.slice(start, end), HINT_LENGTH);
  return nearest === '' ? {} : { nearest, nearest_start: start, nearest_end: end };
}

function spend({ text }: ShownText, budget: ExplainBudget): boolean {
  if (budget.left < text.length) return false;
  budget.left -= text.length;
  return true;
}
