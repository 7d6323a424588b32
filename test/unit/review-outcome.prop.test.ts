import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GuardVerdict } from '../../src/contracts/generated.js';
import { decisionsOf, of, reviewRun, type ReviewInput, type ReviewedRun } from '../support/review-run.js';
import { abandoned, broken, decision, found, rejected } from '../support/review-verdicts.js';

/** One verdict of a draft: what it says follows from its name, so that its id never means two things. */
const verdicts = fc
  .record({
    draft: fc.integer({ min: 1, max: 5 }),
    attempt: fc.integer({ min: 1, max: 5 }),
    kind: fc.constantFrom(
      'SUPPORTED',
      'ABSTAINED',
      'OVERSTATED',
      'UNSUPPORTED',
      'NOT_EVALUATED',
      'rejected',
      'broken',
      'abandoned',
    ),
    limit: fc.constantFrom(null, 1, 2, 4),
    isLate: fc.boolean(),
  })
  .map(({ draft, attempt, kind, limit, isLate }): GuardVerdict => {
    const deadline = 1_700_000_000_000 + (isLate ? 0 : 1_000_000);
    const common = {
      draftId: `draft-${draft}`,
      attempt,
      eventId: `verdict-${draft}-${attempt}-${kind}-${limit}-${isLate}`,
      limits: limit === null ? null : { deadline, maxLookups: null, maxTokens: null, maxAttempts: limit },
    };
    if (kind === 'rejected') return rejected(common);
    if (kind === 'broken') return broken(common);
    if (kind === 'abandoned') return abandoned({ ...common, ext: { given_up: 'DEADLINE' } });
    return found(kind, common);
  });

/** Verdicts, each perhaps again later, and decisions about them, also before them and about what is not there. */
const inputs = fc
  .array(
    fc.record({
      verdict: verdicts,
      decides: fc.option(
        fc.record({
          decision: fc.constantFrom('APPROVE' as const, 'REJECT' as const),
          by: fc.constantFrom('alice', 'an operator'),
          of: fc.constantFrom('it', 'another verdict'),
          late: fc.boolean(),
        }),
      ),
    }),
    { maxLength: 10 },
  )
  .chain((parts) => {
    const all = parts.flatMap(({ verdict, decides }): ReviewInput[] => {
      if (decides === null) return [verdict];
      const { of: about, late, ...how } = decides;
      const eventId = about === 'it' ? verdict.eventId : `other-than-${verdict.eventId}`;
      const occurredAt = verdict.occurredAt + (late ? 10_000_000 : 1);
      return [verdict, decision({ draftId: verdict.draftId, eventId }, { ...how, occurredAt })];
    });
    return fc.oneof(
      fc.constant(all),
      fc.shuffledSubarray([...all, ...all], { minLength: Math.min(all.length, 2 * all.length) }),
    );
  });

function outcomesOf(run: ReviewedRun) {
  return of(run, 'verified.v1').map(({ outcome, replaces, eventId }) => ({ outcome, replaces, eventId }));
}

const LIMIT = 3;
const policy = { maxAttempts: LIMIT };
const runs = { numRuns: 300 };

describe('one run, one outcome', () => {
  test('given verdicts and decisions in any order, late and again: one chain of outcomes', () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const run = reviewRun(given, { policy });
        const chain = outcomesOf(run);
        expect([[], ['FALLBACK'], ['VERIFIED'], ['FALLBACK', 'VERIFIED']]).toContainEqual(
          chain.map(({ outcome }) => outcome),
        );
        // What replaces, replaces what was there; what is alone replaces nothing.
        for (const [i, { replaces }] of chain.entries()) expect(replaces).toBe(chain[i - 1]?.eventId ?? null);
        expect([run.progress.outcome, run.progress.outcomeEventId]).toEqual([
          chain.at(-1)?.outcome ?? null,
          chain.at(-1)?.eventId ?? null,
        ]);
        // Who published says what, and after a VERIFIED nothing but STALE follows.
        const decided = decisionsOf(run);
        const published = decided.indexOf('PUBLISH');
        if (published >= 0)
          expect(new Set(decided.slice(published + 1))).toBeOneOf([new Set(), new Set(['STALE'])]);
        expect(decided.filter((each) => each === 'PUBLISH')).toHaveLength(
          chain.filter(({ outcome }) => outcome === 'VERIFIED').length,
        );
        expect(run.progress.outcome === 'VERIFIED' && run.progress.held !== null).toBe(false);
      }),
      runs,
    );
  });

  test('attempts never exceed the limit, and a repair is asked for only while one is left', () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const run = reviewRun(given, { policy });
        for (const { attempts, limits } of of(run, 'run-outcome.v1'))
          // Limits that come later than the first drafts may be below what was counted by then.
          expect(attempts).toBeLessThanOrEqual(Math.max(LIMIT, limits?.maxAttempts ?? LIMIT));
        for (const { attemptsLeft } of of(run, 'repair-requested.v1'))
          expect(attemptsLeft).toBeGreaterThan(0);
      }),
      runs,
    );
  });

  test('given the limits with every draft: distinct drafts that the model is to blame for are never more', () => {
    fc.assert(
      fc.property(inputs, fc.integer({ min: 1, max: 4 }), (given, maxAttempts) => {
        const limits = { deadline: null, maxLookups: null, maxTokens: null, maxAttempts };
        const limited = given.map((each) => ('verdictEventId' in each ? each : { ...each, limits }));
        const run = reviewRun(limited, { policy });
        for (const { attempts } of of(run, 'run-outcome.v1'))
          expect(attempts).toBeLessThanOrEqual(maxAttempts);
        const asked = of(run, 'reviewed.v1').filter(
          (each) => each.decision === 'REPAIR' && each.decidedBy === 'RULES',
        );
        expect(asked.length).toBeLessThan(maxAttempts);
      }),
      runs,
    );
  });

  test('given a restart before any of them, the same is written', () => {
    fc.assert(
      fc.property(inputs, fc.array(fc.boolean(), { maxLength: 40 }), (given, restarts) => {
        const restarted = reviewRun(given, { policy, restartsBefore: (i) => restarts[i] === true });
        expect(restarted).toEqual(reviewRun(given, { policy }));
      }),
      runs,
    );
  });

  test('given the same input again right behind it, nothing follows but a note', () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const once = reviewRun(given, { policy });
        const twice = reviewRun(
          given.flatMap((each) => [each, each]),
          { policy },
        );
        expect(twice.progress).toEqual(once.progress);
        const events = (run: ReviewedRun) => new Set(run.written.map(({ value }) => value));
        const notes = ({ written }: ReviewedRun) =>
          written.filter(({ topic }) => topic !== 'tool-invocation.v1');
        expect(new Set(notes(twice).map(({ value }) => value))).toEqual(
          new Set(notes(once).map(({ value }) => value)),
        );
        for (const value of events(once)) expect(events(twice)).toContain(value);
      }),
      runs,
    );
  });

  test('an event id never means two things', () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const meaning = new Map<string, string>();
        for (const { topic, eventId, value } of reviewRun(given, { policy }).written) {
          if (topic === 'tool-invocation.v1') continue;
          expect(meaning.get(eventId) ?? value).toBe(value);
          meaning.set(eventId, value);
        }
      }),
      runs,
    );
  });
});
