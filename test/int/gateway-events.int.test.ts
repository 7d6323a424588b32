import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { openEventStream } from '../../src/gateway/event-stream.js';
import { fastify } from 'fastify';
import { closeGateways, openTestGateway, type TestGateway } from '../support/gateway.js';
import { forgedDraft, trueDraft } from '../support/line-drafts.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const stopping: AbortController[] = [];

afterEach(async () => {
  for (const stop of stopping.splice(0)) stop.abort();
  await closeGateways();
  removeTempFolders();
});

const RUN = '/v1/runs/run-1';

interface Reader {
  readonly events: readonly EventSourceMessage[];
  readonly names: () => readonly string[];
  readonly ended: Promise<void>;
  stop(): void;
}

async function follow({ url }: TestGateway, lastEventId?: string): Promise<Reader> {
  const stop = new AbortController();
  stopping.push(stop);
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const response = await fetch(`${url}${RUN}/events`, { headers, signal: stop.signal });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => void events.push(event) });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!)
      parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
  };
  const ended = read().catch(() => undefined);
  return { events, names: () => events.map(({ event }) => event ?? ''), ended, stop: () => stop.abort() };
}

const story = [
  'lookup.requested',
  'lookup.answered',
  'draft.submitted',
  'draft.judged',
  'draft.reviewed',
  'repair.requested',
  'draft.submitted',
  'draft.judged',
  'draft.reviewed',
  'run.outcome',
];

async function tellStory({ post }: TestGateway): Promise<void> {
  await post(`${RUN}/lookups`, { tool_call_id: 'call-1', query: 'gateway timeout' });
  await post(`${RUN}/drafts`, { draft_id: 'draft-1', draft_json: forgedDraft() });
  await post(`${RUN}/drafts`, { draft_id: 'draft-2', attempt: 2, draft_json: trueDraft() });
}

describe("a run's events", () => {
  test('come as they happen, each once, and facts alone', async () => {
    const gateway = await openTestGateway();
    const reader = await follow(gateway);
    await tellStory(gateway);
    await waitUntil('all came', () => reader.events.length >= story.length);
    expect([...reader.names()].sort()).toEqual([...story].sort());
    expect(new Set(reader.events.map(({ id }) => id)).size).toBe(story.length);
    const answered = reader.events.find(({ event }) => event === 'lookup.answered');
    expect(JSON.parse(answered!.data)).toEqual({
      run_id: 'run-1',
      event: 'lookup.answered',
      occurred_at: expect.stringMatching(/Z$/) as string,
      tool_call_id: 'call-1',
      state: 'READY',
      gain: 'NEW',
      no_evidence_basis: null,
      code: null,
    });
    const text = reader.events.map(({ data }) => data).join('');
    expect(text).not.toContain('upstream');
    expect(text).not.toContain('gateway timeout');
  });

  test('what is known comes first, whenever the reader comes: nothing is left out, and nothing comes twice', async () => {
    const gateway = await openTestGateway();
    const telling = tellStory(gateway);
    const readers: Reader[] = [];
    const joining = (async () => {
      for (let i = 0; i < 30; i++) readers.push(await follow(gateway));
    })();
    await Promise.all([telling, joining]);
    const late = await follow(gateway);
    for (const reader of [...readers, late]) {
      await waitUntil('all came', () => reader.events.length >= story.length);
      expect([...reader.names()].sort()).toEqual([...story].sort());
      expect(new Set(reader.events.map(({ id }) => id)).size).toBe(story.length);
    }
    expect(late.names()).toEqual(story);
  });

  test('another process tells the same', async () => {
    const gateway = await openTestGateway();
    await tellStory(gateway);
    const first = await follow(gateway);
    const second = await follow(await openTestGateway({ line: gateway.line }));
    await waitUntil('all came', () => first.events.length + second.events.length >= 2 * story.length);
    expect(second.events.map(({ id }) => id)).toEqual(first.events.map(({ id }) => id));
  });

  test('given the last event that was seen, it does not come again, and what comes later does', async () => {
    const gateway = await openTestGateway();
    await gateway.post(`${RUN}/lookups`, { tool_call_id: 'call-1', query: 'gateway timeout' });
    const first = await follow(gateway);
    await waitUntil('both came', () => first.events.length === 2);
    first.stop();
    const again = await follow(gateway, first.events[1]!.id);
    await gateway.post(`${RUN}/drafts`, { draft_id: 'draft-1', draft_json: trueDraft() });
    await waitUntil('the outcome came', () => again.names().includes('run.outcome'));
    expect(again.events.map(({ id }) => id)).not.toContain(first.events[1]!.id);
  });

  test('given too many readers, the next is told to come later; one that goes makes room', async () => {
    const gateway = await openTestGateway({ gateway: { readers: 2 } });
    const [first] = [await follow(gateway), await follow(gateway)];
    expect(await gateway.get(`${RUN}/events`)).toMatchObject({ status: 429, json: { retryable: true } });
    first.stop();
    await waitUntil('there is room', async () => {
      const stop = new AbortController();
      const { status } = await fetch(`${gateway.url}${RUN}/events`, { signal: stop.signal });
      stop.abort();
      return status === 200;
    });
  });

  test('given a reader that goes away while it is looked at what is known, its place is free again', async () => {
    const { line } = await openTestGateway();
    let [release, isAsked] = [(): void => undefined, false];
    const released = new Promise<void>((resolve) => (release = resolve));
    const audit = Object.assign(Object.create(line.audit) as typeof line.audit, {
      async trail(runId: string) {
        isAsked = true;
        await released;
        return line.audit.trail(runId);
      },
    });
    const gateway = await openTestGateway({ line: { ...line, audit }, gateway: { readers: 1 } });
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(`GET ${RUN}/events HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    await waitUntil('it is looked', () => isAsked);
    socket.destroy();
    // What comes after it is answered after its end was seen.
    await gateway.get('/livez');
    release();
    await waitUntil('the place is free', async () =>
      (await gateway.get('/metrics')).text.includes('\nproofline_http_readers 0\n'),
    );
    await follow(gateway);
  });

  test('given more events than may wait for a reader, a slow one gets them all', async () => {
    const app = fastify();
    const COUNT = 40_000;
    app.get('/events', async (_request, reply) => {
      reply.hijack();
      const stream = openEventStream(reply.raw);
      for (let i = 0; i < COUNT; i++) {
        stream.send({ id: String(i), event: 'x', data: { text: 'x'.repeat(400) } });
        await stream.taken();
      }
      stream.end();
    });
    const address = await app.listen({ port: 0 });
    const response = await fetch(`${address}/events`);
    let last = '';
    let text = '';
    for await (const chunk of response.body!) {
      text = (text + Buffer.from(chunk as Uint8Array).toString('utf8')).slice(-2000);
      last = /.*id: (\d+)\n/s.exec(text)?.[1] ?? last;
    }
    expect(last).toBe(String(COUNT - 1));
    await app.close();
  });

  test('given a process that is to end, the streams end', async () => {
    const gateway = await openTestGateway();
    const reader = await follow(gateway);
    await gateway.drain();
    await reader.ended;
  });

  test('given a reader that stops reading, it is cut off', async () => {
    const app = fastify();
    let sent = 0;
    let ended = false;
    app.get('/events', (_request, reply) => {
      reply.hijack();
      const stream = openEventStream(reply.raw);
      void stream.ended.then(() => (ended = true));
      const send = (): void => {
        if (ended) return;
        for (let i = 0; i < 100; i++)
          stream.send({ id: String(sent++), event: 'x', data: { text: 'x'.repeat(1000) } });
        setImmediate(send);
      };
      send();
    });
    const address = await app.listen({ port: 0 });
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n');
    socket.pause();
    await waitUntil('it is cut off', () => ended);
    // What the system's buffers took, and a little more: not what was there to be sent.
    expect(sent).toBeLessThan(100_000);
    socket.destroy();
    await app.close();
  });
});
