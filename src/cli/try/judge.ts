import * as z from 'zod';
import { ProoflineError } from '../../contracts/errors.js';
import { toSnakeJson, type JsonObject } from '../../contracts/json.js';
import { judgeLimits } from '../../judge/limits.js';
import { judgeMessages, judgePrompt } from '../../judge/prompt.js';
import { examine } from '../../judge/question.js';
import { readOpinion } from '../../judge/read-opinion.js';

/** The judge by hand, without a model: what it would be asked, and what its answer is read as. */

const text = z.string().transform((value) => value.toWellFormed());

const inputSchema = z.object({
  query: text,
  answer: text,
  context: text.default(''),
  hits: z.array(z.object({ evidence_key: text, content: text })).default([]),
  raw_output: z.string().nullish(),
});

/**
 * `{query, answer, context?, hits?, raw_output?}` → the judgement that `raw_output` is read as; without it
 * `{prompt, messages}`, what a model would be asked. What needs no model is a judgement at once.
 * @throws ProoflineError PL_INPUT_INVALID
 */
export function tryJudge(input: unknown): JsonObject {
  const parsed = inputSchema.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const problem = `${issue?.path.join('.') || 'the input'}: ${issue?.message ?? 'not as expected'}`;
    throw new ProoflineError('PL_INPUT_INVALID', { problem });
  }
  const { query, answer, context, hits, raw_output: raw } = parsed.data;
  const shown = hits.map(({ evidence_key: evidenceKey, content }) => ({ evidenceKey, content }));
  const examined = examine({ query, answer, context, hits: shown }, judgeLimits);
  if (examined.kind === 'known') return toSnakeJson(examined.judgement) as JsonObject;
  if (raw === undefined || raw === null)
    return { prompt: { ...judgePrompt }, messages: judgeMessages(examined.question, examined.statements) };
  return toSnakeJson(readOpinion(raw, examined.statements, judgeLimits)) as JsonObject;
}
