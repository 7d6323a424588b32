import type { WordsInPlace } from '../../citation/in-place.js';
import { counted } from './advice.js';
import type { Paint } from './page.js';
import { safeCut, safeText } from './safe-text.js';

/** A quote that was found, as a person is shown it: the words in place, and the claim beside them. */
export interface ShownQuote {
  readonly rung: string;
  readonly documentId: string;
  readonly toolCallId: string | null;
  /** UTF-16 units of the excerpt, end exclusive. */
  readonly start: number;
  readonly end: number;
  readonly ambiguous: boolean;
  readonly afterNegation: boolean;
  readonly places: number;
  /** Null where the excerpt is gone. */
  readonly inPlace: WordsInPlace | null;
}

/** A longer quote is cut. */
const LONGEST = 240;

/** `EXACT, gw#chunk-1 of call-1, units 4 to 19 of its excerpt`, the words in place, and what to be wary of. */
export function quoteLines(quote: ShownQuote, paint: Paint): readonly string[] {
  const { rung, documentId, toolCallId, start, end, inPlace } = quote;
  const of = toolCallId === null ? '' : ` of ${safeText(toolCallId)}`;
  return [
    `${paint('good', safeText(rung))} ${safeText(documentId)}${of}, units ${start} to ${end} of its excerpt`,
    ...(inPlace === null ? ['its excerpt is gone'] : [placeLine(inPlace, paint)]),
    ...warnings(quote).map((words) => paint('unsure', words)),
  ];
}

function placeLine({ before, words, after, ...more }: WordsInPlace, paint: Paint): string {
  const lead = `${more.moreBefore ? '…' : ''}${safeText(before)}`;
  const rest = `${safeText(after)}${more.moreAfter ? '…' : ''}`;
  return `${paint('faint', lead)}[${paint('strong', safeCut(words, LONGEST))}]${paint('faint', rest)}`;
}

function warnings({ ambiguous, afterNegation, places }: ShownQuote): readonly string[] {
  return [
    ...(ambiguous ? [`it stands in ${counted(places, 'place')}, and the first was taken`] : []),
    ...(afterNegation ? ['a negation stands right before it'] : []),
  ];
}
