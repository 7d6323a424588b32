import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { gatewayLine } from '../../src/mcp/gateway-line.js';
import { connect, texts, viewOf } from '../support/mcp.js';
import { waitUntil } from '../support/wait.js';

/** What a scripted gateway answers a request with; null never answers. */
interface Answer {
  readonly status: number;
  readonly body: string | object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Asked {
  readonly request: string;
  readonly token: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function gateway(answer: (asked: Asked) => Answer | null) {
  const asked: Asked[] = [];
  let gone = 0;
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableEnded) gone++;
    });
    void read(request).then((body) => {
      const { method = '', url = '' } = request;
      const one = {
        request: `${method} ${url.replace(/\?.*/, '')}`,
        token: request.headers.authorization,
        body,
      };
      asked.push(one);
      const given = answer(one);
      if (given === null) return;
      const text = typeof given.body === 'string' ? given.body : JSON.stringify(given.body);
      const type = given.status < 400 ? 'application/json' : 'application/problem+json';
      response.writeHead(given.status, { 'content-type': type, ...given.headers }).end(text);
    });
  });
  const url = await listen(server);
  return { url, asked, gone: () => gone };
}

async function read(request: IncomingMessage): Promise<Asked['body']> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Asked['body']);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function session(url: string, options: Parameters<typeof connect>[1] = {}) {
  const connected = await connect(gatewayLine({ url, token: 'secret' }), { run: 'run-1', ...options });
  ends.push(connected.close);
  return connected;
}

const DRAFT = { analysis: [], conclusion: null, action_plan: [], limitations: ['Nothing was looked at.'] };

/** The answer of the gateway to a draft, as far as it is read. */
function judgement(decision: string, more: object = {}): object {
  const record = (fields: object): object => ({ event_id: 'e', run_id: 'run-1', ...fields });
  return {
    run_id: 'run-1',
    draft_id: 'd',
    decision,
    verdict: record({ status: 'REJECTED', attempt: 1, violations: [] }),
    reviewed: record({ decision, findings: [] }),
    verified: decision === 'PUBLISH' ? record({ outcome: 'VERIFIED' }) : null,
    repair: null,
    ...more,
  };
}

const problem = (status: number, code: string, more: object = {}): Answer => ({
  status,
  body: {
    type: 'about:blank',
    title: code,
    status,
    detail: `about ${code}`,
    code,
    retryable: false,
    solution: '',
    ...more,
  },
});

describe('the line behind a gateway', () => {
  it('gives the view on to the byte, with what the headers say of it', async () => {
    const { url, asked } = await gateway(({ body }) => {
      const view = viewOf({ toolCallId: String(body['tool_call_id']), query: String(body['query']) });
      const headers = {
        'proofline-agent-view-sha256': sha256(view),
        'proofline-gain': 'UNCHANGED',
        'proofline-repeat': 'false',
      };
      return { status: 200, body: view, headers };
    });
    const answer = await (await session(url)).call('lookup_knowledge', { query: '网关超时' });
    const { tool_call_id: toolCallId, query } = asked[0]!.body;
    expect(asked[0]).toMatchObject({ request: 'POST /v1/runs/run-1/lookups', token: 'Bearer secret' });
    expect(texts(answer)[0]).toBe(viewOf({ toolCallId: String(toolCallId), query: String(query) }));
    expect(texts(answer)[1]).toContain('Nothing new');
  });

  it('does not pass on a view that is not what the gateway sent', async () => {
    const { url } = await gateway(({ body }) => {
      const view = viewOf({ toolCallId: String(body['tool_call_id']), query: 'q' });
      return {
        status: 200,
        body: view.replace('检查', '重启'),
        headers: { 'proofline-agent-view-sha256': sha256(view) },
      };
    });
    const answer = await (await session(url)).call('lookup_knowledge', { query: 'q' });
    expect(answer.isError).toBe(true);
    expect(texts(answer)[0]).toContain('PL_GATEWAY_ANSWER');
  });

  it.each([
    problem(424, 'PL_RETRIEVAL_FAILED', { retryable: true }),
    problem(409, 'PL_STOP_REQUIRED', { text: { zh: '停', en: 'stop' } }),
    problem(401, 'PL_UNAUTHENTICATED'),
    problem(403, 'PL_FORBIDDEN'),
    problem(422, 'PL_INPUT_INVALID'),
  ])(
    'says in an error that the model can read what the gateway refuses with: $status $body.code',
    async (refusal) => {
      const { url } = await gateway(() => refusal);
      const { call, errors } = await session(url);
      for (const [name, args] of [
        ['lookup_knowledge', { query: 'q' }],
        ['submit_draft', { draft: DRAFT }],
      ] as const) {
        const answer = await call(name, args);
        expect(answer.isError).toBe(true);
        expect(texts(answer)[0]).toContain((refusal.body as { code: string }).code);
      }
      expect(errors).toEqual([]);
    },
  );

  it('hands in, reads the repair prompt, and hands in again', async () => {
    const finding = {
      source: 'GUARD',
      code: 'LIMITATIONS_MISSING',
      path: '/limitations',
      message: 'none',
      detail_json: '{}',
    };
    const repair = {
      ...{ event_id: 'r', run_id: 'run-1', attempts_left: 2, findings: [finding] },
      ...{ prompt_en: 'Mend it.', prompt_zh: '请修改。' },
    };
    const answers = [judgement('REPAIR', { repair }), judgement('PUBLISH')];
    const { url, asked } = await gateway(() => ({ status: 200, body: answers.shift()! }));
    const { call } = await session(url);
    const first = await call('submit_draft', { draft: DRAFT });
    expect(first).toMatchObject({
      isError: true,
      structuredContent: { decision: 'REPAIR', attempts_left: 2 },
    });
    expect(texts(first)[0]).toContain('Mend it.');
    expect(first.structuredContent?.['findings']).toEqual([
      { code: 'LIMITATIONS_MISSING', path: '/limitations', message: 'none' },
    ]);
    const second = await call('submit_draft', { draft: { ...DRAFT, limitations: ['Only this.'] } });
    expect(second.structuredContent).toMatchObject({ decision: 'PUBLISH' });
    expect(asked.map(({ body }) => body['attempt'])).toEqual([1, 2]);
    expect(asked[0]?.body).toMatchObject({
      draft_json: JSON.stringify(DRAFT),
      prompt: { id: 'proofline.system.en' },
    });
  });

  it('asks about a draft that another process handed in, and does not know what was never handed in', async () => {
    const { url, asked } = await gateway(({ request }) =>
      request.endsWith('/known') ? { status: 200, body: judgement('HOLD') } : problem(404, 'PL_NOT_FOUND'),
    );
    const { call } = await session(url);
    expect((await call('get_draft', { draft_id: 'known' })).structuredContent).toMatchObject({
      decision: 'HOLD',
    });
    expect(texts(await call('get_draft', { draft_id: 'unknown' }))[0]).toContain('No report was handed in');
    expect(asked[0]?.request).toBe('GET /v1/runs/run-1/drafts/known');
  });

  it('says that a draft is pending, and how to ask again', async () => {
    const { url } = await gateway(() => ({ status: 202, body: { state: 'PENDING' } }));
    const answer = await (await session(url, { waitMs: 30 })).call('submit_draft', { draft: DRAFT });
    expect(answer.structuredContent).toMatchObject({ state: 'PENDING' });
    expect(texts(answer)[0]).toContain('get_draft');
  });

  it('gives up its request when the client cancels', async () => {
    const { url, asked, gone } = await gateway(() => null);
    const { call } = await session(url);
    const cancelling = new AbortController();
    const answer = call('lookup_knowledge', { query: 'q' }, cancelling.signal);
    await waitUntil('the gateway is asked', () => asked.length === 1);
    cancelling.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    await waitUntil('the request is given up', () => gone() === 1);
  });
});
