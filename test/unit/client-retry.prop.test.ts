import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pauseBefore, retryAfterMs, retryDefaults } from '../../src/client/retry.js';

const policies = fc.record({
  retries: fc.integer({ min: 0, max: 10 }),
  firstPauseMs: fc.integer({ min: 1, max: 1000 }),
  longestPauseMs: fc.integer({ min: 1, max: 60_000 }),
});
const random = fc.double({ min: 0, max: 1, noNaN: true });

describe('the pause before a request is sent again', () => {
  it('is never longer than the longest, and never shorter than the gateway asks', () => {
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 1, max: 20 }),
        fc.option(fc.nat(120_000)),
        random,
        (policy, failed, asked, r) => {
          const ms = pauseBefore(policy, failed, asked, r);
          const givenUp = failed > policy.retries || (asked ?? 0) > policy.longestPauseMs;
          expect(ms === null).toBe(givenUp);
          if (ms === null) return;
          expect(ms).toBeLessThanOrEqual(policy.longestPauseMs);
          expect(ms).toBeGreaterThanOrEqual(asked ?? 0);
        },
      ),
    );
  });

  it('doubles, and is shortened by up to a half', () => {
    expect([1, 2, 3, 4].map((failed) => pauseBefore(retryDefaults, failed, null, 0))).toEqual([
      200, 400, 800, 1600,
    ]);
    expect(pauseBefore(retryDefaults, 2, null, 1)).toBe(200);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-02T03:04:05Z');
  it.each([
    ['2', 2000],
    ['0.5', 500],
    ['Fri, 02 Jan 2026 03:04:15 GMT', 10_000],
    ['Fri, 02 Jan 2026 03:04:00 GMT', 0],
    ['soon', null],
    ['', null],
    [null, null],
  ])('%j is %j ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  it('is never negative and never fails, whatever it says', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(retryAfterMs(header, now) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
