import type { JsonObject } from '../../contracts/json.js';
import { globMatcher } from './glob.js';

/** Where a chunk stands, as filters see it. */
export interface ChunkPlace {
  readonly path: string;
  readonly breadcrumb: string;
}

export type ChunkFilter = (place: ChunkPlace) => boolean;

/** A filter that is understood, or what is wrong with it. */
export type ReadFilter = { readonly passes: ChunkFilter | null } | { readonly problem: string };

const MAX_VALUES = 32;
const MAX_CHARS = 512;

/**
 * The filters of the local index:
 * - `path`: where the file is, relative to the folder: the beginning of its path, or a glob when it has `*` or
 *   `?` in it (`**` goes over `/`). A list means any of them.
 * - `heading`: a part of the breadcrumb, in whatever case. A list means any of them.
 * Another filter, or another kind of value, is a problem: leaving it out would find what it was to keep out.
 * `passes` is null where nothing is filtered.
 */
export function readFilters(filters: JsonObject): ReadFilter {
  const tests: ChunkFilter[] = [];
  for (const [name, value] of Object.entries(filters)) {
    if (name !== 'path' && name !== 'heading')
      return { problem: 'only the filters path and heading are known' };
    const values = valuesOf(value);
    if (values === null)
      return { problem: `the filter ${name} is no string and no list of 1 to ${MAX_VALUES} strings` };
    tests.push(name === 'path' ? pathFilter(values) : headingFilter(values));
  }
  return { passes: tests.length === 0 ? null : (place) => tests.every((test) => test(place)) };
}

function valuesOf(value: unknown): readonly string[] | null {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0 || values.length > MAX_VALUES) return null;
  return values.every((one) => typeof one === 'string' && one.length <= MAX_CHARS)
    ? (values as string[])
    : null;
}

function pathFilter(values: readonly string[]): ChunkFilter {
  const tests = values
    .map((value) => value.replace(/^(\.?\/)+/, ''))
    .map((value) => (/[*?]/.test(value) ? globMatcher(value) : (path: string) => path.startsWith(value)));
  return ({ path }) => tests.some((test) => test(path));
}

function headingFilter(values: readonly string[]): ChunkFilter {
  const parts = values.map((value) => value.toLowerCase());
  return ({ breadcrumb }) => parts.some((part) => breadcrumb.toLowerCase().includes(part));
}
