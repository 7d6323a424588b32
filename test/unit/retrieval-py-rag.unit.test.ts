import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { isProoflineError } from '../../src/contracts/errors.js';
import type { KnowledgeQuery, KnowledgeSearch, SearchOutcome } from '../../src/retrieval/knowledge-search.js';
import { createPyRag } from '../../src/retrieval/py-rag/py-rag.js';
import type { PyRagClock } from '../../src/retrieval/py-rag/py-rag.js';
import type { PyRagSettings } from '../../src/retrieval/py-rag/settings.js';
import {
  playBomb,
  playBytes,
  playEndlessly,
  playHalf,
  playHtml,
  playJson,
  playReset,
  playSilence,
  playSlowly,
  playStatus,
  pyRagAnswer,
  pyRagHit,
  startPyRagServer,
} from '../support/py-rag-server.js';
import type { Play, PyRagServer } from '../support/py-rag-server.js';
import { waitUntil } from '../support/wait.js';

const question: KnowledgeQuery = {
  query: '网关超时怎么排查',
  mode: 'hybrid',
  filters: { category: 'gateway' },
  topK: 10,
};
const good = playJson(pyRagAnswer(question.query, [pyRagHit('gw', 1, 'look at the upstream')]));
const NOW = Date.parse('2026-01-02T12:00:00Z');
const SECRET = 'secret-token-123';

let servers: PyRagServer[] = [];
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

/** A retriever in front of a server that plays this; it sleeps no time, and remembers for how long it would. */
async function given(plays: readonly Play[], settings: Partial<PyRagSettings> = {}) {
  const server = await startPyRagServer(...plays);
  servers.push(server);
  const slept: number[] = [];
  const clock: PyRagClock = {
    now: () => NOW,
    random: () => 0.5,
    sleep: (ms) => {
      slept.push(ms);
      return Promise.resolve();
    },
  };
  return { server, slept, search: createPyRag({ url: server.url, token: SECRET, ...settings }, clock) };
}

const ask = (search: KnowledgeSearch) => search.search(question);

function failure(code: string, retryable: boolean, problem: string) {
  return {
    kind: 'failed',
    failure: { code, retryable, message: expect.stringContaining(problem) as string },
  };
}

describe('what py-rag is asked', () => {
  it('posts query, mode, filters and top_k as JSON, with the bearer token', async () => {
    const { server, search } = await given([good]);
    await ask(search);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      body: { query: question.query, mode: 'hybrid', filters: { category: 'gateway' }, top_k: 10 },
      headers: {
        authorization: `Bearer ${SECRET}`,
        'content-type': 'application/json',
        'accept-encoding': 'identity',
      },
    });
  });

  it('sends no authorization where there is no token', async () => {
    const { server, search } = await given([good], { token: null });
    await ask(search);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('asks nothing with filters that are too deep to be written', async () => {
    const { server, search } = await given([good]);
    const filters = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) as object;
    const outcome = await search.search({ ...question, filters: { ...filters } });
    expect(outcome).toMatchObject(failure('PL_RETRIEVAL_REFUSED', false, 'nested'));
    expect(server.requests).toHaveLength(0);
  });
});

describe('an answer', () => {
  it('is mapped to hits and trace', async () => {
    const { search } = await given([good]);
    expect(await ask(search)).toMatchObject({
      kind: 'hits',
      hits: [{ evidenceKey: 'gw#chunk-1', chunkIndex: 1, originalRank: 1, content: 'look at the upstream' }],
      trace: { rerank_model: 'test-reranker' },
    });
  });

  it('of no evidence is an answer, asked for once', async () => {
    const { server, search } = await given([playJson(pyRagAnswer('x', []))]);
    expect(await ask(search)).toMatchObject({ kind: 'hits', hits: [] });
    expect(server.requests).toHaveLength(1);
  });

  it('may come without a content type, or with a suffixed one', async () => {
    const body = JSON.stringify(pyRagAnswer('x', []));
    for (const headers of [{}, { 'content-type': 'application/problem+json; charset=utf-8' }]) {
      const { search } = await given([playBytes(body, headers)]);
      expect((await ask(search)).kind).toBe('hits');
    }
  });
});

const broken: readonly (readonly [string, Play, string])[] = [
  ['HTML', playHtml(), 'text/html'],
  ['no JSON', playBytes('all is well'), 'not JSON'],
  ['nothing', playBytes(''), 'not JSON'],
  ['no UTF-8', playBytes(Buffer.from([0x7b, 0xff, 0x7d])), 'UTF-8'],
  ['JSON of another shape', playJson({ results: [] }), 'hits is not an array'],
  [
    'a hit without a key',
    playJson(pyRagAnswer('x', [{ ...pyRagHit('a', 0, 'x'), evidence_key: ' ' }])),
    'hits[0]',
  ],
  ['an endless body', playEndlessly(), 'larger than'],
  ['a length over the limit', playBytes(Buffer.alloc(3 * 1024 * 1024, ' ')), 'larger than'],
  ['a gzip bomb', playBomb(), 'compressed'],
  ['a redirect', playStatus(302, { location: 'http://127.0.0.1:1/' }), 'redirects are not followed'],
];

describe('an answer that breaks the contract', () => {
  it.each(broken)('fails the lookup, and is not asked for again: %s', async (_, play, problem) => {
    const { server, search } = await given([play]);
    expect(await ask(search)).toMatchObject(failure('PL_RETRIEVAL_CONTRACT', false, problem));
    expect(server.requests).toHaveLength(1);
  });

  it('may be as large as the limit', async () => {
    const body = JSON.stringify(pyRagAnswer('x', []));
    const { search } = await given([playBytes(body.padEnd(2 * 1024 * 1024))]);
    expect((await ask(search)).kind).toBe('hits');
    const { search: over } = await given([playBytes(body.padEnd(2 * 1024 * 1024 + 1))]);
    expect((await ask(over)).kind).toBe('failed');
  });
});

describe('a lookup that py-rag refuses', () => {
  it.each([400, 404, 408, 413, 422])('fails at once: %i', async (status) => {
    const { server, search } = await given([playStatus(status)]);
    expect(await ask(search)).toMatchObject(failure('PL_RETRIEVAL_REFUSED', false, String(status)));
    expect(server.requests).toHaveLength(1);
  });
});

const unanswered: readonly (readonly [string, Play, string])[] = [
  ['500', playStatus(500), 'answers 500'],
  ['503', playStatus(503, { 'retry-after': '1' }), 'answers 503'],
  ['silence', playSilence(), 'no whole answer within 0.1 s'],
  ['slow bytes', playSlowly(), 'no whole answer within 0.1 s'],
  ['half an answer', playHalf(), 'the connection broke'],
  ['a cut connection', playReset(), 'the connection broke'],
];

describe('a lookup without an answer', () => {
  it.each(unanswered)('fails after five attempts, retryable: %s', async (_, play, problem) => {
    const { server, search } = await given([play], { timeoutMs: 100 });
    expect(await ask(search)).toMatchObject(failure('PL_RETRIEVAL_FAILED', true, problem));
    expect(server.requests).toHaveLength(5);
  });

  it('is asked again after pauses that double, up to a limit', async () => {
    const { slept, search } = await given([playStatus(500)], { maxBackoffMs: 700 });
    await ask(search);
    expect(slept).toEqual([150, 300, 525, 525]);
  });

  it('is answered when a later attempt is', async () => {
    const { server, search } = await given([playStatus(500), playReset(), good]);
    expect((await ask(search)).kind).toBe('hits');
    expect(server.requests).toHaveLength(3);
  });
});

describe('py-rag is down', () => {
  it.each([401, 403])('at once when it refuses the token: %i', async (status) => {
    const { server, search } = await given([playStatus(status)]);
    expect(await ask(search)).toMatchObject({ kind: 'down', retryAfterMs: null });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['seconds', '7', 7_000],
    ['a date', 'Fri, 02 Jan 2026 12:00:30 GMT', 30_000],
    ['a date that is over', 'Fri, 02 Jan 2026 11:00:00 GMT', 0],
    ['more than the limit', '86400', 15 * 60_000],
    ['a number beyond all', '9'.repeat(400), 15 * 60_000],
    ['nonsense', 'soon', null],
    ['below zero', '-5', null],
  ])('at once when it has too many requests; Retry-After of %s', async (_, header, retryAfterMs) => {
    const { server, search } = await given([playStatus(429, { 'retry-after': header })]);
    expect(await ask(search)).toEqual({
      kind: 'down',
      problem: expect.stringContaining('429') as string,
      retryAfterMs,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('at once when the connection is refused', async () => {
    const { server, search } = await given([good]);
    await server.close();
    servers = [];
    expect(await ask(search)).toMatchObject({
      kind: 'down',
      problem: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  it('at once when its name is not known', async () => {
    const outcome = await ask(createPyRag({ url: 'http://py-rag.invalid/search' }));
    expect(outcome).toMatchObject({ kind: 'down', problem: expect.stringMatching(/DNS/) as string });
  });

  it('at once when TLS fails', async () => {
    // Plain HTTP where TLS is expected.
    const { server } = await given([good]);
    const outcome = await ask(createPyRag({ url: server.url.replace('http:', 'https:') }));
    expect(outcome).toMatchObject({ kind: 'down', problem: expect.stringContaining('TLS') as string });
  });

  it('at the fifth lookup in a row without an answer, and no longer once one is answered', async () => {
    const { server, search } = await given([playStatus(500)]);
    const kinds = async (count: number) => {
      const outcomes: SearchOutcome[] = [];
      for (let i = 0; i < count; i++) outcomes.push(await ask(search));
      return outcomes.map((outcome) => outcome.kind);
    };
    expect(await kinds(6)).toEqual(['failed', 'failed', 'failed', 'failed', 'down', 'down']);
    // Four lookups of five attempts; the fifth too; when it is known to be down, one attempt tells enough.
    expect(server.requests).toHaveLength(26);
    server.play(good);
    expect(await kinds(1)).toEqual(['hits']);
    server.play(playStatus(500));
    expect(await kinds(5)).toEqual(['failed', 'failed', 'failed', 'failed', 'down']);
  });

  it('not when a lookup in between was refused or broke the contract: that is an answer', async () => {
    for (const answer of [playStatus(422), playHtml()]) {
      const { server, search } = await given([playStatus(500)]);
      for (let i = 0; i < 4; i++) await ask(search);
      server.play(answer);
      await ask(search);
      server.play(playStatus(500));
      expect((await ask(search)).kind).toBe('failed');
    }
  });
});

describe('giving up', () => {
  it('during an attempt rejects with the reason and lets go of the connection', async () => {
    let closed = false;
    const { server, search } = await given([
      (response) => {
        response.on('close', () => (closed = true));
      },
    ]);
    const controller = new AbortController();
    const outcome = search.search(question, { signal: controller.signal });
    const rejected = expect(outcome).rejects.toThrow('the station stops');
    await waitUntil('the request is there', () => server.requests.length === 1);
    controller.abort(new Error('the station stops'));
    await rejected;
    await waitUntil('the connection is closed', () => closed);
  });

  it('between two attempts rejects with the reason', async () => {
    const server = await startPyRagServer(playStatus(500));
    servers.push(server);
    const controller = new AbortController();
    const search = createPyRag({ url: server.url, backoffMs: 60_000, maxBackoffMs: 60_000 });
    const outcome = search.search(question, { signal: controller.signal });
    const rejected = expect(outcome).rejects.toThrow('the station stops');
    await waitUntil('the first attempt is over', () => server.requests.length === 1);
    controller.abort(new Error('the station stops'));
    await rejected;
  });

  it('an endless body lets go of the connection', async () => {
    let closed = false;
    const { search } = await given([
      (response, request) => {
        response.on('close', () => (closed = true));
        playEndlessly()(response, request);
      },
    ]);
    await ask(search);
    await waitUntil('the connection is closed', () => closed);
  });
});

describe('the token', () => {
  it('goes to nobody that a redirect names', async () => {
    const seen: unknown[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers);
      response.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { search } = await given([playStatus(307, { location: `http://127.0.0.1:${port}/` })]);
    await ask(search);
    await new Promise((resolve) => other.close(resolve));
    expect(seen).toEqual([]);
  });

  it('is in no message, whatever happens', async () => {
    const leak = playBytes(`{"detail":"bad token ${SECRET}"}`);
    for (const play of [leak, playStatus(401), playStatus(500), playReset(), playStatus(422)]) {
      const { search } = await given([play], { attempts: 1 });
      const outcome = JSON.stringify(await ask(search));
      expect(outcome).not.toContain(SECRET);
    }
  });

  it.each([
    ['an address that is none', { url: `not a url ${SECRET}` }],
    ['another protocol', { url: `ftp://host/${SECRET}` }],
    ['a password in the address', { url: `http://user:${SECRET}@host/` }],
    ['a token with a line break', { url: 'http://host/', token: `${SECRET}\nX: y` }],
    ['an empty token', { url: 'http://host/', token: '' }],
  ])('is not repeated when the configuration is refused: %s', (_, settings) => {
    const refusal = caught(() => createPyRag(settings));
    expect(isProoflineError(refusal, 'PL_CONFIG_INVALID')).toBe(true);
    expect(String(refusal)).not.toContain(SECRET);
  });
});

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
}
