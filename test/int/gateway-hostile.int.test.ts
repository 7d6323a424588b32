import { afterEach, describe, expect, test } from 'vitest';
import { endChildren, startChild } from '../support/child.js';
import { closeGateways, openRaw, openTestGateway } from '../support/gateway.js';
import { hits, scripted } from '../support/line-search.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { createGate, waitUntil } from '../support/wait.js';

afterEach(async () => {
  await endChildren();
  await closeGateways();
  removeTempFolders();
});

const LOOKUPS = '/v1/runs/run-1/lookups';
const question = { tool_call_id: 'call-1', query: 'gateway timeout' };

/** A retriever that answers once it is let. */
function held() {
  const gate = createGate();
  return { gate, search: scripted(() => gate.opened.then(() => hits([]))) };
}

describe('who sends slowly, or goes away', () => {
  test('a body that trickles in is cut off', async () => {
    const gateway = await openTestGateway();
    const head = `POST ${LOOKUPS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{`;
    const bodies = Array.from({ length: 5 }, () => openRaw(gateway, head));
    const heads = Array.from({ length: 5 }, () => openRaw(gateway, `POST ${LOOKUPS} HTTP/1.1\r\nhost: lo`));
    const all = [...bodies, ...heads];
    const trickle = setInterval(() => all.forEach(({ socket }) => socket.write('x')), 500);
    try {
      await waitUntil('they are cut off', () => all.every(({ socket }) => socket.destroyed), 30_000);
    } finally {
      clearInterval(trickle);
    }
    expect((await gateway.get('/livez')).status).toBe(200);
  }, 40_000);

  test('what is no HTTP is refused', async () => {
    const gateway = await openTestGateway();
    const raw = openRaw(gateway, 'EHLO \u0000\u0001 nonsense\r\n\r\n');
    await raw.closed;
    expect(raw.received()).toMatch(/^HTTP\/1\.1 400 /);
    expect(raw.received()).not.toContain('nonsense');
    expect((await gateway.get('/livez')).status).toBe(200);
  });

  test('a caller that goes away frees its wait at once, and the lookup goes on', async () => {
    const { gate, search } = held();
    const gateway = await openTestGateway({ search, gateway: { waits: 1, waitsEach: 1 } });
    const body = JSON.stringify(question);
    const raw = openRaw(
      gateway,
      `POST ${LOOKUPS}?wait=60 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const full = await waitUntil('it waits', async () => {
      const answer = await gateway.get(`${LOOKUPS}/call-1?wait=0`);
      return answer.status === 429 ? answer : null;
    });
    expect(full.json).toMatchObject({ code: 'PL_TOO_MANY_WAITING', retryable: true });
    raw.socket.destroy();
    await waitUntil(
      'the place is free',
      async () => (await gateway.get(`${LOOKUPS}/call-1?wait=0`)).status === 202,
    );
    gate.open();
    expect((await gateway.get(`${LOOKUPS}/call-1`)).status).toBe(200);
  });
});

describe('too much at once', () => {
  test('ten thousand waits are bounded: some wait, the others are told to come later, and nothing breaks', async () => {
    const { gate, search } = held();
    const gateway = await openTestGateway({
      search,
      gateway: { waits: 500, waitsEach: 400, rate: 1_000_000 },
    });
    const count = 10_000;
    const crowd = startChild('gateway-crowd-child.ts', [String(gateway.port), String(count), '400']);
    await crowd.line('crowded');
    gate.open();
    const done = await crowd.line('done');
    expect(JSON.parse(done.slice('done '.length))).toEqual({ 200: 400, 429: count - 400 });
    expect((await gateway.get('/readyz')).status).toBe(200);
  }, 120_000);

  test('given all places taken by somebody else, the next caller is told that it is not its fault', async () => {
    const { search } = held();
    const gateway = await openTestGateway({ search, gateway: { waits: 1, waitsEach: 5 } });
    const waiting = gateway.post(`${LOOKUPS}?wait=60`, question);
    await waitUntil('it is in the log', async () => {
      const ends = await Promise.all(
        [0, 1].map((each) => gateway.line.bus.bounds('lookup-requested.v1', each)),
      );
      return ends.some(({ end }) => end > 0);
    });
    const answer = await gateway.get(`${LOOKUPS}/call-1?wait=0`);
    expect(answer).toMatchObject({ status: 503, json: { code: 'PL_OVERLOADED', retryable: true } });
    expect(answer.headers.has('retry-after')).toBe(true);
    await gateway.drain();
    expect((await waiting).status).toBe(202);
  });

  test('given more requests a second than are allowed, some are told to come later', async () => {
    const gateway = await openTestGateway({ gateway: { rate: 20 } });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => gateway.get(`${LOOKUPS}/call-1?wait=0`)),
    );
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(100);
    expect(limited[0]!.json).toMatchObject({ code: 'PL_RATE_LIMITED', retryable: true, status: 429 });
    expect(Number(limited[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    // Health is nobody's to use up.
    expect((await gateway.get('/livez')).status).toBe(200);
  });

  test('given a process that is to end, who waits is told to ask again, and nobody is let in', async () => {
    const { search } = held();
    const gateway = await openTestGateway({ search });
    const waiting = gateway.post(`${LOOKUPS}?wait=60`, question);
    await waitUntil(
      'it is in the log',
      async () => (await gateway.get(`${LOOKUPS}/call-1?wait=0`)).status === 202,
    );
    await gateway.drain();
    expect(await waiting).toMatchObject({ status: 202, json: { state: 'PENDING' } });
    const late = await gateway.post(LOOKUPS, question);
    expect(late).toMatchObject({ status: 503, json: { code: 'PL_NOT_SERVING', retryable: true } });
    expect(late.headers.has('retry-after')).toBe(true);
  });

  test('given headers that are too large, it answers that, and goes on', async () => {
    const gateway = await openTestGateway();
    const answer = await gateway
      .get(`${LOOKUPS}/call-1`, { 'x-large': 'x'.repeat(40_000) })
      .catch(() => null);
    expect(answer?.status ?? 431).toBe(431);
    expect((await gateway.get('/livez')).status).toBe(200);
  });
});
