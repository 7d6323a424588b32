import type { JsonObject } from '../../contracts/json.js';
import { LABEL, WIDTH } from './advice.js';
import { labelled, type Paint } from './page.js';
import { quoteLines, type ShownQuote } from './quotes.js';
import { safeCut, safeText } from './safe-text.js';
import { verdictWords, violationLines, type ShownViolation } from './verdict.js';

/** What the renderer reads of the verdict of `check`. */
interface CheckedJson {
  readonly status: string;
  readonly violations: readonly ShownViolation[];
  readonly unsigned?: boolean;
  readonly fault_is_ours?: boolean;
  readonly read: readonly { readonly tool_call_id: string; readonly signature_check?: string }[];
  readonly draft?: { readonly analysis: readonly { readonly text: string }[] } | null;
  readonly quotes?: readonly QuoteJson[];
}

/** A quote as JSON has it. */
interface QuoteJson {
  readonly path: string;
  readonly rung: string | null;
  readonly document_id: string;
  readonly tool_call_id: string | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly ambiguous: boolean;
  readonly after_negation: boolean;
  readonly places: readonly unknown[];
  readonly in_place: {
    readonly before: string;
    readonly words: string;
    readonly after: string;
    readonly more_before: boolean;
    readonly more_after: boolean;
  } | null;
}

/** The guard's verdict on a report and its evidence, for a person. */
export function verdictPage(
  verdict: JsonObject,
  { keysGiven }: { readonly keysGiven: boolean },
  paint: Paint,
): readonly string[] {
  const { status, violations, read, fault_is_ours: ours } = verdict as unknown as CheckedJson;
  const calls = read.map((each) => safeText(each.tool_call_id)).join(', ');
  return [
    `${'guard'.padEnd(LABEL)}${verdictWords(status, violations.length, paint)}`,
    `${'read'.padEnd(LABEL)}${calls === '' ? 'no lookup is cited' : calls}`,
    ...signatureLines(verdict as unknown as CheckedJson, keysGiven, paint),
    ...(ours === true ? [`${'note'.padEnd(LABEL)}the evidence is at fault, not the report`] : []),
    ...quotesPart(verdict as unknown as CheckedJson, paint),
    ...violationLines(violations, paint),
  ];
}

/** Each quote that was found beside the claim that it is to carry. */
function quotesPart({ quotes = [], draft }: CheckedJson, paint: Paint): readonly string[] {
  const label = ' '.repeat(LABEL);
  return quotes.flatMap((quote) => {
    const shown = shownQuote(quote);
    if (shown === null) return [];
    const claim = draft?.analysis[Number(quote.path.split('/')[2])]?.text ?? '';
    const [first = '', ...more] = quoteLines(shown, paint);
    return [
      `${'quote'.padEnd(LABEL)}${first}`,
      ...more.map((line) => label + line),
      ...labelled(`${label}for: `, safeCut(claim, 400), WIDTH),
    ];
  });
}

function shownQuote(json: QuoteJson): ShownQuote | null {
  const { rung, start, end, ambiguous, places, in_place: inPlace } = json;
  if (rung === null || start === null || end === null) return null;
  return {
    rung,
    start,
    end,
    ambiguous,
    documentId: json.document_id,
    toolCallId: json.tool_call_id,
    afterNegation: json.after_negation,
    places: places.length,
    inPlace: inPlace && { ...inPlace, moreBefore: inPlace.more_before, moreAfter: inPlace.more_after },
  };
}

function signatureLines({ unsigned }: CheckedJson, keysGiven: boolean, paint: Paint): readonly string[] {
  const label = 'signed'.padEnd(LABEL);
  if (unsigned !== true)
    return [`${label}${paint('good', 'every entry that was read is signed and unchanged')}`];
  const why = keysGiven
    ? 'an entry has no signature or digest'
    : 'signatures were not verified; --keys DIR does';
  return [`${label}${paint('unsure', why)}`];
}
