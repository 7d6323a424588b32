import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { isSampled } from '../../src/review/sample.js';
import { decisionsOf, of, reviewRun } from '../support/review-run.js';
import { abandoned, broken, found, rejected, verdict } from '../support/review-verdicts.js';

const at = (attempt: number, other = {}) => ({ draftId: `draft-${attempt}`, attempt, ...other });
const limits = (other: object) => ({
  limits: { deadline: null, maxLookups: null, maxTokens: null, maxAttempts: null, ...other },
});

describe('attempts', () => {
  test('given three drafts that are rejected: two repairs, then the fallback says ATTEMPTS', () => {
    const run = reviewRun([rejected(at(1)), found('OVERSTATED', at(2)), found('UNSUPPORTED', at(3))]);
    expect(decisionsOf(run)).toEqual(['REPAIR', 'REPAIR', 'FALLBACK']);
    expect(of(run, 'repair-requested.v1').map(({ attemptsLeft }) => attemptsLeft)).toEqual([2, 1]);
    expect(of(run, 'verified.v1')).toMatchObject([
      { outcome: 'FALLBACK', draftId: 'draft-3', fallback: { reason: 'ATTEMPTS' }, decidedBy: 'RULES' },
    ]);
    expect(run.progress).toMatchObject({ attempts: 3, outcome: 'FALLBACK' });
  });

  test('given limits with the first draft, they count, and later ones do not', () => {
    const run = reviewRun([
      rejected(at(1, limits({ maxAttempts: 2 }))),
      rejected(at(2, limits({ maxAttempts: 9 }))),
    ]);
    expect(decisionsOf(run)).toEqual(['REPAIR', 'FALLBACK']);
  });

  test.each([0, -3])('given a limit of %i, the first draft is judged', (maxAttempts) => {
    expect(decisionsOf(reviewRun([rejected(limits({ maxAttempts }))]))).toEqual(['FALLBACK']);
    expect(decisionsOf(reviewRun([verdict(limits({ maxAttempts }))]))).toEqual(['PUBLISH']);
  });

  test('given a configured number, it counts where the run has none of its own', () => {
    expect(decisionsOf(reviewRun([rejected()], { policy: { maxAttempts: 1 } }))).toEqual(['FALLBACK']);
  });

  test('given drafts that only the ledger is to blame for: HOLD again and again, and no attempt is spent', () => {
    const run = reviewRun([broken(at(1)), broken(at(2)), broken(at(3)), broken(at(4)), rejected(at(5))]);
    expect(decisionsOf(run)).toEqual(['HOLD', 'HOLD', 'HOLD', 'HOLD', 'REPAIR']);
    expect(of(run, 'repair-requested.v1')[0]).toMatchObject({ attemptsLeft: 2 });
  });

  test('given a draft that passes after the attempts are spent, it replaces the fallback', () => {
    const run = reviewRun([rejected(at(1, limits({ maxAttempts: 1 }))), verdict(at(2))]);
    const [fallback, verified] = of(run, 'verified.v1');
    expect(verified).toMatchObject({ outcome: 'VERIFIED', replaces: fallback!.eventId });
    expect(run.progress.attempts).toBe(1);
  });

  test('given one that is no better than the fallback: STALE', () => {
    const run = reviewRun([abandoned(at(1)), rejected(at(2)), found('OVERSTATED', at(3))]);
    expect(decisionsOf(run)).toEqual(['FALLBACK', 'STALE', 'STALE']);
    expect(of(run, 'repair-requested.v1')).toEqual([]);
  });
});

describe('deadline and giving up', () => {
  const deadline = 1_700_000_000_000;

  test.each([
    ['before', deadline - 1, 'REPAIR'],
    ['at', deadline, 'FALLBACK'],
    ['after', deadline + 1, 'FALLBACK'],
  ])('given a rejected draft that came %s the deadline', (_, occurredAt, decision) => {
    const run = reviewRun([rejected({ occurredAt, ...limits({ deadline }) })]);
    expect(decisionsOf(run)).toEqual([decision]);
    if (decision === 'REPAIR') expect(of(run, 'repair-requested.v1')[0]).toMatchObject({ deadline });
    else expect(of(run, 'verified.v1')[0]!.fallback).toMatchObject({ reason: 'DEADLINE' });
  });

  test('given a true draft after the deadline, it is published', () => {
    const late = verdict({ occurredAt: deadline + 1, ...limits({ deadline }) });
    expect(decisionsOf(reviewRun([late]))).toEqual(['PUBLISH']);
  });

  test.each([
    [{ given_up: 'DEADLINE' }, 'DEADLINE'],
    [{ given_up: 'BUDGET' }, 'BUDGET'],
    [{ given_up: 'AGENT' }, 'AGENT'],
    [{}, 'AGENT'],
  ])('given a run that was given up with %j, the fallback says %s', (ext, reason) => {
    expect(of(reviewRun([abandoned({ ext })]), 'verified.v1')[0]!.fallback).toMatchObject({ reason });
  });

  test('given a run that is given up under a number that was passed over, it ends all the same', () => {
    expect(decisionsOf(reviewRun([rejected(at(3)), abandoned(at(2))]))).toEqual(['REPAIR', 'FALLBACK']);
  });
});

describe('a held draft', () => {
  test('given a newer attempt, it is held no more, and the audit says whose place was taken', () => {
    const run = reviewRun([found('NOT_EVALUATED', at(1)), rejected(at(2))]);
    expect(decisionsOf(run)).toEqual(['HOLD', 'REPAIR']);
    expect(run.progress.held).toBeNull();
    const note = of(run, 'tool-invocation.v1').at(-1)!;
    expect(JSON.parse(note.factsJson)).toMatchObject({ passed_over: 'draft-1' });
  });

  test('given that its run is given up meanwhile, it stays held: a person may still find it good', () => {
    const run = reviewRun([found('NOT_EVALUATED', at(1)), abandoned(at(2))]);
    expect(decisionsOf(run)).toEqual(['HOLD', 'FALLBACK']);
    expect(run.progress).toMatchObject({ outcome: 'FALLBACK', held: { verdict: { draftId: 'draft-1' } } });
  });

  test('given the last attempt held and one beyond it: only a better one takes its place', () => {
    const last = [rejected(at(1)), rejected(at(2)), found('NOT_EVALUATED', at(3))];
    const worse = reviewRun([...last, rejected(at(4)), found('NOT_EVALUATED', at(5))]);
    expect(decisionsOf(worse).slice(2)).toEqual(['HOLD', 'STALE', 'STALE']);
    expect(worse.progress.held?.verdict.draftId).toBe('draft-3');
    const better = reviewRun([...last, verdict(at(4))]);
    expect(decisionsOf(better).slice(2)).toEqual(['HOLD', 'PUBLISH']);
    expect(better.progress).toMatchObject({ held: null, outcome: 'VERIFIED', attempts: 3 });
  });
});

describe('a sample of what would be published', () => {
  const drafts = Array.from({ length: 400 }, (_, i) => verdict({ eventId: `verdict-${i}` }));
  const heldAt = (sample: number) =>
    drafts.filter((each) => decisionsOf(reviewRun([each], { policy: { sample } }))[0] === 'HOLD');

  test('given the rate 0 nothing is held, given 1 everything', () => {
    expect(heldAt(0)).toHaveLength(0);
    expect(heldAt(1)).toHaveLength(400);
  });

  test('given a rate between, about that share is held, the same ones every time', () => {
    const held = heldAt(0.25);
    expect(held.length).toBeGreaterThan(60);
    expect(held.length).toBeLessThan(140);
    expect(heldAt(0.25)).toEqual(held);
    // A higher rate holds those too.
    expect(heldAt(0.5)).toEqual(expect.arrayContaining(held));
    expect(held.every(({ eventId }) => isSampled(eventId, 0.25, sha256))).toBe(true);
  });

  test('given a draft that would not be published, nothing is chosen, and PL_SAMPLED says why one is held', () => {
    const run = reviewRun([found('OVERSTATED', at(1)), verdict(at(2))], { policy: { sample: 1 } });
    expect(of(run, 'reviewed.v1').map(({ decision, code }) => [decision, code])).toEqual([
      ['REPAIR', null],
      ['HOLD', 'PL_SAMPLED'],
    ]);
  });
});

describe('a draft_id', () => {
  test('given a draft that came too late, another text under its name conflicts', () => {
    const late = rejected({ draftId: 'late', attempt: 1 });
    const other = verdict({ draftId: 'late', attempt: 3, eventId: 'another text' });
    const run = reviewRun([rejected(at(2)), late, other]);
    expect(of(run, 'reviewed.v1').map(({ decision, code }) => [decision, code])).toEqual([
      ['REPAIR', null],
      ['STALE', null],
      ['STALE', 'PL_REPEAT_CONFLICT'],
    ]);
  });
});
