import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { StoredRecord } from '../bus/bus.js';
import { eventsAfter, followedEvent, knownEvents, runEventJson, type RunEvent } from '../line/run-events.js';
import { callerOf } from './access.js';
import { openEventStream, type EventStream } from './event-stream.js';
import type { GatewayLine } from './gateway-line.js';
import { assertIds, type GatewayApp, type RouteContext } from './route-kit.js';
import { eventStream, problems, runParams } from './schemas.js';

/** A run's progress as server-sent events: what is known first, then what comes, each event once. */

const DESCRIPTION = `\`event:\` is lookup.requested, lookup.answered, draft.submitted, draft.judged, draft.reviewed,
repair.requested or run.outcome; \`id:\` its event_id; \`data:\` {run_id, event, occurred_at, tool_call_id or draft_id, …}.
A run that nothing is known of yet is waited for. Last-Event-ID skips what was surely seen; what happened within half a
minute of it may come again, under its id.`;

export function eventsRoute(app: GatewayApp, context: RouteContext): void {
  app.get(
    '/v1/runs/:run_id/events',
    {
      config: { scopes: ['read'] },
      exposeHeadRoute: false,
      schema: {
        operationId: 'followRun',
        summary: "A run's progress, as server-sent events",
        description: DESCRIPTION,
        tags: ['runs'],
        params: runParams,
        headers: z.object({ 'last-event-id': z.string().max(128).optional() }),
        response: {
          200: eventStream('The events.'),
          ...problems,
        },
      },
    },
    async (request, reply) => {
      assertIds(request.params);
      const line = context.line();
      const leave = context.readers.take(callerOf(request));
      try {
        await streamRun(line, context, request, reply);
      } finally {
        leave();
      }
      return reply;
    },
  );
}

async function streamRun(
  line: GatewayLine,
  { draining, watchGrant }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { run_id: runId } = request.params as { readonly run_id: string };
  const lastEventId = request.headers['last-event-id'];
  // It is followed before it is looked at what is known, so that nothing lies between the two.
  const early = createEarly();
  const unfollow = line.answers.ofRun(runId, early.take);
  try {
    const known = await knownEvents(line, runId);
    const stream = begin(reply);
    const end = (): void => stream.end();
    draining.addEventListener('abort', end);
    const unwatch = watchGrant(request, end);
    const tell = teller(runId, stream, typeof lastEventId === 'string' ? lastEventId : null);
    for (const event of typeof lastEventId === 'string' ? eventsAfter(known, lastEventId) : known) {
      tell(event);
      await stream.taken();
    }
    for (const event of known) tell.seen(event);
    early.passTo((record) => tell(followedEvent(line.codec, runId, record)));
    if (draining.aborted) end();
    await stream.ended;
    unwatch();
    draining.removeEventListener('abort', end);
  } finally {
    unfollow();
  }
}

/** Records that come while it is still looked at what is known. */
function createEarly(): {
  readonly take: (record: StoredRecord) => void;
  passTo(next: (record: StoredRecord) => void): void;
} {
  const waiting: StoredRecord[] = [];
  let onRecord = (record: StoredRecord): void => void waiting.push(record);
  return {
    take: (record) => onRecord(record),
    passTo(next) {
      for (const record of waiting.splice(0)) next(record);
      onRecord = next;
    },
  };
}

/** Headers that were set on the way go out with the stream. */
function begin(reply: FastifyReply): EventStream {
  reply.hijack();
  const headers = reply.getHeaders();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies that gather answers would hold the events back.
    'x-accel-buffering': 'no',
  });
  reply.raw.flushHeaders();
  return openEventStream(reply.raw);
}

/** Ids of events that were told, the latest ones. */
const REMEMBERED = 20_000;

interface Teller {
  (event: RunEvent | null): void;
  /** Not told again. */
  seen(event: RunEvent): void;
}

function teller(runId: string, stream: EventStream, lastEventId: string | null): Teller {
  const told = new Set<string>(lastEventId === null ? [] : [lastEventId]);
  const seen = ({ eventId }: RunEvent): void => {
    told.add(eventId);
    const [first] = told;
    if (told.size > REMEMBERED && first !== undefined) told.delete(first);
  };
  const tell = (event: RunEvent | null): void => {
    if (event === null || told.has(event.eventId)) return;
    seen(event);
    stream.send({ id: event.eventId, event: event.event, data: runEventJson(runId, event) });
  };
  return Object.assign(tell, { seen });
}
