import { describe, expect, test } from 'vitest';
import { tryJudge } from '../../src/cli/try/judge.js';
import { opinionOnAll } from '../support/scripted-judge.js';

const input = {
  query: 'Why?',
  answer: 'The upstream closes after 30 s.',
  hits: [{ evidence_key: 'gw#chunk-1', content: 'The upstream closes after 30 s.' }],
};

describe('proofline try judge', () => {
  test('given what a model answered, gives the judgement that is read of it', () => {
    expect(tryJudge({ ...input, raw_output: JSON.stringify(opinionOnAll(1, 'no')) })).toMatchObject({
      outcome: 'JUDGED',
      faithfulness_score: 0,
      claims: [{ claim: 'The upstream closes after 30 s.', supported: 'no' }],
      failure: null,
    });
  });

  test('given no answer, gives what a model would be asked', () => {
    expect(tryJudge(input)).toMatchObject({
      prompt: { id: 'proofline.judge.en' },
      messages: [{ role: 'system' }, { role: 'user' }],
    });
  });

  test('given an abstention, needs no model', () => {
    expect(tryJudge({ ...input, answer: 'I do not know.' })).toMatchObject({
      outcome: 'ABSTAINED',
      source: 'RULES',
      faithfulness_score: null,
    });
  });

  test('given an input that it cannot use, says where', () => {
    expect(() => tryJudge({ query: 'Why?' })).toThrow(/answer/);
  });
});
