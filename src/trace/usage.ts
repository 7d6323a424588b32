import * as z from 'zod';
import { blankInvocation } from '../contracts/blank-invocation.js';
import { ProoflineError } from '../contracts/errors.js';
import type { Measured, ToolInvocation } from '../contracts/generated.js';
import { usageEventId } from '../contracts/ids.js';
import type { JsonObject } from '../contracts/json.js';
import type { Sha256 } from '../text/text.js';
import { VERSION } from '../version.js';
import { numberIn, textIn } from './facts.js';

/** What a model used and what it cost, as the caller fills it in once it is known. Prices are the caller's. */

export const GENERATION_USAGE = 'GENERATION_USAGE';

export interface GenerationUsage {
  readonly provider: string | null;
  readonly model: string | null;
  /** The provider's own id of the call. */
  readonly requestId: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalTokens: number | null;
  /** A decimal number, as a text: money is not counted in binary fractions. */
  readonly cost: string | null;
  /** ISO 4217, e.g. `USD`. */
  readonly currency: string | null;
}

const maybe = <T extends z.ZodType>(schema: T) => schema.nullish();
const name = maybe(z.string().min(1).max(256));
const tokens = maybe(z.int32().nonnegative());

/** As JSON: the body of the route, and what the socket and the command line hand in. */
export const usageFields = {
  provider: name.describe('Who ran the model.'),
  model: name,
  request_id: name.describe("The provider's own id of the call."),
  input_tokens: tokens,
  output_tokens: tokens,
  total_tokens: tokens,
  cost: maybe(z.string().regex(/^\d{1,15}(\.\d{1,12})?$/, 'must be a decimal number like "0.0042"')).describe(
    "What it cost, as a decimal number in a string: prices are the caller's.",
  ),
  currency: maybe(z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters like USD')),
};

/** @throws ProoflineError PL_INPUT_INVALID where nothing is said */
export function usageOf(json: z.output<z.ZodObject<typeof usageFields>>): GenerationUsage {
  const usage: GenerationUsage = {
    provider: json.provider ?? null,
    model: json.model ?? null,
    requestId: json.request_id ?? null,
    inputTokens: json.input_tokens ?? null,
    outputTokens: json.output_tokens ?? null,
    totalTokens: json.total_tokens ?? null,
    cost: json.cost ?? null,
    currency: json.currency ?? null,
  };
  if (Object.values(usage).every((value) => value === null))
    throw new ProoflineError('PL_INPUT_INVALID', { problem: 'it says nothing of what was used' });
  return usage;
}

export interface UsageOf {
  readonly runId: string;
  readonly draftId: string;
  readonly usage: GenerationUsage;
  /** event_id of what was last filled in for the draft; null for the first. */
  readonly after: string | null;
}

/** The record of it. The same usage after the same one is the same event, however often it is handed in. */
export function generationUsed(of: UsageOf, measured: Measured, sha256: Sha256): ToolInvocation {
  const { runId, draftId, usage } = of;
  const factsJson = JSON.stringify(usageJson(usage));
  return {
    ...blankInvocation,
    eventId: usageEventId(sha256, { runId, draftId, usageSha256: sha256(factsJson), after: of.after }),
    causedBy: null,
    runId,
    occurredAt: measured.startedAt,
    station: 'trace',
    version: VERSION,
    kind: GENERATION_USAGE,
    draftId,
    outcome: 'RECORDED',
    countIn: 0,
    countOut: 0,
    factsJson,
    measured,
    ext: {},
  };
}

/** In JSON, all fields. */
export function usageJson(usage: GenerationUsage): object {
  const { provider, model, requestId, inputTokens, outputTokens, totalTokens, cost, currency } = usage;
  return {
    provider,
    model,
    request_id: requestId,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: totalTokens,
    cost,
    currency,
  };
}

/** As it was recorded. Written by this version or another: nothing is sure. */
export function readUsage(facts: JsonObject): GenerationUsage {
  return {
    provider: textIn(facts['provider']),
    model: textIn(facts['model']),
    requestId: textIn(facts['request_id']),
    inputTokens: numberIn(facts['input_tokens']),
    outputTokens: numberIn(facts['output_tokens']),
    totalTokens: numberIn(facts['total_tokens']),
    cost: textIn(facts['cost']),
    currency: textIn(facts['currency']),
  };
}
