/**
 * Names are snake_case in JSON and Avro and camelCase in TypeScript. The two spellings are one rule, applied
 * here and nowhere else.
 */

const toCamel = new Map<string, string>();
const toSnake = new Map<string, string>();

function memoized(cache: Map<string, string>, name: string, convert: (name: string) => string): string {
  let found = cache.get(name);
  if (found === undefined) {
    found = convert(name);
    // Names come from contracts, not from messages; the bound is for whoever passes data here by mistake.
    if (cache.size < 2000) cache.set(name, found);
  }
  return found;
}

/** `tool_call_id` → `toolCallId`. */
export function camelCase(name: string): string {
  return memoized(toCamel, name, (n) => n.replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase()));
}

/** `toolCallId` → `tool_call_id`. */
export function snakeCase(name: string): string {
  return memoized(toSnake, name, (n) => n.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`));
}
