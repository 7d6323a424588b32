import { isJsonObject, parseJson, type JsonObject } from '../contracts/json.js';
import { camelCase } from '../contracts/names.js';
import { nestsAtMost } from '../evidence/foreign-json.js';
import { clientError } from './api-error.js';
import { textOfBody } from './read-body.js';

/** Records as the gateway writes them in JSON, in the names of TypeScript. */

/** Fields that are instants: a number inside the line, RFC 3339 UTC here. */
type InstantField = 'occurredAt' | 'expiresAt' | 'deadline' | 'startedAt' | 'finishedAt';

/** A record of the contracts as the client gives it: instants are RFC 3339 text. */
export type Received<T> = T extends readonly (infer Item)[]
  ? readonly Received<Item>[]
  : T extends object
    ? {
        readonly [K in keyof T]: K extends 'ext'
          ? T[K]
          : K extends InstantField
            ? Exclude<T[K], number> | string
            : Received<T[K]>;
      }
    : T;

const DEPTH = 64;

/** @throws ProoflineApiError PL_GATEWAY_ANSWER for what is no JSON object, or one that is nested too deeply */
export function jsonOf(bytes: Uint8Array): JsonObject {
  const json = parseJson(textOfBody(bytes));
  if (!isJsonObject(json)) throw unusable('it is no JSON object');
  if (!nestsAtMost(json, DEPTH)) throw unusable('it is nested too deeply');
  return json;
}

/**
 * A record with camelCase names. Only that it is one is checked, by its event_id: what a newer gateway adds is kept.
 * @throws ProoflineApiError PL_GATEWAY_ANSWER
 */
export function recordOf<T>(json: JsonObject, field: string): Received<T> {
  const record = json[field];
  if (!isJsonObject(record)) throw unusable(`${field} is missing`);
  return recordFrom(record, field);
}

/** As `recordOf`, of the record itself. */
export function recordFrom<T>(record: JsonObject, name: string): Received<T> {
  if (typeof record['event_id'] !== 'string' || typeof record['run_id'] !== 'string')
    throw unusable(`${name} has no event_id and run_id`);
  return camel(record) as Received<T>;
}

/** Keys of a map are data. */
const MAPS: ReadonlySet<string> = new Set(['ext']);

function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [camelCase(key), MAPS.has(key) ? field : camel(field)]),
  );
}

export function unusable(problem: string): Error {
  return clientError('PL_GATEWAY_ANSWER', { problem });
}
