import { request, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpServer, type HttpServer } from '../../src/observe/http.js';
import { readinessOf } from '../../src/observe/readiness.js';
import { createLanes } from '../../src/observe/lanes.js';
import { observeRoutes } from '../../src/observe/routes.js';
import { createHealth } from '../../src/station/health.js';

const servers = new Set<HttpServer>();

afterEach(async () => {
  for (const server of servers) await server.close();
  servers.clear();
});

async function serve(change: Partial<Parameters<typeof observeRoutes>[0]> = {}): Promise<string> {
  const routes = observeRoutes({
    isAlive: () => true,
    readiness: () => ({ ready: true, reasons: [], more: 0 }),
    metrics: () => Promise.resolve('m 1\n'),
    metricsContentType: 'text/plain; version=0.0.4',
    ...change,
  });
  const server = createHttpServer({ routes: [routes] });
  servers.add(server);
  return server.listen({ host: '127.0.0.1', port: 0 });
}

describe('the server', () => {
  test('given a path that is not there, says so and repeats nothing of it', async () => {
    const response = await fetch(`${await serve()}/what-somebody-typed?token=secret`);
    expect([response.status, await response.text()]).toEqual([404, '{"error":"not found"}']);
  });

  test.each(['POST', 'PUT', 'DELETE'])('given %s, changes nothing', async (method) => {
    const response = await fetch(`${await serve()}/metrics`, { method, body: 'x' });
    expect(response.status).toBeGreaterThanOrEqual(404);
  });

  test('given an error that nobody foresaw, repeats nothing of it', async () => {
    const url = await serve({ metrics: () => Promise.reject(new Error('the text of the evidence')) });
    const response = await fetch(`${url}/metrics`);
    expect([response.status, await response.text()]).toEqual([500, '{"error":"internal error"}']);
  });

  test('given headers without end, refuses them', async () => {
    const url = new URL(await serve());
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const asking = request({
        host: url.hostname,
        port: url.port,
        path: '/livez',
        headers: { x: 'y'.repeat(100_000) },
      });
      asking.on('response', resolve).on('error', reject).end();
    });
    expect(response.statusCode).toBe(431);
    response.destroy();
  });

  test('nothing that it answers is kept by a cache', async () => {
    const url = await serve();
    for (const path of ['/livez', '/readyz', '/metrics']) {
      const response = await fetch(`${url}${path}`);
      expect(response.headers.get('cache-control')).toBe('no-store');
      await response.text();
    }
  });

  test('given a client that stays connected, it still closes', async () => {
    const server = createHttpServer({ routes: [] });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    await (await fetch(`${url}/`)).text();
    await server.close();
  });
});

describe('readiness', () => {
  const ports = { state: () => 'running' as const, dependencies: () => [] };

  test('given a process without stations, nothing but its dependencies counts', () => {
    const health = createHealth(() => 0);
    expect(readinessOf({ ...ports, lanes: createLanes(() => 0), health: () => health })).toEqual({
      ready: true,
      reasons: [],
      more: 0,
    });
  });

  test('given more reasons than anybody reads, names a hundred, and counts the others', () => {
    const health = createHealth(() => 0);
    for (let partition = 0; partition < 1024; partition++)
      health.waits('guard', partition, 'PL_LEDGER_BEHIND', { problem: 'x'.repeat(10_000) });
    const answer = readinessOf({ ...ports, lanes: createLanes(() => 0), health: () => health });
    expect([answer.ready, answer.reasons.length, answer.more]).toEqual([false, 100, 924]);
    expect(JSON.stringify(answer).length).toBeLessThan(100_000);
  });

  test('given a lane that starts over, it is being opened until it works again', () => {
    let now = 0;
    const lanes = createLanes(() => now);
    const health = createHealth(() => now);
    const reasons = () => readinessOf({ ...ports, lanes, health: () => health }).reasons;
    lanes.subscribed('guard', ['draft-submitted.v1']);
    expect(reasons()).toMatchObject([
      { code: 'PL_NO_PARTITION', station: 'guard', since: '1970-01-01T00:00:00.000Z' },
    ]);
    lanes.opening('guard', 3);
    lanes.opened('guard', 3);
    expect(reasons()).toEqual([]);
    now = 1000;
    lanes.opening('guard', 3);
    expect(reasons()).toMatchObject([
      { code: 'PL_LANE_OPENING', partition: 3, since: '1970-01-01T00:00:01.000Z' },
    ]);
    health.waits('guard', 3, 'PL_DISK_FULL', {});
    expect(reasons()).toMatchObject([{ code: 'PL_DISK_FULL', partition: 3 }]);
    health.goesOn('guard', 3);
    lanes.lost('guard', 3);
    expect(reasons()).toMatchObject([{ code: 'PL_NO_PARTITION', since: '1970-01-01T00:00:01.000Z' }]);
  });
});

describe('lanes that come and go', () => {
  test('are told once, with what came and went in between left out', () => {
    const lanes = createLanes(() => 0);
    lanes.subscribed('guard', ['draft-submitted.v1']);
    lanes.opening('guard', 0);
    lanes.opening('guard', 1);
    lanes.lost('guard', 1);
    expect(lanes.changes()).toEqual([{ station: 'guard', gained: [0], lost: [] }]);
    expect(lanes.changes()).toEqual([]);
    lanes.lost('guard', 0);
    lanes.opening('guard', 0);
    expect(lanes.changes()).toEqual([]);
  });
});
