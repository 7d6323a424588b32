import { afterEach, describe, expect, test } from 'vitest';
import { closeGateways, openTestGateway, type TestGateway } from '../support/gateway.js';
import { forgedDraft, trueDraft } from '../support/line-drafts.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeGateways();
  removeTempFolders();
});

const RUN = '/v1/runs/run-1';
const DRAFTS = `${RUN}/drafts`;
const DRAFT_BYTES = 256 * 1024;

/** A gateway whose run has its evidence. */
async function shown(): Promise<TestGateway> {
  const gateway = await openTestGateway();
  await gateway.post(`${RUN}/lookups`, { tool_call_id: 'call-1', query: 'gateway timeout' });
  return gateway;
}

describe('drafts over HTTP', () => {
  test('a true draft is published, and the answer has all that became of it', async () => {
    const { post } = await shown();
    const answer = await post(DRAFTS, { draft_id: 'draft-1', draft_json: trueDraft() });
    expect(answer).toMatchObject({
      status: 200,
      json: {
        run_id: 'run-1',
        draft_id: 'draft-1',
        decision: 'PUBLISH',
        verdict: { status: 'PASSED' },
        reviewed: { decision: 'PUBLISH' },
        verified: { outcome: 'VERIFIED', draft_id: 'draft-1' },
        repair: null,
      },
    });
  });

  test('a forged draft is told how to be repaired, and the mended one is published', async () => {
    const { post } = await shown();
    const forged = await post(DRAFTS, { draft_id: 'draft-1', draft_json: forgedDraft() });
    expect(forged.json).toMatchObject({
      decision: 'REPAIR',
      verified: null,
      repair: {
        draft_id: 'draft-1',
        attempts_left: 2,
        prompt_en: expect.stringContaining('doc-invented#chunk-7') as string,
      },
    });
    const mended = await post(DRAFTS, { draft_id: 'draft-2', attempt: 2, draft_json: trueDraft() });
    expect(mended.json).toMatchObject({ decision: 'PUBLISH', verified: { outcome: 'VERIFIED' } });
  });

  test('given the same draft again, under its id or its key, the answer is the same', async () => {
    const { post, line } = await shown();
    const key = { 'idempotency-key': 'first-draft' };
    const first = await post(DRAFTS, { draft_json: forgedDraft() }, key);
    // Handed in again before it is kept, it is judged again: equal, but for the instant.
    const again = await post(DRAFTS, { draft_json: forgedDraft() }, key);
    expect(withoutInstants(again.text)).toBe(withoutInstants(first.text));
    await waitUntil('the repair is kept', async () =>
      (await line.audit.trail('run-1')).answers.some(({ kind }) => kind === 'REPAIR'),
    );
    expect((await post(DRAFTS, { draft_json: forgedDraft() }, key)).text).toBe(first.text);
    const { draft_id: id } = first.json as { readonly draft_id: string };
    expect((await openAnother(line).then(({ get }) => get(`${DRAFTS}/${id}`))).text).toBe(first.text);
  });

  test('given another text under the same id, it is a conflict, however soon it comes', async () => {
    const { post } = await shown();
    const conflict = { status: 409, json: { code: 'PL_REPEAT_CONFLICT' } };
    const [first, second] = await Promise.all([
      post(DRAFTS, { draft_id: 'draft-1', draft_json: trueDraft() }),
      post(DRAFTS, { draft_id: 'draft-1', draft_json: forgedDraft() }),
    ]);
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    const later = await post(DRAFTS, {
      draft_id: 'draft-1',
      draft_json: trueDraft([], { limitations: ['other'] }),
    });
    expect(later).toMatchObject(conflict);
  });

  test('given a run that is given up, the fallback is published', async () => {
    const { post } = await shown();
    expect(await post(DRAFTS, { draft_id: 'draft-1', given_up: true })).toMatchObject({
      json: { decision: 'FALLBACK', verdict: { status: 'ABANDONED' }, verified: { outcome: 'FALLBACK' } },
    });
  });

  test('given a caller that does not wait, it is told where to ask, and finds the same answer there', async () => {
    const { post, get } = await shown();
    const pending = await post(`${DRAFTS}?wait=0`, { draft_id: 'draft-1', draft_json: trueDraft() });
    expect(pending).toMatchObject({ status: 202, json: { state: 'PENDING', location: `${DRAFTS}/draft-1` } });
    expect(await get(`${DRAFTS}/draft-1?wait=30`)).toMatchObject({
      status: 200,
      json: { decision: 'PUBLISH' },
    });
    expect(await get(`${DRAFTS}/draft-2?wait=0`)).toMatchObject({
      status: 404,
      json: { code: 'PL_NOT_FOUND' },
    });
  });

  test('a draft of the largest size is judged, a larger one is told so', async () => {
    const { post } = await shown();
    const filler = '"'.repeat(DRAFT_BYTES - 20);
    const large = await post(DRAFTS, { draft_id: 'draft-1', draft_json: filler });
    expect(large).toMatchObject({ status: 200, json: { verdict: { status: 'REJECTED' } } });
    const tooLarge = { status: 413, json: { code: 'PL_BODY_TOO_LARGE', retryable: false } };
    expect(
      await post(DRAFTS, { draft_id: 'draft-2', draft_json: 'x'.repeat(DRAFT_BYTES + 1) }),
    ).toMatchObject(tooLarge);
    const body = JSON.stringify({ draft_id: 'draft-2', draft_json: 'x'.repeat(4 * DRAFT_BYTES) });
    const refused = await post(DRAFTS, body);
    expect(refused).toMatchObject(tooLarge);
    expect(refused.json['detail']).toMatch(/larger than \d+ bytes/);
  });

  test.each([
    ['neither a text nor a giving up', { draft_id: 'draft-1' }],
    ['both', { draft_id: 'draft-1', draft_json: '{}', given_up: true }],
    ['attempt 0', { draft_id: 'draft-1', draft_json: '{}', attempt: 0 }],
    ['a draft that is no text', { draft_id: 'draft-1', draft_json: {} }],
    ['no id', { draft_json: '{}' }],
  ])('given %s, it is refused', async (_, body) => {
    const { post } = await shown();
    expect(await post(DRAFTS, body)).toMatchObject({ status: 422, json: { code: 'PL_INPUT_INVALID' } });
  });

  test.each(['given-up', '../x', ''])('given draft id %j, it is refused', async (id) => {
    const { post } = await shown();
    expect(await post(DRAFTS, { draft_id: id, draft_json: '{}' })).toMatchObject({
      status: 422,
      json: { code: 'PL_ID_INVALID' },
    });
  });
});

describe('a person over HTTP', () => {
  const held = trueDraft([{}], { conclusion: { text: '原因已经确认。', based_on_analysis_ids: ['a1'] } });
  const decision = { decision: 'APPROVE', by: 'an operator', reason: 'Compared with the evidence.' };

  test('approves a draft that is held; then that is what became of it', async () => {
    const { post, get, line } = await shown();
    const answer = await post(DRAFTS, { draft_id: 'draft-1', draft_json: held });
    expect(answer.json['decision']).toBe('HOLD');
    const { verdict } = answer.json as { readonly verdict: { readonly event_id: string } };
    const other = { ...decision, verdict_event_id: '0'.repeat(32) };
    const path = `${DRAFTS}/draft-1/decisions`;
    expect(await post(path, other)).toMatchObject({ status: 409, json: { code: 'PL_REVIEW_REFUSED' } });
    expect(await post(path, { ...decision, verdict_event_id: verdict.event_id })).toMatchObject({
      status: 200,
      json: { decision: 'PUBLISH', counted: true, verified: { decided_by: 'PERSON' } },
    });
    await waitUntil('it is kept', async () =>
      (await line.audit.trail('run-1')).answers.some(({ kind }) => kind === 'OUTCOME'),
    );
    expect(await get(`${DRAFTS}/draft-1`)).toMatchObject({
      json: {
        decision: 'PUBLISH',
        reviewed: { decided_by: 'PERSON', person: { by: 'an operator' } },
        verified: { outcome: 'VERIFIED' },
      },
    });
    expect(await post(path, decision)).toMatchObject({ status: 409, json: { code: 'PL_REVIEW_REFUSED' } });
  });

  test('given a draft that is not held, or no reason, it is refused', async () => {
    const { post } = await shown();
    const path = `${DRAFTS}/draft-1/decisions`;
    expect(await post(path, decision)).toMatchObject({ status: 409, json: { code: 'PL_REVIEW_REFUSED' } });
    const refused = { status: 422, json: { code: 'PL_INPUT_INVALID' } };
    expect(await post(path, { ...decision, reason: '' })).toMatchObject(refused);
    expect(await post(path, { ...decision, decision: 'MAYBE' })).toMatchObject(refused);
  });
});

describe('the trail over HTTP', () => {
  test('tells the story of a run; one that nobody knows is not found', async () => {
    const { post, get } = await shown();
    await post(DRAFTS, { draft_id: 'draft-1', draft_json: trueDraft() });
    expect(await get(`${RUN}/trail`)).toMatchObject({
      status: 200,
      json: {
        run_id: 'run-1',
        outcome: { kind: 'VERIFIED' },
        lookups: [{ tool_call_id: 'call-1', state: 'READY' }],
      },
    });
    expect(await get('/v1/runs/run-2/trail')).toMatchObject({ status: 404, json: { code: 'PL_NOT_FOUND' } });
  });
});

function withoutInstants(text: string): string {
  return text.replaceAll(/"occurred_at":"[^"]+"/g, '');
}

function openAnother(line: TestGateway['line']): Promise<TestGateway> {
  return openTestGateway({ line });
}
