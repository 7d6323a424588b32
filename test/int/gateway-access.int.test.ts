import { chmodSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newToken, type Scope, type TokenRow } from '../../src/gateway/tokens.js';
import { cli } from '../support/cli-run.js';
import { closeGateways, openTestGateway, type TestGateway } from '../support/gateway.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

let file = '';
let rows: TokenRow[] = [];

beforeEach(() => {
  file = join(tempFolder(), 'tokens.json');
  rows = [];
});

afterEach(async () => {
  await closeGateways();
  removeTempFolders();
});

function token(scopes: readonly Scope[], runs: readonly string[] = ['*']): string {
  const made = newToken({ name: 'a test', scopes: [...scopes], runs: [...runs] }, Date.now());
  rows.push(made.row);
  write();
  return made.token;
}

function write(): void {
  writeFileSync(file, JSON.stringify({ format: 1, tokens: rows }), { mode: 0o600 });
}

function bearer(text: string): Record<string, string> {
  return { authorization: `Bearer ${text}` };
}

function open(): Promise<TestGateway> {
  return openTestGateway({ gateway: { tokens: file } });
}

const question = { tool_call_id: 'call-1', query: 'gateway timeout' };
const LOOKUPS = '/v1/runs/run-1/lookups';
const unauthenticated = { status: 401, json: { code: 'PL_UNAUTHENTICATED' } };
const forbidden = { status: 403, json: { code: 'PL_FORBIDDEN' } };

describe('tokens', () => {
  test('a token lets in to its scopes and its runs, and to nothing else', async () => {
    const asking = bearer(token(['lookup'], ['run-*', 'other']));
    const reading = bearer(token(['read']));
    const { post, get } = await open();
    expect((await post(LOOKUPS, question, asking)).status).toBe(200);
    expect((await post('/v1/runs/other/lookups', question, asking)).status).toBe(200);
    expect(await post('/v1/runs/another/lookups', question, asking)).toMatchObject(forbidden);
    expect(await post('/v1/runs/xrun-1/lookups', question, asking)).toMatchObject(forbidden);
    expect(await post('/v1/runs/run-1/drafts', { draft_id: 'd', draft_json: '{}' }, asking)).toMatchObject(
      forbidden,
    );
    expect(await get('/v1/runs/run-1/trail', asking)).toMatchObject(forbidden);
    expect(await get('/v1/runs/run-1/events', asking)).toMatchObject(forbidden);
    expect((await get(`${LOOKUPS}/call-1`, reading)).status).toBe(200);
    expect(await post(LOOKUPS, question, reading)).toMatchObject(forbidden);
    const decision = { decision: 'REJECT', by: 'x', reason: 'y' };
    expect(await post('/v1/runs/run-1/drafts/d/decisions', decision, reading)).toMatchObject(forbidden);
  });

  test('what is no token, or not one of these, is not let in', async () => {
    const known = token(['lookup']);
    const { post } = await open();
    const stranger = newToken({ name: '', scopes: ['lookup'], runs: ['*'] }, 0).token;
    const tampered = `${known.slice(0, -1)}${known.endsWith('A') ? 'B' : 'A'}`;
    const id = known.slice(0, 21);
    for (const text of [
      stranger,
      tampered,
      'plt_x',
      '',
      `${id}${'A'.repeat(43)}`,
      rows[0]!.sha256,
      'x'.repeat(4000),
    ])
      expect(await post(LOOKUPS, question, bearer(text))).toMatchObject(unauthenticated);
    const missing = await post(LOOKUPS, question);
    expect(missing).toMatchObject(unauthenticated);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    expect(await post(LOOKUPS, question, { authorization: `Basic ${known}` })).toMatchObject(unauthenticated);
  });

  test('who is not let in has no body read', async () => {
    token(['lookup']);
    const { post } = await open();
    expect(await post(LOOKUPS, 'x'.repeat(2_000_000))).toMatchObject(unauthenticated);
  });

  test('health, metrics and the description need none', async () => {
    token(['lookup']);
    const { get } = await open();
    for (const path of ['/livez', '/metrics', '/openapi.json', '/docs/'])
      expect((await get(path)).status).toBe(200);
  });

  test('the file is read again when it changes; one that cannot be used lets nobody in', async () => {
    const first = bearer(token(['lookup']));
    const { post } = await open();
    expect((await post(LOOKUPS, question, first)).status).toBe(200);
    const second = bearer(token(['lookup']));
    await waitUntil(
      'the new one is known',
      async () => (await post(LOOKUPS, question, second)).status === 200,
    );
    rows.shift();
    write();
    await waitUntil(
      'the old one is revoked',
      async () => (await post(LOOKUPS, question, first)).status === 401,
    );
    writeFileSync(file, '{"format":1,"tokens":[{}]}');
    const unusable = await waitUntil('it is unusable', async () => {
      const answer = await post(LOOKUPS, question, second);
      return answer.status === 503 ? answer : null;
    });
    expect(unusable.json).toMatchObject({ code: 'PL_TOKENS_UNUSABLE', retryable: false });
    expect(unusable.text).not.toContain(file);
    rmSync(file);
    write();
    await waitUntil('it is right again', async () => (await post(LOOKUPS, question, second)).status === 200);
  });

  test('given a file that others may write, or that is none, nothing is started', async () => {
    token(['lookup']);
    chmodSync(file, 0o666);
    await expect(open()).rejects.toMatchObject({ code: 'PL_TOKENS_UNUSABLE' });
    rmSync(file);
    await expect(open()).rejects.toMatchObject({ code: 'PL_TOKENS_UNUSABLE' });
  });

  test('nothing secret is in the log', async () => {
    const secret = token(['lookup']);
    const { post, log } = await open();
    await post('/v1/runs/run-secret/lookups', { ...question, query: 'the-secret-question' }, bearer(secret));
    await post('/v1/runs/a%0Ab/lookups', question, bearer(secret));
    await waitUntil('both are logged', () => log.filter((line) => line.includes('"request"')).length === 2);
    const text = log.join('');
    expect(text).toContain('"run_id":"run-secret"');
    expect(text).toContain('"route":"/v1/runs/:run_id/lookups"');
    for (const hidden of [secret, secret.slice(21), 'the-secret-question', 'a\\nb', 'upstream'])
      expect(text).not.toContain(hidden);
  });
});

describe('names', () => {
  test('an open gateway answers under loopback names alone', async () => {
    const { port } = await openTestGateway();
    for (const host of ['localhost', `127.0.0.1:${port}`, '[::1]:80', 'LOCALHOST:1'])
      expect(await under(port, { host })).toBe(404);
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      `evil.example:${port}`,
    ])
      expect(await under(port, { host })).toBe(403);
  });

  test('given names of its own, it answers under those too', async () => {
    const { port } = await openTestGateway({ gateway: { hosts: ['gateway.example'] } });
    expect(await under(port, { host: 'gateway.example:8080' })).toBe(404);
    expect(await under(port, { host: 'evil.example' })).toBe(403);
  });

  test('pages of other origins are kept out, but those that are allowed', async () => {
    const { port, url } = await openTestGateway({ gateway: { origins: ['https://app.example'] } });
    expect(await under(port, { host: 'localhost', origin: 'https://evil.example' })).toBe(403);
    expect(await under(port, { host: 'localhost', origin: 'null' })).toBe(403);
    expect(await under(port, { host: 'localhost', origin: 'http://localhost' })).toBe(404);
    const page = { headers: { origin: 'https://app.example' } };
    const allowed = await fetch(`${url}/v1/runs/r/drafts/d`, page);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    const preflight = await fetch(`${url}/v1/runs/r/drafts`, { ...page, method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'POST']);
  });

  test('given other methods, it says which there are', async () => {
    const { url } = await openTestGateway();
    const response = await fetch(`${url}/v1/runs/r/drafts`, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await response.json()).toMatchObject({ code: 'PL_METHOD_NOT_ALLOWED' });
    expect(await (await fetch(`${url}/v2`)).json()).toMatchObject({ code: 'PL_NOT_FOUND', status: 404 });
    const text = await fetch(`${url}/v1/runs/r/drafts`, {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    expect([text.status, ((await text.json()) as { code: string }).code]).toEqual([415, 'PL_MEDIA_TYPE']);
  });
});

/** `fetch` sets Host and Origin itself. */
function under(port: number, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(
      { port, host: '127.0.0.1', path: '/v1/runs/r/lookups/c', headers },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

describe('streams of events', () => {
  test.each(['/v1/runs/team-a-1/events', '/v1/verified'])(
    'given a token that is revoked, %s ends',
    async (path) => {
      const revoked = bearer(token(['read']));
      const kept = bearer(token(['read']));
      const { url, get } = await open();
      const [ended, going] = await Promise.all([
        fetch(`${url}${path}`, { headers: revoked }),
        fetch(`${url}${path}`, { headers: kept }),
      ]);
      rows.shift();
      write();
      expect(await ended.text()).not.toContain('event:');
      await waitUntil('the other goes on', async () =>
        (await get('/metrics')).text.includes('\nproofline_http_readers 1\n'),
      );
      await going.body!.cancel();
    },
  );
});

describe('metrics of a gateway', () => {
  test('tell of requests by route and status, and of who was refused why; no run is named', async () => {
    const gateway = await openTestGateway({ gateway: { waits: 0 } });
    await gateway.get('/v1/runs/run-secret/trail');
    await gateway.get('/v1/runs/run-secret/lookups/call-secret?wait=0');
    await gateway.get('/openapi.json', { origin: 'http://elsewhere.example' });
    const { text } = await gateway.get('/metrics');
    for (const line of [
      'proofline_http_requests_total{route="/v1/runs/:run_id/trail",status="4xx"} 1',
      'proofline_http_requests_total{route="/v1/runs/:run_id/lookups/:tool_call_id",status="5xx"} 1',
      'proofline_http_request_seconds_count{route="/v1/runs/:run_id/trail"} 1',
      'proofline_http_refused_total{code="PL_OVERLOADED"} 1',
      'proofline_http_refused_total{code="PL_HOST_REFUSED"} 1',
      'proofline_http_refused_total{code="PL_UNAUTHENTICATED"} 0',
    ])
      expect(text).toContain(`${line}\n`);
    expect(text).not.toContain('secret');
  });
});

describe('proofline tokens', () => {
  test('given several at the same time, no token is lost, and none that was revoked comes back', async () => {
    const env = { PROOFLINE_GATEWAY_TOKENS: file };
    const create = () => cli(['--json', 'tokens', 'create', '--scope', 'read'], { env });
    const { id } = JSON.parse((await create()).out) as { id: string };
    const made = await Promise.all([
      create(),
      create(),
      cli(['tokens', 'revoke', id], { env }),
      create(),
      create(),
    ]);
    expect(made.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    const { out } = await cli(['--json', 'tokens', 'list'], { env });
    const ids = (JSON.parse(out) as { tokens: { id: string }[] }).tokens.map((token) => token.id);
    expect(ids).toHaveLength(4);
    expect(ids).not.toContain(id);
  });

  test('makes one, shows it once, lists and revokes it', async () => {
    const env = { PROOFLINE_GATEWAY_TOKENS: file };
    const made = await cli(
      ['tokens', 'create', '--scope', 'lookup,submit', '--runs', 'team-*', '--name', 'agents'],
      { env },
    );
    const secret = made.out.trim();
    expect(secret).toMatch(/^plt_[0-9a-f]{16}_[\w-]{43}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { post } = await open();
    expect((await post('/v1/runs/team-a/lookups', question, bearer(secret))).status).toBe(200);
    const listed = await cli(['tokens', 'list'], { env });
    const id = secret.slice(4, 20);
    expect(listed.out).toContain(id);
    expect(listed.out + listed.err).not.toContain(secret.slice(21));
    expect((await cli(['--json', 'tokens', 'list'], { env })).out).not.toContain('sha256');
    expect((await cli(['tokens', 'revoke', id], { env })).code).toBe(0);
    utimesSync(file, new Date(), new Date());
    await waitUntil(
      'it is refused',
      async () => (await post('/v1/runs/team-a/lookups', question, bearer(secret))).status === 401,
    );
    expect((await cli(['tokens', 'revoke', id], { env })).code).toBe(2);
  });

  test('refuses scopes and patterns that are none', async () => {
    const env = { PROOFLINE_GATEWAY_TOKENS: file };
    expect(await cli(['tokens', 'create', '--scope', 'admin'], { env })).toMatchObject({ code: 2, out: '' });
    expect(await cli(['tokens', 'create', '--scope', 'read', '--runs', 'a/b'], { env })).toMatchObject({
      code: 2,
    });
    expect(await cli(['tokens', 'create', '--scope', 'read', '--runs', ''], { env })).toMatchObject({
      code: 2,
    });
  });
});
