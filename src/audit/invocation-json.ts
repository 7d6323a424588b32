import type { ToolInvocation } from '../contracts/generated.js';
import { isJsonObject, toSnakeJson } from '../contracts/json.js';
import { camelCase } from '../contracts/names.js';

/**
 * A ToolInvocation as the JSON text that people query in the tool_invocation table: snake_case, instants in
 * RFC 3339 UTC. Lone surrogates become U+FFFD on the way, everything else comes back as it was.
 */
export function invocationToJson(event: ToolInvocation): string {
  const json = toSnakeJson(event) as Record<string, unknown>;
  json['occurred_at'] = instantToJson(event.occurredAt);
  json['measured'] = {
    started_at: instantToJson(event.measured.startedAt),
    finished_at: instantToJson(event.measured.finishedAt),
  };
  return wellFormedJson(json);
}

/** The ToolInvocation that `invocationToJson` wrote. */
export function invocationFromJson(text: string): ToolInvocation {
  const event = toCamel(JSON.parse(text)) as ToolInvocation;
  return {
    ...event,
    occurredAt: instantFromJson(event.occurredAt),
    measured: {
      startedAt: instantFromJson(event.measured.startedAt),
      finishedAt: instantFromJson(event.measured.finishedAt),
    },
  };
}

/** An instant beyond what a date can hold (a producer may send any) stays a number. */
function instantToJson(ms: number): string | number {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? ms : date.toISOString();
}

function instantFromJson(instant: string | number): number {
  return typeof instant === 'string' ? Date.parse(instant) : instant;
}

/** JSON.stringify writes a lone surrogate, and only that, as an escape beginning with `\ud`. */
function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  return /\\ud[89a-f]/.test(text) ? JSON.stringify(wellFormed(value)) : text;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key.toWellFormed(), wellFormed(field)]),
  );
}

/** The names of `ext` are data and stay as they are. */
function toCamel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamel);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(
    fields.map(([key, field]) => [camelCase(key), key === 'ext' ? field : toCamel(field)]),
  );
}
