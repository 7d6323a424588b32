import * as z from 'zod';
import { ProoflineError } from '../contracts/errors.js';
import type { JsonObject } from '../contracts/json.js';
import { usageFields, usageJson, usageOf } from '../trace/usage.js';
import type { UsageHandIn } from './record-usage.js';

/** Usage as it is handed in from outside: over HTTP, by the socket, on the command line. */

export const usageBody = z
  .strictObject({ draft_id: z.string(), ...usageFields })
  .meta({ id: 'GenerationUsage', description: 'What the generation of a draft used, and what it cost.' });

/** @throws ProoflineError PL_INPUT_INVALID where nothing is said */
export function usageHandIn(runId: string, body: z.output<typeof usageBody>): UsageHandIn {
  return { runId, draftId: body.draft_id, usage: usageOf(body) };
}

const socketBody = usageBody.extend({ run_id: z.string() });

/** @throws ProoflineError PL_INPUT_INVALID naming what is wrong */
export function usageHandInFromJson(json: unknown): UsageHandIn {
  const parsed = socketBody.safeParse(json);
  if (parsed.success) return usageHandIn(parsed.data.run_id, parsed.data);
  const [issue] = parsed.error.issues;
  const problem = `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'not as expected'}`;
  throw new ProoflineError('PL_INPUT_INVALID', { problem });
}

export function usageHandInToJson({ runId, draftId, usage }: UsageHandIn): JsonObject {
  return { run_id: runId, draft_id: draftId, ...usageJson(usage) };
}
