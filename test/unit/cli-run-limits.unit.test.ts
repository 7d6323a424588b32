import { describe, expect, it } from 'vitest';
import { limitsOf } from '../../src/cli/run-limits.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('the limits of a run as they are typed', () => {
  it('given none, are none', () => {
    expect(limitsOf({}, NOW)).toBeNull();
  });

  it('given some, leave the others open', () => {
    expect(limitsOf({ maxLookups: '5', maxAttempts: '2' }, NOW)).toEqual({
      deadline: null,
      maxLookups: 5,
      maxTokens: null,
      maxAttempts: 2,
    });
  });

  it.each([
    ['90s', '2026-03-01T12:01:30.000Z'],
    ['10m', '2026-03-01T12:10:00.000Z'],
    ['2h', '2026-03-01T14:00:00.000Z'],
    ['2026-03-01T12:30:00Z', '2026-03-01T12:30:00.000Z'],
    ['2026-03-01T12:30+08:00', '2026-03-01T04:30:00.000Z'],
  ])('given the deadline %s, it is %s', (deadline, at) => {
    expect(new Date(limitsOf({ deadline }, NOW)?.deadline ?? 0).toISOString()).toBe(at);
  });

  it.each(['10', '10 m', '-5m', 'tomorrow', '2026-03-01', '2026-13-01T00:00:00Z', '1e3s', ''])(
    'given the deadline %j, says what one looks like',
    (deadline) => {
      expect(() => limitsOf({ deadline }, NOW)).toThrow(/must be like 90s, 10m or 2h/);
    },
  );

  it.each(['0', '-1', '1.5', 'many'])('given %j lookups, refuses them', (maxLookups) => {
    expect(() => limitsOf({ maxLookups }, NOW)).toThrow(/--max-lookups/);
  });
});
