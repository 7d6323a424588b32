import { isJsonObject, type JsonObject } from '../../contracts/json.js';

/**
 * Whether an answer is what a case expects: every field of `expected` with an equal value; it may have more fields,
 * lists are equally long. Of a violation only code and path count, of an error only the code.
 */

/** The differences, one a line; none when it is. */
export function differences(actual: unknown, expected: unknown, path = ''): readonly string[] {
  if (Array.isArray(expected)) return listDifferences(actual, expected, path);
  if (!isJsonObject(expected)) return Object.is(actual, expected) ? [] : [difference(actual, expected, path)];
  if (!isJsonObject(actual)) return [difference(actual, expected, path)];
  return Object.entries(expected).flatMap(([name, value]) =>
    differences(actual[name], whatCounts(name, value), `${path}/${name}`),
  );
}

function listDifferences(actual: unknown, expected: readonly unknown[], path: string): readonly string[] {
  if (!Array.isArray(actual) || actual.length !== expected.length)
    return [difference(actual, expected, path)];
  return expected.flatMap((value, i) => differences(actual[i], value, `${path}/${i}`));
}

/** Messages and details may be reworded: what is expected of an error or of a violation is cut down to this. */
function whatCounts(name: string, value: unknown): unknown {
  if (name === 'error' && isJsonObject(value)) return only(value, 'code');
  if (name === 'violations' && Array.isArray(value))
    return value.map((each: unknown) => (isJsonObject(each) ? only(each, 'code', 'path') : each));
  return value;
}

function only(value: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));
}

function difference(actual: unknown, expected: unknown, path: string): string {
  return `${path === '' ? '/' : path}: expected ${shown(expected)}, found ${shown(actual)}`;
}

const LONGEST = 160;

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
