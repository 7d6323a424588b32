import { describe, expect, it } from 'vitest';
import { tryGuard } from '../../src/cli/try/guard.js';
import { loadCases, matches } from '../support/cases.js';

const cases = loadCases('guard');

describe('the contract cases of the guard', () => {
  it('are all there', () => expect(cases).toHaveLength(33));

  it.each(cases.map((c) => [c.name, c] as const))('%s', (_, { input, expect: expected }) => {
    matches(tryGuard(input), expected);
  });
});
