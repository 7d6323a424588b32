import { describe, expect, it } from 'vitest';
import { tryQuote } from '../../src/cli/try/quote.js';
import { loadCases, matches } from '../support/cases.js';

const cases = loadCases('quote');

describe('the contract cases of quotes', () => {
  it('are all there', () => expect(cases).toHaveLength(23));

  it.each(cases.map((c) => [c.name, c] as const))('%s', (_, { input, expect: expected }) => {
    matches(tryQuote(input), expected);
  });
});
