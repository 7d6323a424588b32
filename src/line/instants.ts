import { isJsonObject, type JsonObject } from '../contracts/json.js';
import { instantToJson } from '../contracts/record-json.js';

/** Epoch milliseconds of the fields named `at` or `…_at` as RFC 3339; what stands under `data` is left as it is. */
export function withInstants(value: unknown, data: ReadonlySet<string> = new Set()): unknown {
  if (Array.isArray(value)) return value.map((item) => withInstants(item, data));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    if (data.has(name)) return [name, field];
    const isInstant = typeof field === 'number' && (name === 'at' || name.endsWith('_at'));
    return [name, isInstant ? instantToJson(field) : withInstants(field, data)];
  });
  return Object.fromEntries(fields) as JsonObject;
}
