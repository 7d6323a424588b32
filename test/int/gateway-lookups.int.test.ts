import { afterEach, describe, expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { closeGateways, openTestGateway } from '../support/gateway.js';
import { hits, scripted } from '../support/line-search.js';
import { failed } from '../../src/retrieval/outcomes.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { createGate, waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeGateways();
  removeTempFolders();
});

const LOOKUPS = '/v1/runs/run-1/lookups';
const RECORD = { accept: 'application/vnd.proofline.lookup+json' };
const question = { tool_call_id: 'call-1', query: 'gateway timeout' };

describe('lookups over HTTP', () => {
  test('a lookup is answered with the very bytes of the ledger', async () => {
    const { line, post } = await openTestGateway();
    const { status, text, headers } = await post(LOOKUPS, question);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/json');
    const { answers } = await waitUntil('it is kept', async () => {
      const trail = await line.audit.trail('run-1');
      return trail.answers.length > 0 ? trail : null;
    });
    expect(text).toBe(line.codec.decode('projected.v1', answers[0]!.value).agentView);
    expect(headers.get('proofline-agent-view-sha256')).toBe(createHash('sha256').update(text).digest('hex'));
    expect(Object.fromEntries(headers)).toMatchObject({
      'proofline-tool-call-id': 'call-1',
      'proofline-event-id': answers[0]!.eventId,
      'proofline-gain': 'NEW',
      'proofline-repeat': 'false',
    });
    expect(Date.parse(headers.get('proofline-expires-at') ?? '')).toBeGreaterThan(Date.now());
  });

  test('given the record type, the answer is the record whole', async () => {
    const { post } = await openTestGateway();
    const { text } = await post(LOOKUPS, question);
    const { json } = await post(LOOKUPS, question, RECORD);
    expect(json).toMatchObject({ projected: { agent_view: text, state: 'READY' }, dropped: [] });
  });

  test('given the same lookup again, the bytes are the same and it is called a repeat', async () => {
    const { post, line } = await openTestGateway();
    const first = await post(LOOKUPS, question);
    const again = await post(LOOKUPS, question);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('proofline-repeat')).toBe('true');
    expect(again.headers.has('proofline-gain')).toBe(false);
    await waitUntil('the first is kept', async () => (await line.audit.trail('run-1')).answers.length > 0);
    const later = await post(LOOKUPS, question);
    expect(later.headers.get('proofline-event-id')).toBe(first.headers.get('proofline-event-id'));
    expect([later.text, later.headers.get('proofline-repeat')]).toEqual([first.text, 'true']);
  });

  test('given an idempotency key, the same key is the same call', async () => {
    const { post } = await openTestGateway();
    const key = { 'idempotency-key': '6f1a-first' };
    const answers = await Promise.all([1, 2, 3].map(() => post(LOOKUPS, { query: 'gateway timeout' }, key)));
    const calls = new Set(answers.map(({ headers }) => headers.get('proofline-tool-call-id')));
    expect([...calls]).toEqual([expect.stringMatching(/^key-[0-9a-f]{32}$/)]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('given neither an id nor a key, it is refused', async () => {
    const { post } = await openTestGateway();
    expect(await post(LOOKUPS, { query: 'x' })).toMatchObject({
      status: 422,
      json: { code: 'PL_INPUT_INVALID', retryable: false },
    });
  });

  test('given another question under the same id, it is a conflict', async () => {
    const { post } = await openTestGateway();
    await post(LOOKUPS, question);
    const { status, json, headers } = await post(LOOKUPS, { ...question, query: 'other' });
    expect([status, json['code']]).toEqual([409, 'PL_REPEAT_CONFLICT']);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(json).toMatchObject({
      status: 409,
      title: 'Conflict',
      instance: LOOKUPS,
      solution: expect.stringContaining('new id') as string,
    });
    const record = await post(LOOKUPS, { ...question, query: 'other' }, RECORD);
    expect(record).toMatchObject({ status: 200, json: { projected: { state: 'REFUSED' } } });
  });

  test('given a lookup that fails for good, its failure is the problem', async () => {
    const search = scripted(() => failed('PL_RETRIEVAL_REFUSED', { problem: 'no such mode' }));
    const { post, get } = await openTestGateway({ search });
    const expected = { status: 424, json: { code: 'PL_RETRIEVAL_REFUSED', retryable: false } };
    expect(await post(LOOKUPS, question)).toMatchObject(expected);
    expect(await get(`${LOOKUPS}/call-1`)).toMatchObject(expected);
    expect(await get(`${LOOKUPS}/call-1`, RECORD)).toMatchObject({
      status: 200,
      json: { projected: { state: 'FAILED', agent_view: null } },
    });
  });

  test('given an answer that takes longer than the caller waits, it is told where to ask, and the answer comes', async () => {
    const gate = createGate();
    const search = scripted(() => gate.opened.then(() => hits([])));
    const { post, get } = await openTestGateway({ search });
    const pending = await post(`${LOOKUPS}?wait=0.05`, question);
    const location = `${LOOKUPS}/call-1`;
    expect(pending).toMatchObject({
      status: 202,
      json: { run_id: 'run-1', tool_call_id: 'call-1', state: 'PENDING', location },
    });
    expect([pending.headers.get('location'), pending.headers.get('retry-after')]).toEqual([location, '1']);
    expect((await get(`${location}?wait=0`)).status).toBe(202);
    const waiting = get(`${location}?wait=30`);
    gate.open();
    expect(await waiting).toMatchObject({ status: 200, json: { evidence_status: 'NO_EVIDENCE' } });
  });

  test('given a lookup that nobody has worked on yet, it is pending; one that was never asked is not found', async () => {
    const gate = createGate();
    const search = scripted(() => gate.opened.then(() => hits([])));
    const { post, get } = await openTestGateway({ search });
    // The first holds up its partition: what comes after it is in no ledger yet.
    await post(`${LOOKUPS}?wait=0`, question);
    await post(`${LOOKUPS}?wait=0`, { ...question, tool_call_id: 'call-2' });
    expect((await get(`${LOOKUPS}/call-2?wait=0`)).status).toBe(202);
    expect(await get(`${LOOKUPS}/call-3?wait=0`)).toMatchObject({
      status: 404,
      json: { code: 'PL_NOT_FOUND' },
    });
    gate.open();
    expect((await get(`${LOOKUPS}/call-2`)).status).toBe(200);
  });

  test('given another process before the same line, it answers for what the first was asked', async () => {
    const first = await openTestGateway();
    const second = await openTestGateway({ line: first.line });
    const { text } = await first.post(LOOKUPS, question);
    expect((await second.get(`${LOOKUPS}/call-1`)).text).toBe(text);
  });

  test('given a trace, the records belong to it', async () => {
    const { post, line } = await openTestGateway();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await post(LOOKUPS, question, { traceparent });
    const pages = await Promise.all(
      [0, 1].map((partition) => line.bus.read('lookup-requested.v1', partition, 0, 10)),
    );
    expect(pages.flat().map(({ headers }) => headers['traceparent'])).toEqual([traceparent]);
  });

  test.each([
    ['a query that is no text', { ...question, query: 5 }],
    ['a field that nobody knows', { ...question, extra: 1 }],
    ['no query', { tool_call_id: 'call-1' }],
    ['a list', [question]],
    ['text that is no JSON', '{"query":'],
    ['nothing', ''],
    ['filters that are nested too deeply', { ...question, filters: nested(200) }],
    ['a prototype', `{"query":"x","tool_call_id":"c","__proto__":{"a":1}}`],
    ['a deadline that is no instant', { ...question, limits: { deadline: 'tomorrow' } }],
  ])('given %s, it is refused', async (_, body) => {
    const { post } = await openTestGateway();
    expect(await post(LOOKUPS, body)).toMatchObject({ status: 422, json: { code: 'PL_INPUT_INVALID' } });
  });

  test.each(['-1', '61', 'NaN', 'soon'])('given a wait of %s, it is refused', async (wait) => {
    const { post } = await openTestGateway();
    const { status, json } = await post(`${LOOKUPS}?wait=${wait}`, question);
    expect([status, json['code']]).toEqual([422, 'PL_INPUT_INVALID']);
  });

  test.each([
    '%2e%2e%2f',
    '..%2f..%2fetc',
    'a%00b',
    'a%0d%0aset-cookie:x',
    '%E2%80%AEx',
    '-a',
    'x'.repeat(129),
    '%20',
  ])('given run id %s, it is refused, and not repeated raw', async (id) => {
    const { post, get } = await openTestGateway();
    const refused = { status: 422, json: { code: 'PL_ID_INVALID' } };
    const answer = await post(`/v1/runs/${id}/lookups`, question);
    expect(answer).toMatchObject(refused);
    expect(answer.json).not.toHaveProperty('instance');
    expect(await get(`/v1/runs/${id}/lookups/c`)).toMatchObject(refused);
    expect(await get(`/v1/runs/${id}/trail`)).toMatchObject(refused);
    expect(await get(`/v1/runs/${id}/events`)).toMatchObject(refused);
    expect(await get(`/v1/runs/r/lookups/${id}`)).toMatchObject(refused);
  });
});

function nested(levels: number): object {
  let value: object = {};
  for (let i = 0; i < levels; i++) value = { deeper: value };
  return value;
}
