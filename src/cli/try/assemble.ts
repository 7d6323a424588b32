import * as z from 'zod';
import { ProoflineError } from '../../contracts/errors.js';
import { toSnakeJson } from '../../contracts/json.js';
import { contextAssembler, tokenAwareAssembler, type AssemblyOptions } from '../../context/assemble.js';
import { lastOfBreadcrumb, type ContextHit } from '../../context/citation.js';
import { encodingOfModel, loadTokenCounter } from '../../context/load-token-counter.js';
import { budgetOf } from '../../context/token-budget.js';
import { encodings, type Encoding, type TokenCounter } from '../../context/token-counter.js';

/** Context assembly by hand: hits as JSON, the text and its citations back. */

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? null);

/** By the names of a context or, where these are absent, by those of the line's items. */
const hit = z
  .object({
    content: z.string().optional(),
    excerpt: z.string().optional(),
    source_name: text,
    title: text,
    source_path: text,
    source: text,
    source_uri: text,
    page_number: z
      .int32()
      .nullish()
      .transform((value) => value ?? null),
    section_title: text,
    breadcrumb: text,
    evidence_key: text,
    document_id: text,
  })
  .refine((json) => (json.content ?? json.excerpt) !== undefined, { error: 'it has no content' })
  .transform((json): ContextHit => ({
    content: json.content ?? json.excerpt ?? '',
    sourceName: json.source_name ?? json.title,
    sourcePath: json.source_path ?? json.source,
    sourceUri: json.source_uri,
    pageNumber: json.page_number,
    sectionTitle: json.section_title ?? lastOfBreadcrumb(json.breadcrumb),
    evidenceKey: json.evidence_key ?? json.document_id,
  }));

const inputSchema = z.object({
  query: z.string().default(''),
  hits: z.array(hit),
  include_citations: z.boolean().optional(),
  delimiter: z.string().optional(),
  budget: z
    .object({ tokens: z.number(), model: z.string().nullish(), encoding: z.enum(encodings).nullish() })
    .nullish()
    .transform((value) => value ?? null),
});

export type AssembleInput = z.output<typeof inputSchema>;

/** @throws ProoflineError PL_INPUT_INVALID, which names the field. */
export function readAssembleInput(input: unknown): AssembleInput {
  const parsed = inputSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const problem = `${issue?.path.join('.') || 'the input'}: ${issue?.message ?? 'not as expected'}`;
  throw new ProoflineError('PL_INPUT_INVALID', { problem });
}

export type Counters = Readonly<Record<Encoding, TokenCounter>>;

/** All counters, loaded. */
export async function loadCounters(): Promise<Counters> {
  const [cl100k, o200k] = await Promise.all(encodings.map(loadTokenCounter));
  if (cl100k === undefined || o200k === undefined) throw new Error('no counters');
  return { cl100k_base: cl100k, o200k_base: o200k };
}

/** `{query, hits, include_citations?, delimiter?, budget?: {tokens, model?, encoding?}}` → `{text, citations}`. */
export function tryAssemble(input: unknown, counters: Counters): unknown {
  const read = readAssembleInput(input);
  const { budget } = read;
  if (budget === null) return toSnakeJson(contextAssembler(assemblyOf(read))(read.query, read.hits));
  const encoding = budget.encoding ?? encodingOfModel(budget.model ?? null);
  const assembler = tokenAwareAssembler(budgetOf(budget.tokens, counters[encoding]), assemblyOf(read));
  return toSnakeJson(assembler(read.query, read.hits));
}

/** What an input says of the text's form. */
export function assemblyOf({
  include_citations: includeCitations,
  delimiter,
}: Pick<AssembleInput, 'include_citations' | 'delimiter'>): AssemblyOptions {
  return {
    ...(includeCitations === undefined ? {} : { includeCitations }),
    ...(delimiter === undefined ? {} : { delimiter }),
  };
}
