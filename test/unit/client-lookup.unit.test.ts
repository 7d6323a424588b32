import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createClient,
  isProoflineApiError,
  ProoflineApiError,
  type ClientOptions,
} from '../../src/client/index.js';
import {
  closeScriptedGateways,
  cut,
  json,
  openScriptedGateway,
  pending,
  problem,
  silent,
  view,
  viewText,
  type ScriptedGateway,
} from '../support/client-gateway.js';
import { waitUntil } from '../support/wait.js';

let gateway: ScriptedGateway;
beforeEach(async () => void (gateway = await openScriptedGateway()));
afterEach(closeScriptedGateways);

const quick = { firstPauseMs: 1, longestPauseMs: 20 };

function openRun(options: Partial<ClientOptions> = {}) {
  return createClient({ url: gateway.url, retry: quick, ...options }).createRun({ runId: 'run-1' });
}

function failure(work: Promise<unknown>): Promise<ProoflineApiError> {
  return work.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => {
      if (isProoflineApiError(error)) return error;
      throw error;
    },
  );
}

describe('a lookup', () => {
  it('gives the agent view byte for byte, and read', async () => {
    gateway.answer(view({ 'proofline-gain': 'NEW' }));
    const result = await openRun({ token: 'secret' }).lookup('网关', { toolCallId: 'call-1', waitMs: 2500 });
    expect(result).toEqual({
      state: 'READY',
      toolCallId: 'call-1',
      agentView: viewText('call-1'),
      view: {
        evidenceStatus: 'NO_EVIDENCE',
        toolCallId: 'call-1',
        query: '网关',
        evidence: [],
        returnedCount: 0,
        relevanceLevel: null,
        truncated: false,
      },
      gain: 'NEW',
      repeat: false,
      expiresAt: '2026-01-02T03:04:05.000Z',
      eventId: 'e'.repeat(32),
    });
    const [request] = gateway.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/v1/runs/run-1/lookups?wait=2.5' });
    expect(request?.headers.authorization).toBe('Bearer secret');
    expect(request?.body).toEqual({ tool_call_id: 'call-1', query: '网关' });
  });

  it('sends what else is asked, and the limits of the run with it', async () => {
    gateway.answer(view());
    const limits = { deadline: new Date('2026-01-02T03:04:05Z'), maxLookups: 3 };
    const run = createClient({ url: `${gateway.url}/behind/a/proxy/` }).createRun({ limits });
    await run.lookup('q', { mode: 'semantic', filters: { a: 1 }, topK: 3, ttlMs: 1000, includeTrace: true });
    expect(gateway.requests[0]?.url).toMatch(/^\/behind\/a\/proxy\/v1\/runs\/run-[0-9a-f]{32}\/lookups/);
    expect(gateway.requests[0]?.body).toMatchObject({
      tool_call_id: expect.stringMatching(/^call-[0-9a-f]{32}$/) as string,
      mode: 'semantic',
      filters: { a: 1 },
      top_k: 3,
      ttl_ms: 1000,
      include_trace: true,
      limits: { deadline: '2026-01-02T03:04:05.000Z', max_lookups: 3 },
    });
  });

  it('asks on where the gateway says, until the answer is there', async () => {
    gateway.answer(pending, problem(404, 'PL_NOT_FOUND'), pending, view());
    const result = await openRun().lookup('q', { toolCallId: 'call-1' });
    expect(result.state).toBe('READY');
    expect(gateway.requests.map(({ method, url }) => `${method} ${url.split('?')[0] ?? ''}`)).toEqual([
      'POST /v1/runs/run-1/lookups',
      ...Array<string>(3).fill('GET /v1/runs/run-1/lookups/call-1'),
    ]);
  });

  it('is PENDING when there is no answer in time', async () => {
    gateway.answer(pending);
    const result = await openRun().lookup('q', { toolCallId: 'call-1', waitMs: 0 });
    expect(result).toEqual({ state: 'PENDING', toolCallId: 'call-1' });
    expect(gateway.requests).toHaveLength(1);
  });

  it('is FAILED as the line says, without a second question', async () => {
    gateway.answer(problem(424, 'PL_RETRIEVAL_FAILED', { retryable: true }));
    expect(await openRun().lookup('q', { toolCallId: 'call-1' })).toEqual({
      state: 'FAILED',
      toolCallId: 'call-1',
      code: 'PL_RETRIEVAL_FAILED',
      message: 'because of PL_RETRIEVAL_FAILED',
      retryable: true,
      text: null,
    });
    expect(gateway.requests).toHaveLength(1);
  });

  it('is REFUSED with the text for the model when the run must stop', async () => {
    const text = { zh: '停', en: 'stop' };
    gateway.answer(problem(409, 'PL_STOP_REQUIRED', { text }));
    expect(await openRun().lookup('q', { toolCallId: 'call-1' })).toEqual({
      state: 'REFUSED',
      toolCallId: 'call-1',
      code: 'PL_STOP_REQUIRED',
      text,
    });
  });
});

describe('what a lookup throws', () => {
  it.each([
    [409, 'PL_REPEAT_CONFLICT'],
    [422, 'PL_INPUT_INVALID'],
    [413, 'PL_INPUT_INVALID'],
    [401, 'PL_UNAUTHENTICATED'],
    [403, 'PL_FORBIDDEN'],
    [400, 'PL_INPUT_INVALID'],
  ])('is the problem of a %i, at once', async (status, code) => {
    // Though it claims to be: nothing of the caller's own gets better by itself.
    gateway.answer(problem(status, code, { retryable: true }));
    const error = await failure(openRun().lookup('q'));
    expect(error).toMatchObject({ code, status, solution: 'do', message: `because of ${code}` });
    expect(gateway.requests).toHaveLength(1);
  });

  it('is the last answer when trying again does not help', async () => {
    gateway.answer(problem(503, 'PL_BUS_DOWN'));
    const error = await failure(openRun({ retry: { ...quick, retries: 2 } }).lookup('q'));
    expect(error).toMatchObject({ code: 'PL_BUS_DOWN', status: 503, retryable: true });
    expect(gateway.requests).toHaveLength(3);
  });

  it.each([
    [
      'bytes that are not those of the digest',
      view({ 'proofline-agent-view-sha256': 'a'.repeat(64) }),
      'bytes',
    ],
    ['a view of another lookup', json(200, {}, {}), 'digest'],
    ['a redirect', json(302, {}, { location: 'http://127.0.0.1:1/' }), 'leads elsewhere'],
  ])('is PL_GATEWAY_ANSWER for %s', async (_, answer, says) => {
    gateway.answer(answer);
    const error = await failure(openRun().lookup('q', { toolCallId: 'call-1' }));
    expect(error).toMatchObject({ code: 'PL_GATEWAY_ANSWER', retryable: false, status: null });
    expect(error.message).toContain(says);
    expect(gateway.requests).toHaveLength(1);
  });

  it('is PL_GATEWAY_ANSWER for a text that is no agent view of this lookup, also where digests are not checked', async () => {
    gateway.answer((response) => response.end(viewText('call-2')));
    const error = await failure(openRun({ checkViews: false }).lookup('q', { toolCallId: 'call-1' }));
    expect(error.message).toContain('no agent view of call-1');
  });

  it('is PL_GATEWAY_ANSWER for more bytes than may come, without reading on', async () => {
    let stopped = false;
    gateway.answer((response) => {
      response.on('close', () => (stopped = true));
      const more = (): void => {
        while (!stopped && response.write('x'.repeat(65_536)));
        if (!stopped) response.once('drain', more);
      };
      more();
    });
    const error = await failure(openRun({ maxAnswerBytes: 200_000 }).lookup('q'));
    expect(error.message).toContain('larger than 200000 bytes');
    await waitUntil('the connection is given up', () => stopped);
  });

  it('is PL_GATEWAY_DOWN for a page of a proxy that is down, and for nobody at the address', async () => {
    gateway.answer((response) => response.writeHead(502).end('<html>'));
    const error = await failure(openRun({ retry: { ...quick, retries: 1 } }).lookup('q'));
    expect(error).toMatchObject({ code: 'PL_GATEWAY_DOWN', status: 502 });
    expect(gateway.requests).toHaveLength(2);
    await closeScriptedGateways();
    const nobody = await failure(openRun({ retry: { ...quick, retries: 1 } }).lookup('q'));
    expect(nobody).toMatchObject({ code: 'PL_GATEWAY_DOWN', status: null, retryable: true });
    expect(nobody.message).toContain('ECONNREFUSED');
  });

  it('is PL_GATEWAY_DOWN when it takes longer than it may', async () => {
    gateway.answer(silent);
    const run = openRun({ timeoutMs: 20, retry: { retries: 0 } });
    expect((await failure(run.lookup('q', { waitMs: 0 }))).message).toContain('nothing within 0.02 s');
  });

  it('never holds the token', async () => {
    gateway.answer(problem(401, 'PL_UNAUTHENTICATED'));
    const error = await failure(openRun({ token: 'very-secret' }).lookup('q'));
    expect(JSON.stringify(error) + String(error.stack)).not.toContain('very-secret');
  });

  it.each(['..', 'a/b', '', 'a b', 'x'.repeat(129)])(
    'is PL_ID_INVALID for the id %j, before anything is sent',
    async (id) => {
      const { code } = await failure(openRun().lookup('q', { toolCallId: id }));
      expect(code).toBe('PL_ID_INVALID');
      expect(() => createClient({ url: gateway.url }).createRun({ runId: id })).toThrow('run_id');
      expect(gateway.requests).toEqual([]);
    },
  );

  it('is the reason of the signal, which also ends the request at the gateway', async () => {
    let ended = false;
    gateway.answer((response) => void response.on('close', () => (ended = true)));
    const stop = new AbortController();
    const asking = openRun().lookup('q', { signal: stop.signal });
    await waitUntil('it is asked', () => gateway.requests.length === 1);
    stop.abort(new Error('no more'));
    await expect(asking).rejects.toThrow('no more');
    await waitUntil('the gateway knows', () => ended);
    await expect(openRun().lookup('q', { signal: stop.signal })).rejects.toThrow('no more');
    expect(gateway.requests).toHaveLength(1);
  });

  it('is the reason of the signal also while it waits to try again', async () => {
    gateway.answer(problem(429, 'PL_RATE_LIMITED', {}, { 'retry-after': '5' }));
    const stop = new AbortController();
    const run = openRun({ retry: { longestPauseMs: 10_000 } });
    const asking = run.lookup('q', { signal: stop.signal });
    await waitUntil('it is asked', () => gateway.requests.length === 1);
    setTimeout(() => stop.abort(new Error('no more')), 20);
    await expect(asking).rejects.toThrow('no more');
  });
});

describe('a request that failed', () => {
  it('is sent again with the same ids, so that its effect happens once', async () => {
    gateway.answer(
      cut,
      problem(503, 'PL_BUS_DOWN'),
      problem(429, 'PL_RATE_LIMITED', {}, { 'retry-after': '0' }),
      view(),
    );
    expect((await openRun().lookup('q')).state).toBe('READY');
    const bodies = gateway.requests.map(({ body }) => body);
    expect(bodies).toHaveLength(4);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  });

  it('is given up at once when the gateway asks for more patience than there is', async () => {
    gateway.answer(problem(429, 'PL_RATE_LIMITED', {}, { 'retry-after': '3600' }));
    const error = await failure(openRun().lookup('q'));
    expect(error).toMatchObject({ code: 'PL_RATE_LIMITED', retryAfterMs: 3_600_000, retryable: true });
    expect(gateway.requests).toHaveLength(1);
  });
});

describe('createClient', () => {
  it.each(['', 'gateway', 'ftp://gateway', 'http://user:secret@gateway'])('refuses the URL %j', (url) => {
    expect(() => createClient({ url })).toThrow(ProoflineApiError);
  });
});
