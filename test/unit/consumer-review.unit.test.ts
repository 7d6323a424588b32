import { describe, expect, test } from 'vitest';
import type { GuardVerdict, ReviewStatus } from '../../src/contracts/generated.js';
import { decideReview, defaultReviewPolicy } from '../../src/review/decide-review.js';
import { noProgress, type RunProgress } from '../../src/review/run-progress.js';
import type { Emission, Outcome } from '../../src/station/station.js';
import { draftOf } from '../support/review-rules.js';
import { abandoned, rejected, verdict, violation } from '../support/review-verdicts.js';

interface Reviewed {
  readonly decisions: string[];
  readonly codes: (string | null)[];
  readonly verified: { outcome: string; draftId: string | null; replaces: string | null }[];
  readonly progress: RunProgress;
  readonly outcomes: Outcome[];
}

/** Reviews one verdict after the other, each with the progress that the ones before left. */
function review(verdicts: readonly GuardVerdict[], status: ReviewStatus = 'SUPPORTED'): Reviewed {
  let progress = noProgress;
  const outcomes = verdicts.map((each) => {
    const decided = decideReview(each, progress, () => ({ status, findings: [] }), defaultReviewPolicy);
    progress = decided.progress ?? progress;
    return decided.outcome;
  });
  const emissions = outcomes.flatMap((outcome) => (outcome.kind === 'emit' ? outcome.records : []));
  const of = <T extends Emission['topic']>(topic: T) =>
    emissions.flatMap((each) => (each.topic === topic ? [each as Extract<Emission, { topic: T }>] : []));
  return {
    decisions: of('reviewed.v1').map(({ body }) => body.decision),
    codes: outcomes.map((outcome) => (outcome.kind === 'emit' ? (outcome.invocation?.code ?? null) : null)),
    verified: of('verified.v1').map(({ body: { outcome, draftId, replaces } }) => ({
      outcome,
      draftId,
      replaces,
    })),
    progress,
    outcomes,
  };
}

describe('what becomes of a verdict', () => {
  test.each<[ReviewStatus, string]>([
    ['SUPPORTED', 'PUBLISH'],
    ['ABSTAINED', 'PUBLISH'],
    ['NOT_EVALUATED', 'HOLD'],
  ])('given a draft that passed and is %s: %s', (status, decision) => {
    const { decisions, verified, progress } = review([verdict()], status);
    expect(decisions).toEqual([decision]);
    expect(verified).toHaveLength(decision === 'PUBLISH' ? 1 : 0);
    expect(progress.held === null).toBe(decision === 'PUBLISH');
  });

  test.each<ReviewStatus>(['OVERSTATED', 'UNSUPPORTED'])(
    'given one that is %s: REPAIR, and it costs an attempt',
    (status) => {
      const { decisions, verified, progress } = review([verdict()], status);
      expect(decisions).toEqual(['REPAIR']);
      expect(verified).toEqual([]);
      expect(progress.attempts).toBe(1);
    },
  );

  test('given a rejected one: REPAIR, and it costs an attempt', () => {
    const { decisions, progress } = review([rejected()]);
    expect(decisions).toEqual(['REPAIR']);
    expect(progress).toMatchObject({ attempts: 1, lastAttempt: 1, outcome: null, held: null });
  });

  test('given one that was rejected for the ledger’s faults alone: HOLD, and it costs none', () => {
    const broken = [violation('LEDGER_INTEGRITY_BROKEN'), violation('LEDGER_PROJECTION_INVALID')];
    const { decisions, progress } = review([rejected({ violations: broken, violationCount: 2 })]);
    expect(decisions).toEqual(['HOLD']);
    expect(progress).toMatchObject({ attempts: 0, held: { verdict: { draftId: 'draft-1' } } });
  });

  test.each([
    [
      'a fault of its own beside them',
      [violation('LEDGER_INTEGRITY_BROKEN'), violation('LIMITATIONS_MISSING')],
      2,
    ],
    ['more than its record holds', [violation('LEDGER_INTEGRITY_BROKEN')], 2],
  ])('given such a one with %s: REPAIR', (_, violations, violationCount) => {
    expect(review([rejected({ violations, violationCount })]).decisions).toEqual(['REPAIR']);
  });

  test('given one whose verdict was too large to pass on: HOLD, whatever its status', () => {
    const short = { draft: null, ext: { code: 'PL_VERDICT_TOO_LARGE' } };
    for (const made of [verdict(short), rejected(short)]) {
      const { decisions, codes } = review([made]);
      expect([decisions, codes]).toEqual([['HOLD'], ['PL_VERDICT_TOO_LARGE']]);
    }
  });

  test('given quotes that nobody checked: HOLD; checked ones hold nothing up', () => {
    const quote = { documentId: 'd', text: 'words', prefix: null, suffix: null };
    const analysis = { id: 'a1', kind: 'NORMAL' as const, text: 't', toolCallIds: [], documentIds: [] };
    const { decisions, codes } = review([verdict({ draft: draftOf([{ ...analysis, quotes: [quote] }]) })]);
    expect([decisions, codes]).toEqual([['HOLD'], ['PL_QUOTES_UNCHECKED']]);
    const checked = verdict({
      draft: draftOf([{ ...analysis, quotes: [quote] }]),
      ruleSets: ['core-20', 'quotes-1'],
    });
    expect(review([checked]).decisions).toEqual(['PUBLISH']);
  });

  test('given a run that was given up: FALLBACK, with the fixed texts and an empty draft', () => {
    const { decisions, verified, outcomes } = review([abandoned()]);
    expect(decisions).toEqual(['FALLBACK']);
    expect(verified).toEqual([{ outcome: 'FALLBACK', draftId: 'draft-1', replaces: null }]);
    expect(outcomes[0]).toMatchObject({
      records: [
        { topic: 'reviewed.v1' },
        {
          topic: 'verified.v1',
          body: {
            draft: { analysis: [], conclusion: null, actionPlan: [] },
            fallback: {
              zh: expect.stringContaining('人工') as string,
              en: expect.stringContaining('by hand') as string,
            },
          },
        },
        { topic: 'run-outcome.v1' },
      ],
    });
  });
});

describe('one run, one outcome', () => {
  const second = { draftId: 'draft-2', attempt: 2 };

  test('given a draft that passes after a FALLBACK, it is published in its place', () => {
    const { decisions, verified, progress } = review([abandoned(), verdict(second)]);
    expect(decisions).toEqual(['FALLBACK', 'PUBLISH']);
    expect(verified).toEqual([
      { outcome: 'FALLBACK', draftId: 'draft-1', replaces: null },
      { outcome: 'VERIFIED', draftId: 'draft-2', replaces: review([abandoned()]).progress.outcomeEventId },
    ]);
    expect(progress.outcome).toBe('VERIFIED');
  });

  test.each([
    ['passed', verdict(second)],
    ['was rejected', rejected(second)],
    ['was given up', abandoned(second)],
  ])('given one that %s after a VERIFIED: STALE, and nothing changes but that it was judged', (_, late) => {
    const { decisions, verified, progress } = review([verdict(), late]);
    expect(decisions).toEqual(['PUBLISH', 'STALE']);
    expect(verified).toHaveLength(1);
    const { judged, ...before } = review([verdict()]).progress;
    expect(progress).toEqual({ ...before, judged: [...judged, expect.objectContaining(second)] });
  });

  test('given a run that is given up twice: STALE the second time', () => {
    const { decisions, verified } = review([abandoned(), abandoned(second)]);
    expect(decisions).toEqual(['FALLBACK', 'STALE']);
    expect(verified).toHaveLength(1);
  });

  test('given an attempt that was already passed over: STALE', () => {
    const { decisions, verified } = review([rejected({ draftId: 'draft-2', attempt: 2 }), verdict()]);
    expect(decisions).toEqual(['REPAIR', 'STALE']);
    expect(verified).toEqual([]);
  });

  test('given another text under a draft_id that was judged: STALE with PL_REPEAT_CONFLICT', () => {
    const { decisions, codes } = review([rejected(), verdict({ eventId: 'another', attempt: 5 })]);
    expect([decisions, codes]).toEqual([
      ['REPAIR', 'STALE'],
      [null, 'PL_REPEAT_CONFLICT'],
    ]);
  });

  test('given the same verdict again, nothing follows but a note', () => {
    const { decisions, outcomes, progress } = review([rejected(), rejected()]);
    expect(decisions).toEqual(['REPAIR']);
    expect(outcomes[1]).toMatchObject({ records: [], invocation: { outcome: 'REPEAT' } });
    expect(progress.attempts).toBe(1);
  });

  test('the limits that came first count', () => {
    const limits = { deadline: 1, maxLookups: 2, maxTokens: 3, maxAttempts: 4 };
    const { progress } = review([
      rejected(),
      rejected({ ...second, limits }),
      rejected({ draftId: 'draft-3', attempt: 3 }),
    ]);
    expect(progress.limits).toEqual(limits);
  });
});
