import { describe, expect, test } from 'vitest';
import { reviewDecision } from '../../producers/decisions.js';
import { sha256 } from '../../src/contracts/digest.js';
import { ProoflineError } from '../../src/contracts/errors.js';
import { admitDecision } from '../../src/review/admit-decision.js';
import { decisionsOf, of, reviewRun } from '../support/review-run.js';
import { abandoned, broken, decision, found, rejected, verdict } from '../support/review-verdicts.js';

const held = found('NOT_EVALUATED');
const approve = decision(held);
const reject = decision(held, { decision: 'REJECT', by: 'an operator', reason: 'Nobody measured that.' });
const person = { by: 'alice', reason: 'It is what the runbook says.' };

describe('approving a held draft', () => {
  test('publishes it, and names who decided', () => {
    const run = reviewRun([held, approve]);
    expect(decisionsOf(run)).toEqual(['HOLD', 'PUBLISH']);
    expect(of(run, 'reviewed.v1')[1]).toMatchObject({
      decidedBy: 'PERSON',
      person,
      status: 'NOT_EVALUATED',
      verdictEventId: held.eventId,
      causedBy: approve.eventId,
    });
    const [verified] = of(run, 'verified.v1');
    expect(verified).toMatchObject({
      outcome: 'VERIFIED',
      draft: held.draft,
      decidedBy: 'PERSON',
      person,
      verdictEventId: held.eventId,
      causedBy: approve.eventId,
      replaces: null,
    });
    expect(run.progress).toMatchObject({
      outcome: 'VERIFIED',
      outcomeEventId: verified!.eventId,
      held: null,
      attempts: 1,
    });
  });

  test('given a fallback that went out meanwhile, it replaces it', () => {
    const run = reviewRun([held, abandoned({ draftId: 'given-up', attempt: 2 }), approve]);
    const [fallback, verified] = of(run, 'verified.v1');
    expect([fallback!.outcome, verified!.outcome]).toEqual(['FALLBACK', 'VERIFIED']);
    expect(verified!.replaces).toBe(fallback!.eventId);
  });

  test.each([
    ['whose evidence the ledger cannot prove', broken()],
    ['whose verdict was too large to keep', verdict({ draft: null, ext: { code: 'PL_VERDICT_TOO_LARGE' } })],
  ])('given one %s: it stays held, and may still be rejected', (_, given) => {
    const run = reviewRun([given, decision(given), decision(given, { decision: 'REJECT' })]);
    expect(decisionsOf(run)).toEqual(['HOLD', 'REPAIR']);
    expect(run.counts[1]).toBe(0);
    const notes = of(run, 'tool-invocation.v1').filter(({ kind }) => kind === 'DECISION');
    expect(notes.map(({ outcome }) => outcome)).toEqual(['REFUSED', 'REPAIR']);
    expect(new Set(notes.map(({ eventId }) => eventId)).size).toBe(2);
  });
});

describe('rejecting a held draft', () => {
  test('asks for a better one, tells the reason, and costs no second attempt', () => {
    const run = reviewRun([held, reject]);
    expect(decisionsOf(run)).toEqual(['HOLD', 'REPAIR']);
    const [repair] = of(run, 'repair-requested.v1');
    expect(repair).toMatchObject({
      attemptsLeft: 2,
      causedBy: reject.eventId,
      findings: [{ source: 'PERSON', code: 'PERSON_REJECTED', message: 'Nobody measured that.' }],
    });
    expect(repair!.promptEn).toContain('"Nobody measured that."');
    expect(repair!.promptZh).toContain('"Nobody measured that."');
    expect(run.progress).toMatchObject({ attempts: 1, held: null, outcome: null });
  });

  test('given one that the ledger is to blame for, no attempt is spent', () => {
    const given = broken();
    const run = reviewRun([given, decision(given, { decision: 'REJECT' })]);
    expect(of(run, 'repair-requested.v1')[0]).toMatchObject({ attemptsLeft: 3 });
    expect(run.progress.attempts).toBe(0);
  });

  test('given the last attempt, the run falls back, and says who decided', () => {
    const last = found('NOT_EVALUATED', { draftId: 'draft-3', attempt: 3 });
    const run = reviewRun([
      rejected(),
      rejected({ draftId: 'draft-2', attempt: 2 }),
      last,
      decision(last, { decision: 'REJECT' }),
    ]);
    expect(decisionsOf(run)).toEqual(['REPAIR', 'REPAIR', 'HOLD', 'FALLBACK']);
    expect(of(run, 'verified.v1')).toMatchObject([
      { outcome: 'FALLBACK', fallback: { reason: 'ATTEMPTS' }, decidedBy: 'PERSON', person },
    ]);
  });

  test('given a deadline that has passed by then, the fallback says DEADLINE', () => {
    const deadline = reject.occurredAt;
    const limits = { deadline, maxLookups: null, maxTokens: null, maxAttempts: null };
    const run = reviewRun([found('NOT_EVALUATED', { limits }), reject]);
    expect(of(run, 'verified.v1')[0]!.fallback).toMatchObject({ reason: 'DEADLINE' });
  });

  test('given a fallback that went out meanwhile, it stays the only one', () => {
    const run = reviewRun([held, abandoned({ draftId: 'given-up', attempt: 2 }), reject]);
    expect(decisionsOf(run)).toEqual(['HOLD', 'FALLBACK', 'STALE']);
    expect(of(run, 'verified.v1')).toHaveLength(1);
  });
});

describe('decisions that change nothing', () => {
  test('the first one counts', () => {
    const run = reviewRun([held, reject, approve]);
    expect(decisionsOf(run)).toEqual(['HOLD', 'REPAIR']);
    expect(run.counts).toEqual([2, 3, 0]);
    expect(of(run, 'tool-invocation.v1').at(-1)).toMatchObject({ kind: 'DECISION', outcome: 'REPEAT' });
  });

  test('given another verdict than the held one, or a draft that is not known: nothing, and the next counts', () => {
    const run = reviewRun([
      held,
      decision({ draftId: 'draft-1', eventId: 'another' }),
      decision({ draftId: 'draft-9', eventId: held.eventId }),
      approve,
    ]);
    expect(run.counts).toEqual([2, 0, 0, 3]);
    expect(decisionsOf(run)).toEqual(['HOLD', 'PUBLISH']);
  });

  test('given one before its verdict, nobody had looked at the draft: it is held', () => {
    expect(decisionsOf(reviewRun([approve, held]))).toEqual(['HOLD']);
  });

  test('given a draft that is not held any more, who decided is told so, once', () => {
    const newer = rejected({ draftId: 'draft-2', attempt: 2 });
    const run = reviewRun([held, newer, approve, reject]);
    expect(decisionsOf(run)).toEqual(['HOLD', 'REPAIR', 'STALE']);
    expect(of(run, 'reviewed.v1')[2]).toMatchObject({
      attempt: 1,
      decidedBy: 'PERSON',
      causedBy: approve.eventId,
    });
    expect(of(run, 'verified.v1')).toEqual([]);
  });

  test('given one about a draft that is published, it stays as it is', () => {
    const given = verdict();
    const run = reviewRun([given, decision(given, { decision: 'REJECT' })]);
    expect(decisionsOf(run)).toEqual(['PUBLISH', 'STALE']);
    expect(of(run, 'verified.v1')).toHaveLength(1);
  });
});

describe('the message of a decision', () => {
  const given = { runId: 'run-1', draftId: 'draft-1', verdictEventId: held.eventId, ...person };

  test('is admitted as it is made', () => {
    const made = reviewDecision({ ...given, decision: 'APPROVE' }, 5);
    expect(made).toMatchObject({ causedBy: null, occurredAt: 5, by: 'alice', eventId: approve.eventId });
    expect(admitDecision(made, sha256)).toBeNull();
  });

  test('given another event id, PL_EVENT_ID; given nobody, PL_INVARIANT', () => {
    expect(admitDecision({ ...approve, eventId: 'f'.repeat(32) }, sha256)).toMatchObject({
      code: 'PL_EVENT_ID',
    });
    expect(admitDecision({ ...approve, by: ' \u200b' }, sha256)).toMatchObject({ code: 'PL_INVARIANT' });
  });

  test.each([{ by: ' ' }, { reason: '' }, { runId: '../x' }, { draftId: 'given-up' }])(
    'given %j it is not made',
    (other) => {
      expect(() => reviewDecision({ ...given, decision: 'REJECT', ...other }, 5)).toThrow(ProoflineError);
    },
  );

  test('given a name and a reason of a megabyte, what is published has a part of them', () => {
    const long = decision(held, { by: 'x'.repeat(1e6), reason: 'y'.repeat(1e6) });
    const { person: named } = of(reviewRun([held, long]), 'verified.v1')[0]!;
    expect([named!.by.length, named!.reason.length]).toEqual([200, 2000]);
  });
});
