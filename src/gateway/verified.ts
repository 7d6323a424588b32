import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { StoredRecord } from '../bus/bus.js';
import { sha256 } from '../contracts/digest.js';
import { recordToJson } from '../contracts/record-json.js';
import { learning } from '../line/learning-reader.js';
import { readMessage } from '../line/scan.js';
import { tailRecords } from '../line/tail.js';
import { callerOf } from './access.js';
import type { GatewayLine } from './gateway-line.js';
import type { GatewayApp, RouteContext } from './route-kit.js';
import { eventStream, problems } from './schemas.js';

/** The outcomes of all runs as server-sent events, for publishers: those that are kept, then those that come. */

const DESCRIPTION = `\`event:\` is verified; \`data:\` a VerifiedDraft; \`id:\` the place after it. With it as Last-Event-ID a
publisher goes on where it stopped, and begins anew where the logs are others. Each outcome comes at least once: drop
what comes again under its event_id. A token sees the runs that it is for.`;

const MAX_PLACE = 16_384;

export function verifiedRoute(app: GatewayApp, context: RouteContext): void {
  app.get(
    '/v1/verified',
    {
      config: { scopes: ['read'] },
      exposeHeadRoute: false,
      schema: {
        operationId: 'followVerified',
        summary: 'What may be published, of all runs, as server-sent events',
        description: DESCRIPTION,
        tags: ['runs'],
        headers: z.object({ 'last-event-id': z.string().max(MAX_PLACE).optional() }),
        response: {
          200: eventStream('The outcomes.'),
          ...problems,
        },
      },
    },
    async (request, reply) => {
      const line = context.line();
      const leave = context.readers.take(callerOf(request));
      try {
        await streamVerified(line, context, request, reply);
      } finally {
        leave();
      }
      return reply;
    },
  );
}

async function streamVerified(
  line: GatewayLine,
  { draining, watchGrant }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const reading = new AbortController();
  const stop = (): void => reading.abort();
  const response = begin(reply);
  response.once('close', stop);
  draining.addEventListener('abort', stop);
  if (draining.aborted || response.destroyed) stop();
  const unwatch = watchGrant(request, stop);
  const comments = keepAlive(response);
  try {
    const lastEventId = request.headers['last-event-id'];
    for await (const { record, id } of recordsAfter(line, lastEventId, reading.signal)) {
      const { message } = readMessage(line.codec, 'verified.v1', record.value);
      if (message === null || request.grant?.coversRun(message.runId) === false) continue;
      await write(response, eventText(id, recordToJson('verified.v1', message)), reading.signal);
    }
    response.end();
  } catch {
    // The logs are down, or the reader is gone: it comes back and goes on after the last event that it has.
    response.destroy();
  } finally {
    unwatch();
    clearInterval(comments);
    draining.removeEventListener('abort', stop);
  }
}

interface Placed {
  readonly record: StoredRecord;
  /** The place after the record. */
  readonly id: string;
}

/**
 * The records after a place, which is one in all partitions at once: `LOGS.OFFSET-OFFSET-…`, where LOGS tells these
 * logs from others.
 */
async function* recordsAfter(
  { bus, codec }: GatewayLine,
  lastEventId: unknown,
  signal: AbortSignal,
): AsyncGenerator<Placed> {
  const logs = sha256(bus.epoch).slice(0, 8);
  const known = typeof lastEventId === 'string' ? offsetsIn(lastEventId, logs, bus.partitions) : null;
  const partitions = Array.from({ length: bus.partitions }, (_, partition) => partition);
  const next: number[] = [];
  // What retention took away meanwhile is gone.
  for (const partition of partitions)
    next.push(Math.max(known?.[partition] ?? 0, (await bus.bounds('verified.v1', partition)).low));
  const options = { topic: 'verified.v1', partitions, from: [...next], follow: true, signal } as const;
  for await (const record of tailRecords(learning(bus, codec), options)) {
    if (signal.aborted) return;
    next[record.partition] = record.offset + 1;
    yield { record, id: `${logs}.${next.join('-')}` };
  }
}

/** Null for a place in other logs, and for what is none: the reader begins anew. */
function offsetsIn(text: string, logs: string, partitions: number): number[] | null {
  const [of, offsets] = text.split('.');
  if (of !== logs || offsets === undefined || !/^\d{1,15}(-\d{1,15})*$/.test(offsets)) return null;
  const numbers = offsets.split('-').map(Number);
  return numbers.length === partitions ? numbers : null;
}

function eventText(id: string, data: object): string {
  return `id: ${id}\nevent: verified\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Waits until the reader takes it: what it has not read is not gathered here. */
async function write(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (!response.write(text)) await once(response, 'drain', { signal });
}

/** Headers that were set on the way go out with the stream. */
function begin(reply: FastifyReply): ServerResponse {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies that gather answers would hold the events back.
    'x-accel-buffering': 'no',
  });
  reply.raw.flushHeaders();
  reply.raw.on('error', () => undefined);
  return reply.raw;
}

const KEEP_ALIVE_MS = 15_000;

/** Comments while nothing comes. A reader that takes nothing for two turns reads no more. */
function keepAlive(response: ServerResponse): ReturnType<typeof setInterval> {
  let stuck = false;
  return setInterval(() => {
    if (stuck && response.writableNeedDrain) response.destroy();
    stuck = response.writableNeedDrain;
    if (!stuck) response.write(': still here\n\n');
  }, KEEP_ALIVE_MS);
}
