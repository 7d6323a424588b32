import * as z from 'zod';
import type { DraftHandIn } from '../../producers/drafts.js';
import type { Lookup } from '../../producers/lookups.js';
import { ProoflineError } from '../contracts/errors.js';
import { isJsonObject, toSnakeJson, type JsonObject } from '../contracts/json.js';
import { nestsAtMost } from '../evidence/foreign-json.js';
import { evidenceLimits } from '../evidence/limits.js';
import type { DecisionRequest } from './decide-held.js';
import type { ReplayRequest } from './replay.js';

/** What is handed in as JSON, checked: lookups, drafts, replays and folders to index, snake_case as all JSON is. */

const maybe = <T>(schema: z.ZodType<T>) => schema.nullish().transform((value) => value ?? null);

const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const limits = maybe(
  z
    .strictObject({
      deadline: maybe(instant),
      max_lookups: maybe(z.int32()),
      max_tokens: maybe(z.int32()),
      max_attempts: maybe(z.int32()),
    })
    .transform((json) => ({
      deadline: json.deadline,
      maxLookups: json.max_lookups,
      maxTokens: json.max_tokens,
      maxAttempts: json.max_attempts,
    })),
);

/** Anything an object can hold, but not so deep that writing it again would overflow. */
const filters = z.custom<JsonObject>(
  (value) => isJsonObject(value) && nestsAtMost(value, evidenceLimits.jsonDepth),
  'must be a JSON object that is not nested too deeply',
);

const lookupSchema = z.strictObject({
  run_id: z.string(),
  tool_call_id: z.string(),
  query: z.string(),
  mode: z.string().default('hybrid'),
  filters: filters.default({}),
  top_k: z.int32().default(10),
  ttl_ms: maybe(z.int().nonnegative()),
  include_trace: z.boolean().default(false),
  limits,
});

const promptSchema = z.strictObject({ id: z.string(), version: z.string(), sha256: z.string() });

const generationSchema = z
  .strictObject({
    provider: maybe(z.string()),
    model: maybe(z.string()),
    request_id: maybe(z.string()),
    input_tokens: maybe(z.int32()),
    output_tokens: maybe(z.int32()),
    total_tokens: maybe(z.int32()),
    cost: maybe(z.string()),
    currency: maybe(z.string()),
  })
  .transform(({ request_id, input_tokens, output_tokens, total_tokens, ...same }) => ({
    ...same,
    requestId: request_id,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    totalTokens: total_tokens,
  }));

const draftSchema = z.strictObject({
  run_id: z.string(),
  draft_id: z.string(),
  draft_json: z.string().nullable(),
  attempt: z.int32().min(1).default(1),
  prompt: maybe(promptSchema),
  generation: maybe(generationSchema),
  limits,
});

const decisionSchema = z.strictObject({
  run_id: z.string(),
  draft_id: z.string(),
  decision: z.enum(['APPROVE', 'REJECT']),
  by: z.string(),
  reason: z.string(),
});

const replaySchema = z.strictObject({
  dead_letter_event_id: z.string(),
  partition: z.int32().nonnegative(),
  offset: z.int().nonnegative(),
  by: z.string(),
});

const indexSchema = z.strictObject({ folder: z.string().regex(/^[^\0]+$/) });

/** @throws ProoflineError PL_INPUT_INVALID naming the fields that are wrong; so do the others. */
export function lookupFromJson(json: unknown): Lookup {
  const { run_id, tool_call_id, top_k, ttl_ms, include_trace, ...same } = read(lookupSchema, json);
  const named = { runId: run_id, toolCallId: tool_call_id, topK: top_k, ttlMs: ttl_ms };
  return { ...same, ...named, includeTrace: include_trace };
}

export function draftFromJson(json: unknown): DraftHandIn {
  const { run_id, draft_id, draft_json, ...same } = read(draftSchema, json);
  return { ...same, runId: run_id, draftId: draft_id, draftJson: draft_json };
}

export function decisionFromJson(json: unknown): DecisionRequest {
  const { run_id, draft_id, ...same } = read(decisionSchema, json);
  return { ...same, runId: run_id, draftId: draft_id };
}

export function replayFromJson(json: unknown): ReplayRequest {
  const { dead_letter_event_id, ...same } = read(replaySchema, json);
  return { ...same, deadLetterEventId: dead_letter_event_id };
}

export function indexFromJson(json: unknown): { readonly folder: string } {
  return read(indexSchema, json);
}

/** The JSON that the functions above read. */
export function handInToJson(handIn: Lookup | DraftHandIn | DecisionRequest | ReplayRequest): JsonObject {
  const json = toSnakeJson(handIn) as Record<string, unknown>;
  const deadline = 'limits' in handIn ? (handIn.limits?.deadline ?? null) : null;
  if (deadline === null || !isJsonObject(json['limits'])) return json;
  return { ...json, limits: { ...json['limits'], deadline: new Date(deadline).toISOString() } };
}

const PROBLEMS_SHOWN = 5;

function read<S extends z.ZodType>(schema: S, json: unknown): z.output<S> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues
    .slice(0, PROBLEMS_SHOWN)
    .map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`);
  throw new ProoflineError('PL_INPUT_INVALID', { problem: problems.join('; ') });
}
