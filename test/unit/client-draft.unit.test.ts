import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.js';
import {
  closeScriptedGateways,
  json,
  openScriptedGateway,
  pending,
  problem,
  type ScriptedGateway,
} from '../support/client-gateway.js';

let gateway: ScriptedGateway;
beforeEach(async () => void (gateway = await openScriptedGateway()));
afterEach(closeScriptedGateways);

const record = { event_id: 'e'.repeat(32), run_id: 'run-1', occurred_at: '2026-01-02T03:04:05.000Z' };
const judged = {
  run_id: 'run-1',
  draft_id: 'draft-1',
  verdict: { ...record, status: 'REJECTED', rule_sets: ['core-20'], ext: { some_key: 'kept' } },
  reviewed: { ...record, decision: 'REPAIR' },
  verified: null,
  repair: null,
};
const repair = {
  ...record,
  attempts_left: 2,
  prompt_en: 'Write it anew.',
  prompt_zh: '请重写',
  findings: [],
};
const verified = { ...record, outcome: 'VERIFIED', replaces: null, draft: { action_plan: [] } };

function openRun() {
  return createClient({ url: gateway.url, retry: { firstPauseMs: 1 } }).createRun({
    runId: 'run-1',
    limits: { maxAttempts: 3 },
  });
}

describe('a draft', () => {
  it('is sent as the model wrote it, with what belongs to it', async () => {
    gateway.answer(json(200, { ...judged, decision: 'HOLD' }));
    const prompt = { id: 'system', version: '1', sha256: 'a'.repeat(64) };
    await openRun().submitDraft(' {"analysis":[]}\n', {
      draftId: 'draft-1',
      prompt,
      generation: { model: 'm', inputTokens: 3 },
    });
    expect(gateway.requests[0]).toMatchObject({ method: 'POST', url: '/v1/runs/run-1/drafts?wait=20' });
    expect(gateway.requests[0]?.body).toEqual({
      draft_id: 'draft-1',
      draft_json: ' {"analysis":[]}\n',
      attempt: 1,
      prompt,
      generation: { model: 'm', input_tokens: 3 },
      limits: { max_attempts: 3 },
    });
  });

  it('keeps its number when it is handed in again; the next one has the next', async () => {
    gateway.answer(json(200, { ...judged, decision: 'HOLD' }));
    const run = openRun();
    await run.submitDraft({}, { draftId: 'a' });
    await run.submitDraft({ limitations: [] }, { draftId: 'b' });
    await run.submitDraft({}, { draftId: 'a' });
    await run.submitDraft({}, { draftId: 'c', attempt: 7 });
    expect(gateway.requests.map(({ body }) => [body?.['draft_json'], body?.['attempt']])).toEqual([
      ['{}', 1],
      ['{"limitations":[]}', 2],
      ['{}', 1],
      ['{}', 7],
    ]);
  });

  it('comes to a repair, with the prompt for the model', async () => {
    gateway.answer(json(200, { ...judged, decision: 'REPAIR', repair }));
    const result = await openRun().submitDraft({}, { draftId: 'draft-1' });
    if (result.decision !== 'REPAIR') return expect.unreachable(result.decision);
    expect(result.repair).toMatchObject({ attemptsLeft: 2, promptEn: 'Write it anew.', promptZh: '请重写' });
    // Names are TypeScript's; keys of a map are data.
    expect(result.verdict).toMatchObject({ ruleSets: ['core-20'], ext: { some_key: 'kept' } });
  });

  it('comes to what is published', async () => {
    gateway.answer(json(200, { ...judged, decision: 'PUBLISH', verified }));
    const result = await openRun().submitDraft({}, { draftId: 'draft-1' });
    if (result.decision !== 'PUBLISH') return expect.unreachable(result.decision);
    expect(result.verified).toMatchObject({ outcome: 'VERIFIED', draft: { actionPlan: [] } });
  });

  it('is PENDING when it is not judged in time, and can be waited for', async () => {
    gateway.answer(pending, json(200, { ...judged, decision: 'STALE' }));
    const run = openRun();
    const options = { draftId: 'draft-1', waitMs: 0 };
    expect(await run.submitDraft({}, options)).toEqual({ decision: 'PENDING', draftId: 'draft-1' });
    const result = await run.waitForVerdict('draft-1', { timeoutMs: 1000 });
    expect(result.decision).toBe('STALE');
    expect(gateway.requests[1]).toMatchObject({ method: 'GET', url: '/v1/runs/run-1/drafts/draft-1?wait=1' });
  });

  it('gives the run up without a text', async () => {
    gateway.answer(
      json(200, { ...judged, decision: 'FALLBACK', verified: { ...verified, outcome: 'FALLBACK' } }),
    );
    const result = await openRun().giveUp();
    expect(result.decision).toBe('FALLBACK');
    expect(gateway.requests[0]?.body).toMatchObject({ given_up: true, attempt: 1 });
    expect(gateway.requests[0]?.body).not.toHaveProperty('draft_json');
  });

  it('that nobody handed in is not waited for', async () => {
    gateway.answer(problem(404, 'PL_NOT_FOUND'));
    await expect(openRun().waitForVerdict('draft-9')).rejects.toMatchObject({ code: 'PL_NOT_FOUND' });
    expect(gateway.requests).toHaveLength(1);
  });

  it.each([
    ['another decision', { ...judged, decision: 'MAYBE' }, 'MAYBE'],
    ['a repair without its record', { ...judged, decision: 'REPAIR' }, 'repair is missing'],
    ['a publication without its record', { ...judged, decision: 'PUBLISH' }, 'verified is missing'],
    ['no verdict', { decision: 'HOLD', reviewed: record }, 'verdict is missing'],
    ['a record that is none', { ...judged, decision: 'HOLD', verdict: { status: 'PASSED' } }, 'event_id'],
    ['a list', [], 'no JSON object'],
  ])('is PL_GATEWAY_ANSWER for %s', async (_, body, says) => {
    gateway.answer(json(200, body));
    const judging = openRun().submitDraft({});
    await expect(judging).rejects.toMatchObject({ code: 'PL_GATEWAY_ANSWER' });
    await expect(judging).rejects.toThrow(says);
  });

  it('is PL_GATEWAY_ANSWER for an answer that is nested without end', async () => {
    const depth = 20_000;
    const text = `{"decision":"HOLD","verdict":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    gateway.answer((response) => response.end(text));
    await expect(openRun().submitDraft({})).rejects.toThrow('nested too deeply');
  });

  it('is refused when it is no JSON', async () => {
    await expect(openRun().submitDraft(undefined)).rejects.toMatchObject({ code: 'PL_INPUT_INVALID' });
    expect(gateway.requests).toEqual([]);
  });
});

describe('a run', () => {
  it('gives its trail as the gateway does', async () => {
    gateway.answer(json(200, { run_id: 'run-1', lookups: [] }));
    expect(await openRun().trail()).toEqual({ run_id: 'run-1', lookups: [] });
    expect(gateway.requests[0]).toMatchObject({ method: 'GET', url: '/v1/runs/run-1/trail' });
  });
});

describe('a decision of a person', () => {
  const decide = () =>
    createClient({ url: gateway.url }).review.decide('run-1', 'draft-1', {
      decision: 'APPROVE',
      by: 'an operator',
      reason: 'checked',
    });

  it('is sent with who decides and why, and comes to what review says', async () => {
    gateway.answer(
      json(200, { decision: 'PUBLISH', reviewed: record, verified, repair: null, counted: true }),
    );
    expect(await decide()).toMatchObject({
      decision: 'PUBLISH',
      verified: { outcome: 'VERIFIED' },
      repair: null,
      counted: true,
    });
    expect(gateway.requests[0]).toMatchObject({
      method: 'POST',
      url: '/v1/runs/run-1/drafts/draft-1/decisions?wait=20',
      body: { decision: 'APPROVE', by: 'an operator', reason: 'checked' },
    });
  });

  it('is PENDING when there is no answer in time', async () => {
    gateway.answer(pending);
    expect(await decide()).toEqual({ decision: 'PENDING' });
  });

  it('is PL_GATEWAY_ANSWER for an outcome that nobody knows', async () => {
    gateway.answer(json(200, { decision: 'MAYBE', reviewed: record }));
    await expect(decide()).rejects.toMatchObject({ code: 'PL_GATEWAY_ANSWER' });
  });
});
