import { afterEach, describe, expect, it } from 'vitest';
import { createClient, type Run, type RunEvent } from '../../src/client/index.js';
import { closeGateways, openTestGateway, type TestGateway } from '../support/gateway.js';
import { forgedDraft, trueDraft } from '../support/line-drafts.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeGateways();
  removeTempFolders();
});

function runOf({ url }: TestGateway): Run {
  return createClient({ url, retry: { firstPauseMs: 5 } }).createRun({
    runId: 'run-1',
    limits: { maxAttempts: 3, maxLookups: 2 },
  });
}

describe('the client before a real gateway', () => {
  it('asks, is sent back, is published, and hears of each step', async () => {
    const gateway = await openTestGateway();
    const run = runOf(gateway);
    const heard: RunEvent[] = [];
    const listening = (async () => {
      for await (const event of run.events()) {
        heard.push(event);
        if (event.event === 'run.outcome') return;
      }
    })();

    const asked = await run.lookup('gateway timeout', { toolCallId: 'call-1' });
    if (asked.state !== 'READY') return expect.unreachable(asked.state);
    expect(asked).toMatchObject({ gain: 'NEW', repeat: false, view: { evidenceStatus: 'EVIDENCE_FOUND' } });
    const again = await run.lookup('gateway timeout', { toolCallId: 'call-1' });
    expect(again).toMatchObject({ repeat: true, gain: null, agentView: asked.agentView });

    const forged = await run.submitDraft(forgedDraft());
    if (forged.decision !== 'REPAIR') return expect.unreachable(forged.decision);
    expect(forged.repair).toMatchObject({ attemptsLeft: 2 });
    expect(forged.repair.promptEn).toContain('doc-invented#chunk-7');
    const mended = await run.submitDraft(trueDraft(), { draftId: 'draft-true' });
    if (mended.decision !== 'PUBLISH') return expect.unreachable(mended.decision);
    expect(mended.verified).toMatchObject({ outcome: 'VERIFIED', draftId: 'draft-true', attempt: 2 });
    expect((await run.waitForVerdict('draft-true')).decision).toBe('PUBLISH');

    await listening;
    const names = new Set(heard.map(({ event }) => event));
    expect([...names].sort()).toEqual([
      'draft.judged',
      'draft.reviewed',
      'draft.submitted',
      'lookup.answered',
      'lookup.requested',
      'repair.requested',
      'run.outcome',
    ]);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(heard.length);
    expect(await run.trail()).toMatchObject({ run_id: 'run-1' });
  });

  it('goes on at another gateway of the line when its own is gone', async () => {
    const first = await openTestGateway();
    const second = await openTestGateway({ line: first.line });
    let { url } = first;
    // What a load balancer does.
    const fetchThere: typeof fetch = (input, init) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input);
      return fetch(`${url}${pathname}${search}`, init);
    };
    const client = createClient({ url, fetch: fetchThere, retry: { firstPauseMs: 5 } });
    const run = client.createRun({ runId: 'run-1' });
    const heard: RunEvent[] = [];
    const stop = new AbortController();
    const listening = (async () => {
      for await (const event of run.events({ signal: stop.signal })) heard.push(event);
    })();
    await run.lookup('gateway timeout', { toolCallId: 'call-1' });
    await waitUntil('it is heard of', () => heard.some(({ event }) => event === 'lookup.answered'));
    ({ url } = second);
    await first.drain();
    expect((await run.submitDraft(trueDraft())).decision).toBe('PUBLISH');
    await waitUntil('it is heard of', () => heard.some(({ event }) => event === 'run.outcome'));
    expect(new Set(heard.map(({ id }) => id)).size).toBe(heard.length);
    stop.abort();
    await listening;
  });

  it('is told to stop when the run has spent its lookups', async () => {
    const gateway = await openTestGateway();
    const run = runOf(gateway);
    await run.lookup('gateway timeout', { toolCallId: 'call-1' });
    await run.lookup('disk full', { toolCallId: 'call-2' });
    // Which lookup is refused first is a matter of timing.
    const refused = await waitUntil('one is refused', async () => {
      const result = await run.lookup('one more');
      return result.state === 'REFUSED' ? result : null;
    });
    expect(refused).toMatchObject({ code: 'PL_STOP_REQUIRED', text: { en: expect.any(String) as string } });
  });

  it('lets a person decide what is held', async () => {
    const gateway = await openTestGateway();
    const run = runOf(gateway);
    await run.lookup('gateway timeout', { toolCallId: 'call-1' });
    const overstated = { conclusion: { text: '原因已经确认。', based_on_analysis_ids: ['a1'] } };
    const held = await run.submitDraft(trueDraft([{}], overstated), { draftId: 'draft-1' });
    expect(held.decision).toBe('HOLD');
    const { review } = createClient({ url: gateway.url });
    const options = { decision: 'APPROVE', by: 'an operator', reason: 'Compared.' } as const;
    expect(await review.decide('run-1', 'draft-1', options)).toMatchObject({
      decision: 'PUBLISH',
      counted: true,
      verified: { decidedBy: 'PERSON', person: { by: 'an operator' } },
    });
    await expect(review.decide('run-1', 'draft-1', options)).rejects.toMatchObject({
      code: 'PL_REVIEW_REFUSED',
    });
  });

  it('throws the problem of a question that was asked under a used id', async () => {
    const run = runOf(await openTestGateway());
    await run.lookup('gateway timeout', { toolCallId: 'call-1' });
    const other = run.lookup('another question', { toolCallId: 'call-1' });
    await expect(other).rejects.toMatchObject({ code: 'PL_REPEAT_CONFLICT', status: 409, retryable: false });
  });
});
