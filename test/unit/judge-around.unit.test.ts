import { describe, expect, test } from 'vitest';
import { askAll } from '../../src/judge/ask.js';
import { createBudget } from '../../src/judge/budget.js';
import { cachedJudge } from '../../src/judge/cached.js';
import type { Judge, JudgeQuestion } from '../../src/judge/judge.js';
import { failed } from '../../src/judge/judgements.js';
import { limitedJudge } from '../../src/judge/limited.js';
import { memoryJudge } from '../../src/judge/memory.js';
import { judgeRecord, judgeRefOf, recordedJudgement } from '../../src/judge/record.js';
import { judgeQuestion, opinionOnAll } from '../support/scripted-judge.js';
import { createGate, waitUntil } from '../support/wait.js';

function agreeing(): Judge & { readonly asked: JudgeQuestion[] } {
  const asked: JudgeQuestion[] = [];
  const judge = memoryJudge((question, statements) => {
    asked.push(question);
    return opinionOnAll(statements.length, 'yes');
  });
  return { ...judge, asked };
}

const about = (answer: string): JudgeQuestion => ({ ...judgeQuestion, answer });

describe('a judge that remembers', () => {
  test('asks once, and marks the repeat', async () => {
    const inner = agreeing();
    const judge = cachedJudge(inner, 10);
    const [first, second] = [await judge.judge(judgeQuestion), await judge.judge(judgeQuestion)];
    expect(inner.asked).toHaveLength(1);
    expect([first.source, second.source]).toEqual(['ASKED', 'CACHE']);
    expect({ ...second, source: 'ASKED' }).toEqual(first);
  });

  test.each<readonly [string, Partial<JudgeQuestion>]>([
    ['question', { query: 'other' }],
    ['answer', { answer: 'It is another one.' }],
    ['context', { context: 'other' }],
    ['evidence', { hits: judgeQuestion.hits.slice(0, 1) }],
    ['order of the evidence', { hits: judgeQuestion.hits.toReversed() }],
  ])('asks again where the %s is another', async (_, other) => {
    const inner = agreeing();
    const judge = cachedJudge(inner, 10);
    await judge.judge(judgeQuestion);
    expect((await judge.judge({ ...judgeQuestion, ...other })).source).toBe('ASKED');
  });

  test('remembers so many, and forgets what was longest not asked', async () => {
    const inner = agreeing();
    const judge = cachedJudge(inner, 2);
    const sources: string[] = [];
    for (const answer of ['It is a.', 'It is b.', 'It is a.', 'It is c.', 'It is a.', 'It is b.'])
      sources.push((await judge.judge(about(answer))).source);
    expect(sources).toEqual(['ASKED', 'ASKED', 'CACHE', 'ASKED', 'CACHE', 'ASKED']);
  });

  test('never remembers a failure', async () => {
    let fails = true;
    const inner = memoryJudge((_, statements) => (fails ? 'prose' : opinionOnAll(statements.length, 'yes')));
    const judge = cachedJudge(inner, 10);
    expect((await judge.judge(judgeQuestion)).outcome).toBe('FAILED');
    fails = false;
    expect((await judge.judge(judgeQuestion)).outcome).toBe('JUDGED');
  });
});

/** A judge that answers when its gate is opened. */
function gated() {
  const gate = createGate();
  let running = 0;
  let most = 0;
  const inner = agreeing();
  const judge: Judge = {
    ...inner,
    async judge(question, options) {
      running += 1;
      most = Math.max(most, running);
      await gate.opened;
      running -= 1;
      return inner.judge(question, options);
    },
  };
  return { judge, gate, running: () => running, most: () => most };
}

describe('a judge that is asked so much at a time', () => {
  test('has no more at hand, and answers all', async () => {
    const { judge, gate, running, most } = gated();
    const limited = limitedJudge(judge, 2);
    const all = Array.from({ length: 7 }, (_, i) => limited.judge(about(`It is ${i}.`)));
    await waitUntil('two are asked', () => running() === 2);
    gate.open();
    expect((await Promise.all(all)).map(({ outcome }) => outcome)).toEqual(Array(7).fill('JUDGED'));
    expect(most()).toBe(2);
  });

  test('who gives up while waiting leaves the place to others', async () => {
    const { judge, gate } = gated();
    const limited = limitedJudge(judge, 1);
    const first = limited.judge(judgeQuestion);
    const caller = new AbortController();
    const second = limited.judge(judgeQuestion, { signal: caller.signal });
    const third = limited.judge(judgeQuestion);
    const reason = new Error('enough');
    caller.abort(reason);
    await expect(second).rejects.toBe(reason);
    gate.open();
    expect([(await first).outcome, (await third).outcome]).toEqual(['JUDGED', 'JUDGED']);
  });
});

describe('the budget of an hour', () => {
  const MINUTE = 60_000;

  test('gives so many calls in any hour, and more when the first are an hour ago', () => {
    let now = 0;
    const budget = createBudget({ callsPerHour: 3, tokensPerHour: 1_000_000 }, () => now);
    const take = (): boolean => budget.take(1) !== null;
    expect([take(), take()]).toEqual([true, true]);
    now = 30 * MINUTE;
    expect([take(), take()]).toEqual([true, false]);
    now = 59 * MINUTE;
    expect(take()).toBe(false);
    now = 62 * MINUTE;
    expect([take(), take(), take()]).toEqual([true, true, false]);
  });

  test('takes an estimate before the call, and what it took when that is known', () => {
    const budget = createBudget({ callsPerHour: 100, tokensPerHour: 100 }, () => 0);
    const first = budget.take(60);
    expect(budget.take(60)).toBeNull();
    first?.settle(30);
    const second = budget.take(60);
    expect(second).not.toBeNull();
    second?.settle(null);
    expect(budget.take(11)).toBeNull();
    expect(budget.take(10)).not.toBeNull();
  });

  test('a clock that is set back gives nothing twice', () => {
    let now = 10 * 60 * MINUTE;
    const budget = createBudget({ callsPerHour: 1, tokensPerHour: 100 }, () => now);
    budget.take(1);
    now = 0;
    expect(budget.take(1)).toBeNull();
  });
});

describe('asking about a batch', () => {
  const asking = (waitMs = 5_000) => {
    const lane = new AbortController();
    return { lane, options: { waitMs, signal: lane.signal, now: () => 7 } };
  };

  test('answers in the order of the questions, with what is recorded', async () => {
    const answers = await askAll(agreeing(), [about('It is a.'), about('It is b.')], asking().options);
    expect(answers.map(({ judgement }) => judgement.claims[0]?.claim)).toEqual(['It is a.', 'It is b.']);
    expect(answers[0]).toMatchObject({ model: 'memory', startedAt: 7, finishedAt: 7 });
    expect(new Set(answers.map(({ questionSha256 }) => questionSha256)).size).toBe(2);
  });

  test('waits for nobody longer than it may, whatever the judge does with its signal', async () => {
    const deaf: Judge = { ...agreeing(), judge: () => new Promise(() => undefined) };
    const [answer] = await askAll(deaf, [judgeQuestion], asking(20).options);
    expect(answer?.judgement.failure).toMatchObject({ code: 'PL_JUDGE_DOWN' });
    expect(answer?.judgement.failure?.message).toContain('0.02 s');
  });

  test('keeps what was answered in time', async () => {
    const quick = agreeing();
    const slow: Judge = {
      ...quick,
      judge: (question) =>
        question.answer === 'It is a.' ? quick.judge(question) : new Promise(() => undefined),
    };
    const answers = await askAll(slow, [about('It is a.'), about('It is b.')], asking(50).options);
    expect(answers.map(({ judgement }) => judgement.outcome)).toEqual(['JUDGED', 'FAILED']);
  });

  test.each<readonly [string, () => Promise<never>]>([
    [
      'throws',
      () => {
        throw new Error('at once');
      },
    ],
    ['rejects', () => Promise.reject(new Error('later'))],
  ])('given a judge that %s against its contract: FAILED', async (_, judge) => {
    const [answer] = await askAll({ ...agreeing(), judge }, [judgeQuestion], asking().options);
    expect(answer?.judgement).toMatchObject({ outcome: 'FAILED', failure: { code: 'PL_JUDGE_DOWN' } });
  });

  test('given a lane that is taken away, rejects with its reason', async () => {
    const { lane, options } = asking();
    const deaf: Judge = { ...agreeing(), judge: () => new Promise(() => undefined) };
    const all = askAll(deaf, [judgeQuestion], options);
    const reason = new Error('lost');
    lane.abort(reason);
    await expect(all).rejects.toBe(reason);
  });
});

describe('the record of a judgement', () => {
  const ask = async (judge: Judge) => {
    const [answer] = await askAll(judge, [judgeQuestion], {
      waitMs: 5_000,
      signal: new AbortController().signal,
      now: () => 5,
    });
    return answer!;
  };

  test.each<readonly [string, Judge]>([
    ['one that judged', agreeing()],
    [
      'one that says too much of itself',
      memoryJudge(() => opinionOnAll(1, 'yes', { answer_relevance_score: 7 })),
    ],
    ['one that abstained', memoryJudge(() => opinionOnAll(2, 'unclear', { abstained: true }))],
    ['one that failed', memoryJudge(() => 'I am sure that "it" is fine.')],
    [
      'one that was beyond the hour',
      { ...agreeing(), judge: () => Promise.resolve(failed('PL_JUDGE_BUDGET', {})) },
    ],
  ])('given %s, says all that a replay needs', async (_, judge) => {
    const asked = await ask(judge);
    const { body } = judgeRecord(asked, 'draft-1', 'review') as { body: Record<string, unknown> };
    expect(body).toMatchObject({
      kind: 'JUDGE_EVALUATION',
      outcome: asked.judgement.outcome,
      code: asked.judgement.failure?.code ?? null,
      draftId: 'draft-1',
      measured: { startedAt: 5, finishedAt: 5 },
    });
    expect(recordedJudgement(body['factsJson'] as string, { startedAt: 5, finishedAt: 5 })).toEqual(asked);
  });

  test.each(['', '[]', '{}', '{"outcome":"JUDGED"}', 'null'])(
    'given %j, which is none, there is no judgement in it',
    (facts) => {
      expect(recordedJudgement(facts, { startedAt: 0, finishedAt: 0 })).toBeNull();
    },
  );

  test('given a recorded score that is no score, it is not believed', async () => {
    const { body } = judgeRecord(await ask(agreeing()), 'd', 'review') as { body: { factsJson: string } };
    const facts = body.factsJson.replace('"faithfulness":1', '"faithfulness":7');
    expect(recordedJudgement(facts, { startedAt: 0, finishedAt: 0 })).toBeNull();
  });

  test('what is published names model, prompt and scores', async () => {
    expect(judgeRefOf(await ask(agreeing()))).toEqual({
      model: 'memory',
      promptSha256: agreeing().promptSha256,
      scores: { faithfulness: 1, contextRelevance: 0.9, answerRelevance: 0.8 },
    });
  });
});
