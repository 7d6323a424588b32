import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createChatJudge } from '../../src/judge/chat/chat-judge.js';
import { judgePolicyDefaults, type JudgePolicy } from '../../src/judge/policy.js';
import { judgePrompt } from '../../src/judge/prompt.js';
import { recordedJudgement } from '../../src/judge/record.js';
import { decisionEventId } from '../../src/contracts/ids.js';
import { sha256 } from '../../src/contracts/digest.js';
import { closeLines, only, openTestLine, type TestLine } from '../support/line.js';
import { trueDraft } from '../support/line-drafts.js';
import { observe, seriesOf, stopObserving } from '../support/observe.js';
import { playSilence, playStatus, type Play } from '../support/py-rag-server.js';
import { says, saysOfAll, startScriptedJudge, type ScriptedJudge } from '../support/scripted-judge.js';
import { removeTempFolders } from '../support/temp-folder.js';

let endpoint: ScriptedJudge;

beforeEach(async () => {
  endpoint = await startScriptedJudge(saysOfAll('yes'));
});
afterEach(async () => {
  await closeLines();
  await stopObserving();
  await endpoint.close();
  removeTempFolders();
});

const first = { draftId: 'draft-1', attempt: 1, draftJson: trueDraft() };
/** Said with other words than the evidence has. */
const overstated = trueDraft().replaceAll('check the upstream first', 'restart 4711 databases immediately');
const unlike = trueDraft().replaceAll('To solve gateway timeout, check the upstream first.', '先看上游。');

type Options = NonNullable<Parameters<typeof openTestLine>[0]>;

async function judgedLine(
  policy: Partial<JudgePolicy> = {},
  options: Options = {},
  settings: { readonly attempts?: number } = {},
): Promise<TestLine> {
  const judge = createChatJudge({ url: endpoint.url, model: 'scripted', backoffMs: 1, ...settings });
  const review = { judge: { ...judgePolicyDefaults, mode: 'second-opinion' as const, ...policy } };
  const line = openTestLine({ ...options, judge, review });
  await line.ask({});
  await line.idle();
  return line;
}

async function handIn(line: TestLine, draft: Partial<typeof first> = {}): Promise<void> {
  await line.handIn({ ...first, ...draft });
  await line.idle();
}

async function judgeNotes(line: TestLine) {
  return (await line.messages('tool-invocation.v1')).filter(({ kind }) => kind === 'JUDGE_EVALUATION');
}

const ref = (scores: object) => ({ model: 'scripted', promptSha256: judgePrompt.sha256, scores });
const agreed = ref({ faithfulness: 1, contextRelevance: 0.9, answerRelevance: 0.8 });

describe('a judge as a second opinion', () => {
  test('given that it agrees, the draft is published, and names the judge beside the rules that decided', async () => {
    const line = await judgedLine();
    await handIn(line);
    expect(await only(line, 'reviewed.v1')).toMatchObject({
      decision: 'PUBLISH',
      decidedBy: 'RULES',
      judge: agreed,
    });
    expect(await only(line, 'verified.v1')).toMatchObject({
      decidedBy: 'RULES',
      judge: agreed,
      findings: [],
    });
  });

  test('given that it doubts, the draft is held, by it, and a person who approves is named with it', async () => {
    endpoint.play(saysOfAll('no'));
    const line = await judgedLine();
    await handIn(line);
    const reviewed = await only(line, 'reviewed.v1');
    expect(reviewed).toMatchObject({ decision: 'HOLD', status: 'SUPPORTED', decidedBy: 'JUDGE' });
    expect(reviewed.findings.map(({ path, status, decidedBy }) => [path, status, decidedBy])).toEqual([
      ['/analysis/0/text', 'UNSUPPORTED', 'JUDGE'],
      ['/conclusion/text', 'UNSUPPORTED', 'JUDGE'],
      ['', 'UNSUPPORTED', 'JUDGE'],
    ]);
    expect((await only(line, 'run-outcome.v1')).held).toMatchObject({ code: 'PL_JUDGE_DOUBTS' });
    expect(await line.messages('verified.v1')).toEqual([]);

    await approve(line, reviewed.verdictEventId);
    const scores = { faithfulness: 0, contextRelevance: 0.9, answerRelevance: 0.8 };
    expect(await only(line, 'verified.v1')).toMatchObject({
      decidedBy: 'PERSON',
      person: { by: 'alice' },
      judge: ref(scores),
      findings: reviewed.findings,
    });
  });

  test('given a draft that rules send back, it is not asked, and cannot release it', async () => {
    const line = await judgedLine();
    await handIn(line, { draftJson: overstated });
    expect(await only(line, 'reviewed.v1')).toMatchObject({ decision: 'REPAIR', judge: null });
    expect(endpoint.requests).toHaveLength(0);
    expect(await judgeNotes(line)).toEqual([]);
  });

  test('given a draft that rules cannot evaluate, what it says is advice: the draft is held all the same', async () => {
    const line = await judgedLine();
    await handIn(line, { draftJson: unlike });
    expect(await only(line, 'reviewed.v1')).toMatchObject({
      decision: 'HOLD',
      status: 'NOT_EVALUATED',
      decidedBy: 'RULES',
      judge: agreed,
    });
    expect(await line.messages('verified.v1')).toEqual([]);
  });

  test('given the mode off, or a share of none, nobody is asked', async () => {
    for (const policy of [{ mode: 'off' as const }, { sample: 0 }]) {
      const line = await judgedLine(policy);
      await handIn(line);
      expect(await only(line, 'reviewed.v1')).toMatchObject({ decision: 'PUBLISH', judge: null });
      await line.close();
    }
    expect(endpoint.requests).toHaveLength(0);
  });

  test('given a run that has its outcome, and a draft that comes again, nobody is asked again', async () => {
    const line = await judgedLine();
    await handIn(line);
    await handIn(line);
    await handIn(line, { draftId: 'draft-2', attempt: 2 });
    expect((await line.messages('reviewed.v1')).map(({ decision }) => decision)).toEqual([
      'PUBLISH',
      'STALE',
    ]);
    expect(endpoint.requests).toHaveLength(1);
    expect(await judgeNotes(line)).toHaveLength(1);
  });
});

const failures: readonly (readonly [string, Play, string])[] = [
  ['answers 500', playStatus(500), 'PL_JUDGE_DOWN'],
  ['refuses the key', playStatus(401), 'PL_JUDGE_REFUSED'],
  ['says nothing', playSilence(), 'PL_JUDGE_DOWN'],
  ['answers in prose', says('Looks good, 1.0!'), 'PL_JUDGE_ANSWER'],
];

describe('a judge without an answer', () => {
  test.each(failures)(
    'that %s: the draft is published as rules decide, and says that it was not evaluated',
    async (_, play, code) => {
      endpoint.play(play);
      const line = await judgedLine({ waitMs: 300 });
      await handIn(line);
      const verified = await only(line, 'verified.v1');
      const nothing = { faithfulness: null, contextRelevance: null, answerRelevance: null };
      expect(verified).toMatchObject({ outcome: 'VERIFIED', decidedBy: 'RULES', judge: ref(nothing) });
      expect(verified.findings).toMatchObject([
        {
          status: 'NOT_EVALUATED',
          decidedBy: 'JUDGE',
          reason: expect.stringMatching(/^JUDGE_FAILED: /) as string,
        },
      ]);
      const [note] = await judgeNotes(line);
      expect(note).toMatchObject({ outcome: 'FAILED', code });
    },
  );

  test('is what holds a draft, where the policy says so', async () => {
    endpoint.play(playStatus(500));
    const line = await judgedLine({ onSilence: 'hold' });
    await handIn(line);
    expect(await only(line, 'reviewed.v1')).toMatchObject({ decision: 'HOLD', decidedBy: 'JUDGE' });
    expect((await only(line, 'run-outcome.v1')).held).toMatchObject({ code: 'PL_JUDGE_SILENT' });
  });
});

describe('what is recorded', () => {
  test('given an answer, one event from which a replay has the same judgement, with the model, the prompt and the raw answer', async () => {
    endpoint.play(saysOfAll('unclear', { reason: 'It is not said.' }));
    const line = await judgedLine();
    await handIn(line);
    const verdict = await only(line, 'verdict.v1');
    const [note, ...more] = await judgeNotes(line);
    expect(more).toEqual([]);
    expect(note).toMatchObject({
      causedBy: verdict.eventId,
      draftId: 'draft-1',
      station: 'review',
      outcome: 'JUDGED',
    });
    const asked = recordedJudgement(note!.factsJson, note!.measured);
    expect(asked).toMatchObject({ model: 'scripted', promptSha256: judgePrompt.sha256 });
    expect(asked!.judgement).toMatchObject({ source: 'ASKED', reason: 'It is not said.' });
    expect(JSON.parse(asked!.judgement.rawOutput)).toMatchObject({ reason: 'It is not said.' });
    expect(asked!.judgement.claims).toHaveLength(2);
  });

  test('given a step that fails after the judge was asked, it is asked again, and one answer is recorded', async () => {
    let failures = 1;
    const line = await judgedLine(
      {},
      {
        wrapBus: (bus) => ({
          ...bus,
          subscribe(subscription) {
            return bus.subscribe({
              ...subscription,
              open: (lane) =>
                subscription.open({
                  ...lane,
                  step(step) {
                    const judges = step.records.some(({ topic }) => topic === 'reviewed.v1');
                    if (judges && failures-- > 0) {
                      endpoint.play(saysOfAll('no'));
                      return Promise.reject(new Error('the step was lost'));
                    }
                    return lane.step(step);
                  },
                }),
            });
          },
        }),
      },
    );
    await handIn(line);
    expect(endpoint.requests).toHaveLength(2);
    const notes = await judgeNotes(line);
    expect(notes).toHaveLength(1);
    // The answer that was recorded is the one that decided.
    expect(await only(line, 'reviewed.v1')).toMatchObject({
      decision: 'HOLD',
      judge: { scores: { faithfulness: 0 } },
    });
    expect(recordedJudgement(notes[0]!.factsJson, notes[0]!.measured)!.judgement.faithfulnessScore).toBe(0);
  });

  test('given two answers, the metrics count them, and how long it took', async () => {
    const observed = await observe();
    const line = await judgedLine({}, { observe: observed }, { attempts: 1 });
    await handIn(line);
    endpoint.play(playStatus(500));
    await line.ask({ runId: 'run-2' });
    await line.idle();
    await line.handIn({ ...first, runId: 'run-2' });
    await line.idle();
    const text = await observed.metrics();
    expect(seriesOf(text, 'proofline_judgements_total{outcome="JUDGED",source="ASKED"}')).toBe(1);
    expect(seriesOf(text, 'proofline_judgements_total{outcome="FAILED",source="ASKED"}')).toBe(1);
    expect(seriesOf(text, 'proofline_judge_failures_total{code="PL_JUDGE_DOWN"}')).toBe(1);
    expect(seriesOf(text, 'proofline_judge_seconds_count')).toBe(2);
  });
});

async function approve(line: TestLine, verdictEventId: string): Promise<void> {
  const about = { runId: 'run-1', draftId: 'draft-1', verdictEventId };
  const decision = {
    ...about,
    eventId: decisionEventId(sha256, about),
    causedBy: null,
    occurredAt: Date.now(),
    decision: 'APPROVE' as const,
    by: 'alice',
    reason: 'It is what the runbook says.',
    ext: {},
  };
  await line.bus.append([line.record('review-decision.v1', decision)]);
  await line.idle();
}
