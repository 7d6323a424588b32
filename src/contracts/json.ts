import { snakeCase } from './names.js';

/** A JSON value as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object, not an array and not null. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `JSON.parse` that says "no" with undefined instead of throwing (undefined is no JSON value). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Fields whose value is data of somebody else: its keys are kept as they are. */
const OPAQUE = new Set(['filters', 'detail', 'facts', 'ext', 'trace']);

/**
 * A domain object with its keys as JSON has them (snake_case), in the same order; undefined fields vanish.
 * Values of `opaque` fields (camelCase names) are passed on untouched.
 */
export function toSnakeJson(value: unknown, opaque: ReadonlySet<string> = OPAQUE): unknown {
  if (Array.isArray(value)) return value.map((item) => toSnakeJson(item, opaque));
  if (!isJsonObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined) result[snakeCase(key)] = opaque.has(key) ? field : toSnakeJson(field, opaque);
  }
  return result;
}
