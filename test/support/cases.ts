import { readFileSync } from 'node:fs';

/** One line of test/cases: what a station is given, and what its answer must contain. */
export interface Case {
  readonly name: string;
  readonly station: string;
  readonly input: unknown;
  readonly expect: unknown;
}

/** The cases of a station, from test/cases/STATION.jsonl. */
export function loadCases(station: string): Case[] {
  const file = new URL(`../cases/${station}.jsonl`, import.meta.url);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Case);
}

/**
 * Throws unless `actual` has every field of `expected` with an equal value; objects may have more fields,
 * lists must be equally long. Of an `error` only the code counts, and the message must contain what is
 * expected of it.
 */
export function matches(actual: unknown, expected: unknown): void {
  const differences = compare(actual, expected, '');
  if (differences.length > 0) throw new Error(`The answer is not as expected:\n${differences.join('\n')}`);
}

function compare(actual: unknown, expected: unknown, path: string): string[] {
  if (Array.isArray(expected)) return compareLists(actual, expected, path);
  if (!isObject(expected)) return Object.is(actual, expected) ? [] : [difference(actual, expected, path)];
  if (!isObject(actual)) return [difference(actual, expected, path)];
  return Object.entries(expected).flatMap(([key, value]) =>
    key === 'error' && isObject(value)
      ? compareErrors(actual[key], value, `${path}/${key}`)
      : compare(actual[key], value, `${path}/${key}`),
  );
}

function compareLists(actual: unknown, expected: readonly unknown[], path: string): string[] {
  if (!Array.isArray(actual)) return [difference(actual, expected, path)];
  if (actual.length !== expected.length) return [difference(actual, expected, path)];
  return expected.flatMap((value, i) => compare(actual[i], value, `${path}/${i}`));
}

function compareErrors(actual: unknown, expected: Record<string, unknown>, path: string): string[] {
  if (!isObject(actual)) return [difference(actual, expected, path)];
  const differences = compare(actual['code'], expected['code'], `${path}/code`);
  const message = expected['message'];
  if (typeof message !== 'string') return differences;
  const found = actual['message'];
  if (typeof found === 'string' && found.includes(message)) return differences;
  return [...differences, difference(found, `… ${message} …`, `${path}/message`)];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function difference(actual: unknown, expected: unknown, path: string): string {
  const at = firstDifference(actual, expected);
  const place = at > 60 ? ` (they part at character ${at})` : '';
  const from = Math.max(0, at - 60);
  return `${path || '/'}${place}\n  expected ${show(expected, from)}\n  found    ${show(actual, from)}`;
}

/** Where two texts part; 0 for anything else. */
function firstDifference(actual: unknown, expected: unknown): number {
  if (typeof actual !== 'string' || typeof expected !== 'string') return 0;
  let i = 0;
  while (i < actual.length && actual[i] === expected[i]) i += 1;
  return i;
}

function show(value: unknown, from: number): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(typeof value === 'string' ? value.slice(from) : value);
  return json.length > 400 ? `${json.slice(0, 400)}…` : json;
}
