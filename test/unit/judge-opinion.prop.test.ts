import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeLimits } from '../../src/judge/limits.js';
import { readOpinion } from '../../src/judge/read-opinion.js';
import { readScore } from '../../src/judge/scores.js';
import { examine } from '../../src/judge/question.js';
import { sound } from '../conformance/judge.js';
import { judgeQuestion } from '../support/scripted-judge.js';

const examined = examine(judgeQuestion, judgeLimits);
if (examined.kind !== 'open') throw new Error('the question is open');
const { statements } = examined;

const read = (text: string) => sound(judgeQuestion, readOpinion(text, statements, judgeLimits));

const score = fc.oneof(fc.double(), fc.constantFrom(-1, 0, 1, 2, null, 'high', '0.5'), fc.anything());
const claim = fc.oneof(
  fc.record({
    id: fc.oneof(fc.integer({ min: -1, max: 4 }), fc.anything()),
    supported: fc.oneof(fc.constantFrom('yes', 'no', 'unclear', 'YES', true), fc.anything()),
    why: fc.oneof(fc.string({ unit: 'binary' }), fc.anything()),
  }),
  fc.anything(),
);
const opinion = fc.record(
  {
    claims: fc.oneof(fc.array(claim), fc.anything()),
    faithfulness_score: score,
    context_relevance_score: score,
    answer_relevance_score: score,
    abstained: fc.oneof(fc.boolean(), fc.anything()),
    reason: fc.oneof(fc.string(), fc.anything()),
  },
  { requiredKeys: [] },
);

function jsonOf(value: unknown): string {
  try {
    const text: unknown = JSON.stringify(value);
    return typeof text === 'string' ? text : 'undefined';
  } catch {
    return 'no JSON';
  }
}

describe('what a model answers', () => {
  test('given any text at all, a sound judgement is read of it', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void read(text)));
  });

  test('given any JSON in the form that was asked for, well or badly filled, a sound judgement is read of it', () => {
    fc.assert(
      fc.property(opinion, (value) => {
        const judgement = read(jsonOf(value));
        // It is asked about each statement, and answers for each: it can neither add one nor leave one out.
        if (judgement.outcome !== 'FAILED') expect(judgement.claims).toHaveLength(statements.length);
      }),
      { numRuns: 500 },
    );
  });

  test('no faithfulness is above the share of the claims that it calls supported', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('yes', 'no', 'unclear'), { minLength: 1, maxLength: 2 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (supports, faithfulness_score) => {
          const claims = supports.map((supported, i) => ({ id: i + 1, supported }));
          const { faithfulnessScore } = read(JSON.stringify({ claims, faithfulness_score }));
          const share = supports.filter((each) => each === 'yes').length / statements.length;
          expect(faithfulnessScore).toBeCloseTo(Math.min(share, faithfulness_score), 12);
        },
      ),
    );
  });

  test('a score is a number from 0 to 1 or null, and whatever was changed is noted', () => {
    fc.assert(
      fc.property(score, (value) => {
        const { value: believed, note } = readScore('score', value);
        if (believed === null) expect(value === null || value === undefined || note !== null).toBe(true);
        else
          expect(
            believed >= 0 && believed <= 1 && (note !== null || Object.is(believed, value) || value === 0),
          ).toBe(true);
      }),
    );
  });

  test('a text that is cut off anywhere is no judgement', () => {
    const text = jsonOf({ claims: [{ id: 1, supported: 'yes', why: 'a "b" \\ {' }], faithfulness_score: 1 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: text.length - 1 }), (end) => {
        expect(read(text.slice(0, end)).outcome).toBe('FAILED');
      }),
    );
  });

  test.each([
    ['quotes', '"'.repeat(200_000)],
    ['escapes', `"${'\\"'.repeat(100_000)}`],
    ['backslashes', `"${'\\'.repeat(200_001)}`],
    ['brackets', '['.repeat(200_000)],
    ['fences', '```\n'.repeat(50_000)],
    ['NaN', 'NaN'.repeat(60_000)],
    ['minus signs', '-'.repeat(200_000)],
  ])('a large text of %s is read in a moment, and is none', (_, text) => {
    expect(read(text).failure?.code).toBe('PL_JUDGE_ANSWER');
  });
});
