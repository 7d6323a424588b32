import { describe, expect, test } from 'vitest';
import { isCounted, personOf } from '../../src/review/decision-counted.js';

const asked = { decision: 'APPROVE', by: 'alice', reason: 'I looked at it.' } as const;
const person = { by: 'alice', reason: 'I looked at it.' };

describe('whether a decision is the one that was answered', () => {
  test.each([
    ['APPROVE', 'PUBLISH', true],
    ['REJECT', 'REPAIR', true],
    ['REJECT', 'FALLBACK', true],
    ['REJECT', 'STALE', true],
    // By the same name and for the same reason, in another window.
    ['APPROVE', 'REPAIR', false],
    ['REJECT', 'PUBLISH', false],
    // A newer draft had taken its place: nothing was published.
    ['APPROVE', 'STALE', false],
  ] as const)('given %s and the answer %s: %s', (decision, answer, counted) => {
    expect(isCounted({ ...asked, decision }, { decision: answer, person })).toBe(counted);
  });

  test('given another name or reason, also one that this one begins with, is not', () => {
    for (const other of [
      { by: 'al', reason: 'I looked at it.' },
      { by: 'alice', reason: 'I' },
    ])
      expect(isCounted(asked, { decision: 'PUBLISH', person: other })).toBe(false);
    expect(isCounted(asked, { decision: 'PUBLISH', person: null })).toBe(false);
  });

  test('given a reason that records cut, is', () => {
    const long = { ...asked, by: 'a'.repeat(300), reason: '很'.repeat(3000) };
    expect(personOf(long).reason.length).toBeLessThan(3000);
    expect(isCounted(long, { decision: 'PUBLISH', person: personOf(long) })).toBe(true);
  });
});
