import { isJsonObject } from '../contracts/json.js';
import type { JsonObject } from '../contracts/json.js';
import { isBlank } from '../text/text.js';

/**
 * Reading JSON that somebody else wrote. Strings come back well-formed (a lone surrogate becomes U+FFFD), so
 * that what is compared, digested and encoded later is the same text everywhere.
 */

/** The string, well-formed; null for anything else. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value.toWellFormed() : null;
}

/** The first of these fields that holds a string with something to see in it. */
export function firstText(object: JsonObject, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = object[name];
    if (typeof value === 'string' && !isBlank(value)) return value.toWellFormed();
  }
  return null;
}

/** The first of these fields that is there. */
export function firstPresent(object: JsonObject, ...names: readonly string[]): unknown {
  const name = names.find((candidate) => Object.hasOwn(object, candidate));
  return name === undefined ? undefined : object[name];
}

/** The number when it is an integer that Avro's int can hold, else null. */
export function int32OrNull(value: unknown): number | null {
  return Number.isInteger(value) && Math.abs(value as number) <= MAX_INT32 ? (value as number) : null;
}

const MAX_INT32 = 2 ** 31 - 1;

/**
 * True when the value nests at most `depth` levels. `JSON.parse` reads any depth, but what writes JSON again
 * recurses: a hostile value must be told before it is passed on. Does not recurse itself.
 */
export function nestsAtMost(value: unknown, depth: number): boolean {
  let level = containersIn([value]);
  for (let left = depth; level.length > 0; left--) {
    if (left === 0) return false;
    level = level.flatMap((container) => containersIn(Object.values(container)));
  }
  return true;
}

function containersIn(values: readonly unknown[]): object[] {
  return values.filter((value) => isJsonObject(value) || Array.isArray(value)) as object[];
}
