import * as z from 'zod';
import type { LabelledClaim } from '../../evaluation/judge-claim.js';
import type { RetrievalCase } from '../../evaluation/evaluate-retrieval.js';
import { inputInvalid } from '../input.js';
import type { CliIo } from '../io.js';
import { nameOf, parseJsonText, readText } from '../read-input.js';

/** Labelled sets, one JSON object a line, from a file of anybody's: bounded, checked, and refused by line. */

const MAX_BYTES = 64 * 1024 * 1024;
export const MAX_LINES = 20_000;
/** Bytes of a claim, a quote or an excerpt do not matter beyond a draft's own limit. */
const MAX_TEXT = 256 * 1024;
const MAX_IDS = 10_000;

const text = z
  .string()
  .max(MAX_TEXT)
  .transform((value) => value.toWellFormed());
const optionalText = text.nullish().transform((value) => value ?? null);
const id = z.string().min(1).max(4096);
const ids = z.array(id).max(MAX_IDS);

const retrievalLine = z
  .object({ query: optionalText, question: optionalText, retrieved: ids, relevant: ids })
  .transform(({ query, question, retrieved, relevant }) => ({
    query: query ?? question,
    retrieved,
    relevant,
  }));

/** A question for the local index: `expected` and `answerable` are other names of what `relevant` says. */
const questionLine = z
  .object({
    query: text.optional(),
    question: text.optional(),
    relevant: ids.optional(),
    expected: ids.optional(),
    answerable: z.boolean().optional(),
  })
  .transform(({ query, question, relevant, expected, answerable }) => ({
    query: query ?? question ?? '',
    relevant: answerable === false ? [] : (relevant ?? expected ?? []),
  }))
  .refine(({ query }) => query.trim() !== '', { error: 'query: must be a text', path: [] });

export interface LabelledQuestion {
  readonly query: string;
  readonly relevant: readonly string[];
}

const quote = z
  .object({ document_id: id, text, prefix: optionalText, suffix: optionalText })
  .transform(({ document_id: documentId, ...rest }) => ({ documentId, ...rest }));

const claimLine = z
  .object({
    id: optionalText,
    kind: text.default('all'),
    split: optionalText,
    claim: text,
    quote: quote.nullish(),
    quotes: z.array(quote).max(32).optional(),
    references: z
      .array(
        z
          .object({ document_id: id, excerpt: text, title: optionalText })
          .transform(({ document_id: documentId, ...rest }) => ({ documentId, ...rest })),
      )
      .max(64),
    attributable: z.boolean(),
  })
  .transform(({ quote: one, quotes = [], ...rest }) => ({
    ...rest,
    quotes: one ? [one, ...quotes] : quotes,
  }));

/** @throws ProoflineError PL_INPUT_INVALID naming the lines that cannot be used. */
export function readRetrievalCases(io: CliIo, file: string): Promise<readonly RetrievalCase[]> {
  return readLines(io, file, retrievalLine);
}

export function readQuestions(io: CliIo, file: string): Promise<readonly LabelledQuestion[]> {
  return readLines(io, file, questionLine);
}

export function readClaims(io: CliIo, file: string): Promise<readonly LabelledClaim[]> {
  return readLines(io, file, claimLine);
}

const PROBLEMS_SHOWN = 5;

async function readLines<T>(io: CliIo, file: string, schema: z.ZodType<T>): Promise<readonly T[]> {
  const lines = (await readText(io, file, MAX_BYTES)).split('\n');
  const values: T[] = [];
  const problems: string[] = [];
  let bad = 0;
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '') continue;
    if (values.length + bad === MAX_LINES)
      throw inputInvalid(`${nameOf(file)} has more than ${MAX_LINES} lines`);
    const read = readLine(line, schema);
    if ('value' in read) values.push(read.value);
    else if (++bad <= PROBLEMS_SHOWN) problems.push(`line ${i + 1}: ${read.problem}`);
  }
  if (bad > PROBLEMS_SHOWN) problems.push(`and ${bad - PROBLEMS_SHOWN} more lines`);
  // Figures over the rest would be figures of another set.
  if (bad > 0) throw inputInvalid(`${nameOf(file)}, ${problems.join('; ')}`);
  if (values.length === 0) throw inputInvalid(`${nameOf(file)} is empty`);
  return values;
}

function readLine<T>(line: string, schema: z.ZodType<T>): { value: T } | { problem: string } {
  const json = parseJsonText(line);
  if (json === undefined) return { problem: 'no JSON' };
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  return { problem: `${field === '' ? '' : `${field}: `}${issue?.message ?? 'not as expected'}` };
}
