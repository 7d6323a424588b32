import * as z from 'zod';
import { ProoflineError } from '../contracts/errors.js';
import { isJsonObject, toSnakeJson, type JsonObject } from '../contracts/json.js';
import { camelCase } from '../contracts/names.js';
import type { FormOptions } from '../context/context-form.js';
import { MAX_CALLS } from '../context/run-views.js';
import type { RunContext } from '../context/run-context.js';
import { tokenBudget, type TokenBudgetOptions } from '../context/token-budget.js';
import { encodings } from '../context/token-counter.js';
import { assembleInRun, type RunContextPorts } from './run-context.js';

/** A context of a run as it is asked for from outside: over HTTP, by the socket, on the command line. */
export interface ContextHandIn extends FormOptions {
  readonly runId: string;
  readonly toolCallIds: readonly string[];
  readonly query: string;
  readonly budget: TokenBudgetOptions | null;
}

const maybe = <T extends z.ZodType>(schema: T) => schema.nullish();

export const contextBody = z
  .strictObject({
    query: z.string().max(20_000).describe('The question of the prompt.'),
    tool_call_ids: z
      .array(z.string().max(128))
      .min(1)
      .max(MAX_CALLS)
      .describe('READY lookups of the run, in the order in which their evidence goes in.'),
    budget: maybe(
      z.strictObject({
        tokens: z.int32().positive(),
        model: maybe(z.string().max(200)),
        encoding: maybe(z.enum(encodings)),
      }),
    ).describe('The most tokens that the text may have; counted in cl100k_base where neither is known.'),
    include_citations: maybe(z.boolean()).describe('False leaves the `[S1] label` lines out of the text.'),
    delimiter: maybe(z.string().max(1000)).describe('Stands between two passages; an empty line by default.'),
    packed: maybe(z.boolean()).describe('The packed text of 4,000 characters instead.'),
  })
  .meta({ id: 'ContextRequest', description: 'Evidence of a run to put into a prompt.' });

/** @throws ProoflineError PL_INPUT_INVALID where two forms are asked for at once */
export function contextHandIn(runId: string, body: z.output<typeof contextBody>): ContextHandIn {
  const { query, tool_call_ids: toolCallIds, budget, include_citations, delimiter, packed } = body;
  const handIn: ContextHandIn = {
    runId,
    query,
    toolCallIds,
    budget: budget ?? null,
    ...(typeof include_citations === 'boolean' ? { includeCitations: include_citations } : {}),
    ...(typeof delimiter === 'string' ? { delimiter } : {}),
    ...(packed === true ? { packed } : {}),
  };
  assertOneForm(handIn);
  return handIn;
}

/** The packed text has its own budget and its own headings. */
export function assertOneForm({ packed, budget, includeCitations, delimiter }: ContextHandIn): void {
  if (packed !== true) return;
  if (budget === null && includeCitations === undefined && delimiter === undefined) return;
  const problem = 'packed text takes no budget of tokens, no delimiter and no labels';
  throw new ProoflineError('PL_INPUT_INVALID', { problem });
}

/** @throws ProoflineError as `assembleInRun`; PL_INPUT_INVALID of the budget */
export async function assembleHandIn(ports: RunContextPorts, handIn: ContextHandIn): Promise<RunContext> {
  assertOneForm(handIn);
  const budget = handIn.budget === null ? null : await tokenBudget(handIn.budget);
  return assembleInRun(ports, { ...handIn, budget });
}

/** The JSON of the socket, and what it is of. */
export function contextHandInToJson(handIn: ContextHandIn): JsonObject {
  return toSnakeJson(handIn) as JsonObject;
}

const socketBody = contextBody.extend({ run_id: z.string() });

export function contextHandInFromJson(json: unknown): ContextHandIn {
  const parsed = socketBody.safeParse(json);
  if (parsed.success) return contextHandIn(parsed.data.run_id, parsed.data);
  throw problemIn(parsed.error);
}

export function contextToJson(context: RunContext): JsonObject {
  return toSnakeJson(context) as JsonObject;
}

/** The context that `contextToJson` wrote. */
export function contextFromJson(json: JsonObject): RunContext {
  return camelKeys(json) as RunContext;
}

function camelKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [camelCase(key), camelKeys(field)]));
}

function problemIn({ issues }: z.ZodError): ProoflineError {
  const [issue] = issues;
  const problem = `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'not as expected'}`;
  return new ProoflineError('PL_INPUT_INVALID', { problem });
}
