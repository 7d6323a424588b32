import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient, type RunEvent, type VerifiedEvent } from '../../src/client/index.js';
import {
  closeScriptedGateways,
  cut,
  events,
  json,
  openScriptedGateway,
  problem,
  type ScriptedGateway,
} from '../support/client-gateway.js';
import { waitUntil } from '../support/wait.js';

let gateway: ScriptedGateway;
beforeEach(async () => void (gateway = await openScriptedGateway()));
afterEach(closeScriptedGateways);

function openClient() {
  return createClient({ url: gateway.url, token: 'secret', retry: { firstPauseMs: 1, longestPauseMs: 5 } });
}

function event(id: string, name = 'lookup.answered') {
  const data = {
    run_id: 'run-1',
    event: name,
    occurred_at: '2026-01-02T03:04:05.000Z',
    tool_call_id: 'call-1',
  };
  return { id, event: name, data };
}

async function take<T>(stream: AsyncGenerator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const each of stream) if (taken.push(each) === count) break;
  return taken;
}

const ids = (taken: readonly RunEvent[]): string[] => taken.map(({ id }) => id);

describe('the events of a run', () => {
  it('are what the gateway sends', async () => {
    gateway.answer(events([event('a')], { stays: true }));
    const [first] = await take(openClient().createRun({ runId: 'run-1' }).events(), 1);
    expect(first).toEqual({
      id: 'a',
      event: 'lookup.answered',
      runId: 'run-1',
      occurredAt: '2026-01-02T03:04:05.000Z',
      toolCallId: 'call-1',
      draftId: null,
      data: event('a').data,
    });
    expect(gateway.requests[0]).toMatchObject({
      url: '/v1/runs/run-1/events',
      headers: { accept: 'text/event-stream', authorization: 'Bearer secret' },
    });
  });

  it('go on after the last one when the connection breaks, each once', async () => {
    gateway.answer(
      events([event('a'), event('b')]),
      cut,
      problem(503, 'PL_BUS_DOWN'),
      // A gateway that forgot where the reader was.
      events([event('a'), event('b'), event('c')], { stays: true }),
    );
    const taken = await take(openClient().createRun({ runId: 'run-1' }).events(), 3);
    expect(ids(taken)).toEqual(['a', 'b', 'c']);
    expect(gateway.requests.map(({ headers }) => headers['last-event-id'])).toEqual([
      undefined,
      'b',
      'b',
      'b',
    ]);
  });

  it('begin after the event that the caller names', async () => {
    gateway.answer(events([event('b')], { stays: true }));
    await take(openClient().createRun({ runId: 'run-1' }).events({ lastEventId: 'a' }), 1);
    expect(gateway.requests[0]?.headers['last-event-id']).toBe('a');
  });

  it('end when the signal aborts, and with them the connection', async () => {
    let closed = false;
    gateway.answer((response, request) => {
      response.on('close', () => (closed = true));
      events([event('a')], { stays: true })(response, request);
    });
    const stop = new AbortController();
    const taken: RunEvent[] = [];
    for await (const each of openClient().createRun({ runId: 'run-1' }).events({ signal: stop.signal })) {
      taken.push(each);
      stop.abort();
    }
    expect(ids(taken)).toEqual(['a']);
    await waitUntil('the gateway knows', () => closed);
  });

  it('end with the connection when the reader breaks', async () => {
    let closed = false;
    gateway.answer((response, request) => {
      response.on('close', () => (closed = true));
      events([event('a')], { stays: true })(response, request);
    });
    await take(openClient().createRun({ runId: 'run-1' }).events(), 1);
    await waitUntil('the gateway knows', () => closed);
  });

  it.each([
    ['a token that may not', problem(403, 'PL_FORBIDDEN'), 'PL_FORBIDDEN'],
    ['an answer that is no stream', json(200, {}), 'PL_GATEWAY_ANSWER'],
    ['data that is no JSON object', events([{ id: 'a', data: 1 }]), 'PL_GATEWAY_ANSWER'],
    [
      'an event without an end',
      (response: Parameters<ReturnType<typeof json>>[0]) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`data: ${'x'.repeat(9 * 1024 * 1024)}`);
      },
      'PL_GATEWAY_ANSWER',
    ],
  ])('fail for %s', async (_, answer, code) => {
    gateway.answer(answer);
    await expect(take(openClient().createRun({ runId: 'run-1' }).events(), 1)).rejects.toMatchObject({
      code,
    });
    expect(gateway.requests).toHaveLength(1);
  });
});

describe('verified drafts', () => {
  const outcome = (eventId: string) => ({
    event_id: eventId,
    run_id: 'run-1',
    outcome: 'VERIFIED',
    draft_id: 'd',
  });

  it('come each once, with the place to go on at', async () => {
    gateway.answer(
      events([{ id: 'p0:1', event: 'verified', data: outcome('a') }]),
      events(
        [
          { id: 'p0:2', event: 'verified', data: outcome('a') },
          { id: 'p0:3', event: 'verified', data: outcome('b') },
        ],
        { stays: true },
      ),
    );
    const taken: VerifiedEvent[] = await take(openClient().verified(), 2);
    expect(taken.map(({ id, verified }) => [id, verified.eventId, verified.draftId])).toEqual([
      ['p0:1', 'a', 'd'],
      ['p0:3', 'b', 'd'],
    ]);
    expect(gateway.requests.map(({ url, headers }) => [url, headers['last-event-id']])).toEqual([
      ['/v1/verified', undefined],
      ['/v1/verified', 'p0:1'],
    ]);
  });
});
