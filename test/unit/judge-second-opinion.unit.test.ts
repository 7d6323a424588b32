import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reviewDefaults, reviewStation } from '../../consumers/review.js';
import { createCodec } from '../../src/contracts/codec.js';
import type { GuardVerdict, ReviewStatus } from '../../src/contracts/generated.js';
import type { Judge } from '../../src/judge/judge.js';
import { memoryJudge } from '../../src/judge/memory.js';
import { judgePolicyDefaults, type JudgePolicy } from '../../src/judge/policy.js';
import { appraise, type Reviewer } from '../../src/review/appraise.js';
import { decideReview, defaultReviewPolicy } from '../../src/review/decide-review.js';
import { noProgress, withJudged, type RunProgress } from '../../src/review/run-progress.js';
import { recorded, secondOpinions } from '../../src/review/second-opinion.js';
import { analysis, draftOf, lookup, statement } from '../support/review-rules.js';
import { rejected, verdict } from '../support/review-verdicts.js';
import { opinionOnAll } from '../support/scripted-judge.js';

const draft = draftOf([analysis('The upstream closes after 30 s.')], {
  conclusion: statement('The upstream is the cause.'),
});
const passed = (other: Partial<GuardVerdict> = {}): GuardVerdict =>
  verdict({ draft, lookups: [lookup(['The upstream closes after 30 s.'])], ...other });

const saying =
  (status: ReviewStatus): Reviewer =>
  () => ({ status, findings: [] });
const policy: JudgePolicy = { ...judgePolicyDefaults, mode: 'second-opinion' };

interface Scene {
  readonly progress?: RunProgress;
  readonly rules?: Reviewer;
  /** What the model says; it agrees without. */
  readonly opinion?: unknown;
  readonly by?: JudgePolicy;
}

function ask(verdicts: readonly GuardVerdict[], scene: Scene = {}) {
  const { progress = noProgress, rules = saying('SUPPORTED'), opinion, by = policy } = scene;
  const judge = memoryJudge((_, statements) => opinion ?? opinionOnAll(statements.length, 'yes'));
  const candidates = verdicts.map((each) => ({ verdict: each, progress }));
  const asking = { signal: new AbortController().signal, now: () => 0 };
  return secondOpinions(candidates, rules, judge, by, asking);
}

const isAsked = async (...args: Parameters<typeof ask>): Promise<boolean> => (await ask(...args))[0] !== null;

describe('whether the judge is asked', () => {
  test.each<readonly [ReviewStatus, boolean]>([
    ['SUPPORTED', true],
    ['ABSTAINED', true],
    ['NOT_EVALUATED', true],
    ['OVERSTATED', false],
    ['UNSUPPORTED', false],
  ])('of a draft that rules find %s: %s', async (status, asked) => {
    expect(await isAsked([passed()], { rules: saying(status) })).toBe(asked);
  });

  test('not of one that the guard rejected, nor of one that was cut down', async () => {
    expect(await isAsked([rejected()])).toBe(false);
    expect(await isAsked([passed({ ext: { code: 'PL_VERDICT_TOO_LARGE' } })])).toBe(false);
  });

  test.each<readonly [string, RunProgress]>([
    ['whose verdict was reviewed, and is held', withJudged(noProgress, passed())],
    ['of a run that is verified', { ...noProgress, outcome: 'VERIFIED' }],
    ['that a newer attempt has passed over', { ...noProgress, lastAttempt: 2 }],
  ])('not of a draft %s', async (_, progress) => {
    expect(await isAsked([passed()], { progress })).toBe(false);
  });

  test('of a run that fell back: a better draft may replace the fallback', async () => {
    expect(await isAsked([passed()], { progress: { ...noProgress, outcome: 'FALLBACK' } })).toBe(true);
  });

  test('of the share that the policy says, the same ones every time', async () => {
    const verdicts = Array.from({ length: 400 }, (_, i) => passed({ eventId: `e${i}` }));
    const chosen = async (sample: number): Promise<boolean[]> =>
      (await ask(verdicts, { by: { ...policy, sample } })).map((each) => each !== null);
    const quarter = await chosen(0.25);
    expect(quarter.filter(Boolean).length).toBeGreaterThan(60);
    expect(quarter.filter(Boolean).length).toBeLessThan(140);
    expect(await chosen(0.25)).toEqual(quarter);
    expect((await chosen(0)).some(Boolean)).toBe(false);
  });
});

describe('a batch of drafts', () => {
  const sizeWith = (mode: JudgePolicy['mode'], judge: Judge | null): number =>
    reviewStation({ codec: createCodec(), judge }, { ...reviewDefaults, judge: { ...policy, mode } })
      .maxRecords;

  test('is small where its last one waits for a judge, and large where none does', () => {
    const judge = memoryJudge(() => null);
    expect(sizeWith('second-opinion', judge)).toBe(4);
    expect([sizeWith('off', judge), sizeWith('second-opinion', null)]).toEqual([500, 500]);
  });
});

describe('what is recorded', () => {
  test('given the same verdict twice in a batch, the first answer is recorded, and nothing of the second', async () => {
    const [first, second] = await ask([passed(), passed()]);
    const step = decideReview(passed(), noProgress, () => first!.review, defaultReviewPolicy);
    const again = decideReview(passed(), step.progress!, () => second!.review, defaultReviewPolicy);
    const notes = [recorded(step, passed(), first!.asked), recorded(again, passed(), second!.asked)].map(
      ({ outcome }) =>
        outcome.kind === 'emit' ? outcome.records.filter(({ topic }) => topic === 'tool-invocation.v1') : [],
    );
    expect(notes.map((each) => each.length)).toEqual([1, 0]);
  });
});

describe('the power of a judge', () => {
  const status = fc.constantFrom<ReviewStatus>(
    'SUPPORTED',
    'OVERSTATED',
    'UNSUPPORTED',
    'ABSTAINED',
    'NOT_EVALUATED',
  );
  const claim = fc.record({
    id: fc.integer({ min: 1, max: 2 }),
    supported: fc.constantFrom('yes', 'no', 'unclear'),
  });
  const opinion = fc.oneof(
    fc.record({
      claims: fc.array(claim),
      faithfulness_score: fc.double({ min: 0, max: 1, noNaN: true }),
      abstained: fc.boolean(),
    }),
    fc.constant('prose'),
  );
  const anyPolicy = fc.record({
    onUnsupported: fc.constantFrom('hold', 'warn'),
    onSilence: fc.constantFrom('hold', 'rules'),
  });

  test('given any opinion and policy, it holds what rules would publish, or changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(status, opinion, anyPolicy, async (found, said, some) => {
        const rules = saying(found);
        const alone = appraise(passed(), rules, () => false);
        const [judged] = await ask([passed()], { rules, opinion: said, by: { ...policy, ...some } });
        const both = appraise(
          passed(),
          judged === null || judged === undefined ? rules : () => judged.review,
          () => false,
        );
        if (both.by === 'JUDGE') expect([alone.worth, both.worth]).toEqual(['PUBLISH', 'HOLD']);
        else expect([both.worth, both.code]).toEqual([alone.worth, alone.code]);
        expect(both.status).toBe(alone.status);
        expect(both.findings.every(({ decidedBy }) => decidedBy === 'JUDGE')).toBe(true);
      }),
    );
  });
});
