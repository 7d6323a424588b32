import { describe, expect, test } from 'vitest';
import { draftQuestion } from '../../src/judge/draft-question.js';
import type { JudgedClaim, Judgement, Support } from '../../src/judge/judge.js';
import { failed, settled } from '../../src/judge/judgements.js';
import { judgeLimits } from '../../src/judge/limits.js';
import { judgePolicyDefaults, opinionOn, type JudgePolicy } from '../../src/judge/policy.js';
import { examine } from '../../src/judge/question.js';
import { analysis, draftOf, item, lookup, statement } from '../support/review-rules.js';

const draft = draftOf([analysis('The upstream closes after 30 s. It logs `x`.')], {
  conclusion: statement('The upstream is the cause.'),
  actionPlan: [statement('Raise the timeout.')],
});
const lookups = [lookup(['The upstream closes idle connections after 30 s.', 'Raise the timeout to 60 s.'])];
const asked = draftQuestion(draft, lookups);

/** What the judge says of the draft's claims, in their order. */
function judged(supports: readonly Support[], other: Partial<Judgement> = {}): Judgement {
  const examined = examine(asked.question, judgeLimits);
  if (examined.kind !== 'open') throw new Error('the draft states something');
  const claims = examined.statements.map((each, i): JudgedClaim => {
    return { ...each, supported: supports[i] ?? 'yes', why: supports[i] === 'no' ? 'E2 says 60 s.' : '' };
  });
  return {
    ...settled('NO_CLAIMS'),
    outcome: 'JUDGED',
    faithfulnessScore: 1,
    contextRelevanceScore: 1,
    answerRelevanceScore: 1,
    claims,
    answersClaims: true,
    source: 'ASKED',
    ...other,
  };
}

function opinion(judgement: Judgement, policy: Partial<JudgePolicy> = {}, about = draft) {
  return opinionOn(judgement, about, asked, { ...judgePolicyDefaults, ...policy });
}

describe('a draft as a question', () => {
  test('has its texts as the answer, what its lookups showed as hits, and what they asked as the question', () => {
    expect(asked.question).toEqual({
      query: 'q',
      answer:
        "The upstream closes after 30 s. It logs 'x'.\n\nThe upstream is the cause.\n\nRaise the timeout.",
      context: '',
      hits: [
        { evidenceKey: 'gw#chunk-0', content: 'The upstream closes idle connections after 30 s.' },
        { evidenceKey: 'gw#chunk-1', content: 'Raise the timeout to 60 s.' },
      ],
    });
  });

  test('every claim lies in one of its texts', () => {
    const { claims } = judged([]);
    for (const { start, end } of claims)
      expect(asked.parts.some((part) => start >= part.start && end <= part.end)).toBe(true);
    expect(claims).toHaveLength(4);
  });

  test('leaves out what rests on nothing shown: observations that nothing was found, and what follows from them', () => {
    const nothing = lookup([], { toolCallId: 'c2' });
    const negative = analysis('Nothing is known of the disk.', {
      id: 'a2',
      kind: 'NEGATIVE_OBSERVATION',
      toolCallIds: ['c2'],
      documentIds: [],
    });
    const about = draftOf([negative], { conclusion: statement('Nothing is known.', ['a2']) });
    expect(draftQuestion(about, [nothing])).toMatchObject({ question: { answer: '', hits: [] }, parts: [] });
  });

  test('shows an item once that two lookups showed', () => {
    const twice = [lookup(['Same.']), lookup(['Same.'], { toolCallId: 'c2' })];
    const about = draftOf([analysis('It is the same.', { toolCallIds: ['c1', 'c2'] })]);
    expect(draftQuestion(about, twice).question.hits).toHaveLength(1);
    const other = [lookup(['Same.']), lookup([], { toolCallId: 'c2', items: [item('Other.')] })];
    expect(draftQuestion(about, other).question.hits).toHaveLength(2);
  });

  test('given a fence that one text opens and another closes, the texts between are asked about all the same', () => {
    const about = draftOf([
      analysis('``` The disk is full.'),
      analysis('It is the cause. ```', { id: 'a2' }),
    ]);
    const examined = examine(draftQuestion(about, lookups).question, judgeLimits);
    expect(examined.kind === 'open' && examined.statements).toHaveLength(2);
  });
});

describe('what follows from a judgement', () => {
  test('given a judge that agrees: nothing', () => {
    expect(opinion(judged([]))).toEqual({ concern: 'NONE', code: null, findings: [] });
  });

  test('given a claim that is not supported: it is held, and the finding has both places', () => {
    const held = opinion(judged(['yes', 'yes', 'no']));
    expect(held).toMatchObject({ concern: 'HOLD', code: 'PL_JUDGE_DOUBTS' });
    expect(held.findings).toEqual([
      {
        path: '/conclusion/text',
        status: 'UNSUPPORTED',
        reason: 'JUDGE_NOT_SUPPORTED: E2 says 60 s.',
        draftSpan: { start: 0, end: 'The upstream is the cause.'.length },
        evidenceSpans: [{ toolCallId: 'c1', documentId: 'gw#chunk-1', start: 0, end: 26 }],
        decidedBy: 'JUDGE',
      },
    ]);
  });

  test('given the place of a claim behind another one, it is that in its text', () => {
    const [found] = opinion(judged(['yes', 'no'])).findings;
    expect(found).toMatchObject({ path: '/analysis/0/text', draftSpan: { start: 32, end: 44 } });
  });

  test('given a claim that is not clear: a warning', () => {
    const warned = opinion(judged(['unclear']));
    expect(warned).toMatchObject({ concern: 'WARN', code: null });
    expect(warned.findings).toMatchObject([
      { status: 'NOT_EVALUATED', reason: expect.stringMatching(/^JUDGE_UNCLEAR: /) as string },
    ]);
  });

  test('given a policy that only warns: an unsupported claim does not hold it', () => {
    expect(opinion(judged(['no']), { onUnsupported: 'warn' })).toMatchObject({ concern: 'WARN', code: null });
  });

  test.each([
    [0.49, 'HOLD', ['UNSUPPORTED']],
    [0.5, 'WARN', ['OVERSTATED']],
    [0.79, 'WARN', ['OVERSTATED']],
    [0.8, 'NONE', []],
    [null, 'NONE', []],
  ] as const)('given faithfulness %f: %s', (faithfulnessScore, concern, statuses) => {
    const found = opinion(judged([], { faithfulnessScore, reason: 'So it seems.' }));
    expect(found.concern).toBe(concern);
    expect(found.findings.map(({ status }) => status)).toEqual(statuses);
  });

  test('given a low relevance: a warning, and never held for it', () => {
    const scores = { contextRelevanceScore: 0, answerRelevanceScore: 0 };
    const warned = opinion(judged([], scores));
    expect(warned.concern).toBe('WARN');
    expect(warned.findings.map(({ reason }) => reason)).toEqual([
      'JUDGE_CONTEXT_RELEVANCE: 0',
      'JUDGE_ANSWER_RELEVANCE: 0',
    ]);
  });
});

describe('a judge that says nothing', () => {
  const silent: readonly (readonly [string, Judgement, string])[] = [
    ['failed', failed('PL_JUDGE_DOWN', { problem: 'it answers 500' }), 'JUDGE_FAILED'],
    ['scores without a claim', judged([], { answersClaims: false }), 'JUDGE_NO_CLAIMS'],
    ['sees no claim', settled('NO_CLAIMS'), 'JUDGE_NO_CLAIMS'],
    ['takes it for an abstention', settled('ABSTAINED'), 'JUDGE_ABSTAINED'],
  ];

  test.each(silent)(
    'that %s: rules decide, and the finding says that it is not evaluated',
    (_, judgement, code) => {
      const found = opinion(judgement);
      expect(found).toMatchObject({ concern: 'WARN', code: null });
      expect(found.findings).toMatchObject([
        {
          path: '',
          status: 'NOT_EVALUATED',
          reason: expect.stringContaining(code) as string,
          decidedBy: 'JUDGE',
        },
      ]);
    },
  );

  test.each(silent)('that %s: it is held where the policy says so', (_, judgement) => {
    expect(opinion(judgement, { onSilence: 'hold' })).toMatchObject({
      concern: 'HOLD',
      code: 'PL_JUDGE_SILENT',
    });
  });

  test.each(['NO_CLAIMS', 'ABSTAINED'] as const)(
    'given a draft that concludes nothing, %s is what is to be expected',
    (outcome) => {
      const about = { ...draft, conclusion: null };
      expect(opinion(settled(outcome), { onSilence: 'hold' }, about).concern).toBe('NONE');
    },
  );

  test('given a draft that concludes nothing, a judge that failed is still one', () => {
    const about = { ...draft, conclusion: null };
    expect(opinion(failed('PL_JUDGE_BUDGET', {}), { onSilence: 'hold' }, about).concern).toBe('HOLD');
  });
});
