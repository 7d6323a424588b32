import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { isValidId, requestSha256 } from '../../src/contracts/ids.js';

/** The same JSON with the keys of every object in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reversed(field)]),
  );
}

test('request_sha256 does not depend on the order of keys, however deep', () => {
  const filters = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }).filter((value) => isWellFormed(value));
  fc.assert(
    fc.property(filters, fc.string(), (given, query) => {
      const request = { toolName: 'lookup_knowledge', query, mode: 'hybrid', filters: given, topK: 5 };
      const digest = requestSha256(sha256, request);
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
      expect(requestSha256(sha256, { ...request, filters: reversed(given) })).toBe(digest);
    }),
  );
});

function isWellFormed(value: unknown): boolean {
  return !/\\ud[89a-f]/i.test(JSON.stringify(value));
}

test('an id is valid only where every character is', () => {
  const allowed = /^[A-Za-z0-9._:@=+-]$/;
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 140 }), (id) => {
      const units = Array.from({ length: id.length }, (_, i) => id.charAt(i));
      const expected =
        id.length >= 1 && id.length <= 128 && units.every((c) => allowed.test(c)) && /^[A-Za-z0-9]/.test(id);
      expect(isValidId(id)).toBe(expected);
    }),
  );
});
