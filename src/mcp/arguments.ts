import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../contracts/json.js';
import { nestsAtMost } from '../evidence/foreign-json.js';
import { isBlank } from '../text/text.js';

/** Reading what a model calls the tools with: within bounds, and refused in words that it can act on. */

export type Read<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** What the line's own doors take is smaller; what is larger is not even looked at. */
export const argumentLimits = { bytes: 768 * 1024, nesting: 64, queryChars: 200_000 } as const;

const lookupArguments = z.strictObject({
  query: z
    .string()
    .max(argumentLimits.queryChars)
    .refine((query) => !isBlank(query), 'is empty: ask a question'),
});

export function readLookup(args: unknown): Read<{ readonly query: string }> {
  return read(lookupArguments, args);
}

const draftArguments = z.strictObject({
  draft: z.union([z.string(), z.custom<JsonObject>(isJsonObject)], 'must be the report: a JSON object'),
});

/**
 * The model's text of the report: of a string as it stands, so that what is checked is what was written; of an object
 * as `JSON.stringify` writes it. It is not mended here: the guard says what is wrong with it.
 */
export function readDraftText(args: unknown): Read<string> {
  if (isJsonObject(args) && !Object.hasOwn(args, 'draft') && Object.hasOwn(args, 'analysis'))
    return { ok: false, problem: 'the report must stand in the argument draft: {"draft": {"analysis": …}}' };
  const parsed = read(draftArguments, args);
  if (!parsed.ok) return parsed;
  const { draft } = parsed.value;
  return { ok: true, value: typeof draft === 'string' ? draft : JSON.stringify(draft) };
}

const draftIdArguments = z.strictObject({ draft_id: z.string() });

export function readDraftId(args: unknown): Read<string> {
  const parsed = read(draftIdArguments, args);
  return parsed.ok ? { ok: true, value: parsed.value.draft_id } : parsed;
}

const PROBLEMS_SHOWN = 5;
const PROBLEM_CHARS = 300;

function read<T>(schema: z.ZodType<T>, args: unknown): Read<T> {
  if (!nestsAtMost(args, argumentLimits.nesting))
    return { ok: false, problem: `the arguments nest more than ${argumentLimits.nesting} levels deep` };
  if (Buffer.byteLength(JSON.stringify(args ?? null)) > argumentLimits.bytes)
    return { ok: false, problem: `the arguments are larger than ${argumentLimits.bytes} bytes` };
  const parsed = schema.safeParse(args ?? {});
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems = parsed.error.issues
    .slice(0, PROBLEMS_SHOWN)
    .map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': ').slice(0, PROBLEM_CHARS));
  return { ok: false, problem: problems.join('; ') };
}
