import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draftQuestion } from '../../src/judge/draft-question.js';
import { judgeLimits } from '../../src/judge/limits.js';
import { examine } from '../../src/judge/question.js';
import { analysis, draftOf, lookup, statement } from '../support/review-rules.js';

/** Texts made of what the cutting of claims looks at. */
const text = fc
  .array(
    fc.constantFrom(
      ...[
        'The disk is full',
        '. ',
        '.',
        '。',
        '\n',
        '\n\n',
        '```',
        '`',
        '[S1]',
        '[',
        ' it waits',
        '?',
        ': ',
        '- ',
      ],
      ...['e.g. ', '磁盘已满', '\u2028', '…', '1. ', '"', '\ud800', '# '],
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('a draft as a question', () => {
  test('given any texts, every statement lies in one of them, and is asked about as it stands there', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), text, text, (texts, conclusion, action) => {
        const draft = draftOf(
          texts.map((each, i) => analysis(each.toWellFormed(), { id: `a${i}` })),
          {
            conclusion: statement(conclusion.toWellFormed(), ['a0']),
            actionPlan: [statement(action.toWellFormed(), ['a0'])],
          },
        );
        const { question, parts } = draftQuestion(draft, [lookup(['The disk is full.'])]);
        const written = [...draft.analysis, draft.conclusion, ...draft.actionPlan].map((each) => each?.text);
        expect(parts.map(({ start, end }) => end - start)).toEqual(written.map((each) => each?.length));
        const examined = examine(question, judgeLimits);
        for (const { claim, start, end } of examined.kind === 'open' ? examined.statements : []) {
          const at = parts.findIndex((part) => start >= part.start && end <= part.end);
          expect(at).toBeGreaterThanOrEqual(0);
          const from = start - parts[at]!.start;
          const said = written[at]!.slice(from, from + claim.length);
          expect(claim).toBe(said.replaceAll('`', "'"));
        }
      }),
      { numRuns: 1000 },
    );
  });
});
