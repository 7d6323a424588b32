import * as z from 'zod';
import { checkQuote, type QuoteSource } from '../../citation/check-quote.js';
import { prepareQuote } from '../../citation/prepared-quote.js';
import { shownText } from '../../citation/shown-text.js';
import { ProoflineError } from '../../contracts/errors.js';
import type { JsonObject } from '../../contracts/json.js';

/** One quote by hand, against one excerpt. */

const text = z.string().transform((value) => value.toWellFormed());
const textOrNull = text.nullish().transform((value) => value ?? null);

const inputSchema = z.object({
  quote: z.object({ text, prefix: textOrNull, suffix: textOrNull }),
  excerpt: text,
  block_text: textOrNull,
  others: z
    .array(z.object({ document_id: text, excerpt: text }))
    .nullish()
    .transform((others) => others ?? []),
});

/**
 * `{quote: {text, prefix?, suffix?}, excerpt, block_text?, others?: [{document_id, excerpt}]}` → `{rung, start, end,
 * ambiguous?, places?, after_negation?}` or `{violation, …}`; places in UTF-16 units of the excerpt, end exclusive.
 * @throws ProoflineError PL_INPUT_INVALID naming the field.
 */
export function tryQuote(input: unknown): JsonObject {
  const parsed = inputSchema.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.') ?? '';
    const problem = `${place === '' ? 'the input' : place}: ${issue?.message ?? 'not as expected'}`;
    throw new ProoflineError('PL_INPUT_INVALID', { problem });
  }
  const { quote, excerpt, block_text: block, others } = parsed.data;
  const checked = checkQuote(
    prepareQuote(quote),
    [source(null, excerpt, block)],
    others.map((other) => source(other.document_id, other.excerpt, null)),
    { left: Infinity },
  );
  if ('violation' in checked) return { violation: checked.violation, ...checked.detail };
  const { rung, start, end, ambiguous, places, afterNegation } = checked.match;
  return {
    rung,
    start,
    end,
    ...(ambiguous && { ambiguous, places: places.map((place) => ({ ...place })) }),
    ...(afterNegation && { after_negation: true }),
  };
}

function source(documentId: string | null, excerpt: string, whole: string | null): QuoteSource {
  return {
    toolCallId: null,
    documentId,
    shown: shownText(excerpt),
    whole: () => (whole === null ? null : shownText(whole)),
  };
}
