import * as z from 'zod';
import { ProoflineError } from '../../contracts/errors.js';
import type { JsonObject } from '../../contracts/json.js';
import { retrievalMetrics } from '../../evaluation/retrieval-metrics.js';

/** The offline evaluator by hand: the metrics of one ranked list. */

const inputSchema = z.object({
  retrieved: z.array(z.string()),
  relevant: z.array(z.string()),
  k: z.int().default(0),
});

/**
 * `{retrieved: [ids], relevant: [ids], k?}` → `{precision, recall, f1, mrr, ndcg}`; k ≤ 0 or absent is all.
 * @throws ProoflineError PL_INPUT_INVALID naming the field.
 */
export function tryEvaluate(input: unknown): JsonObject {
  const parsed = inputSchema.safeParse(input);
  if (parsed.success) return { ...retrievalMetrics(parsed.data, parsed.data.k) };
  const [issue] = parsed.error.issues;
  const problem = `${issue?.path.join('.') || 'the input'}: ${issue?.message ?? 'not as expected'}`;
  throw new ProoflineError('PL_INPUT_INVALID', { problem });
}
