import { readRunTrace, traceJson } from '../line/read-trace.js';
import { recordUsage } from '../line/record-usage.js';
import { usageBody, usageHandIn } from '../line/usage-hand-in.js';
import { callerOf } from './access.js';
import { createPlaces } from './places.js';
import { assertIds, notFound, sendJson, type GatewayApp, type RouteContext } from './route-kit.js';
import { problems, runParams } from './schemas.js';
import { runTraceSchema, usageAnswerSchema } from './trace-schemas.js';

/** How a run's evidence came about, and what its model used: read, and filled in after the fact. */

/** A trace reads all that the audit has of a run: a few at a time. */
const TRACES = 8;
const TRACES_EACH = 4;

const BODY_BYTES = 16 * 1024;

export function traceRoutes(app: GatewayApp, context: RouteContext): void {
  const places = createPlaces('traces are read', TRACES, TRACES_EACH);

  app.get(
    '/v1/runs/:run_id/trace',
    {
      config: { scopes: ['read'] },
      schema: {
        operationId: 'getTrace',
        summary: "How a run's evidence came about, and what its model used",
        tags: ['runs'],
        params: runParams,
        response: { 200: runTraceSchema, ...problems },
      },
    },
    async (request, reply) => {
      assertIds(request.params);
      const { run_id: runId } = request.params;
      const line = context.line();
      const leave = places.take(callerOf(request));
      try {
        const trace = await readRunTrace(line, runId);
        if (trace === null) throw notFound(`run ${runId}`);
        return await sendJson(reply, traceJson(trace));
      } finally {
        leave();
      }
    },
  );

  app.post(
    '/v1/runs/:run_id/trace',
    {
      config: { scopes: ['submit'] },
      bodyLimit: BODY_BYTES,
      schema: {
        operationId: 'reportUsage',
        summary: 'Fill in what the generation of a draft used, and what it cost',
        description: 'The same again changes nothing. Of a draft the last one counts.',
        tags: ['runs'],
        params: runParams,
        body: usageBody,
        response: { 200: usageAnswerSchema, ...problems },
      },
    },
    async (request, reply) => {
      const { run_id: runId } = request.params;
      const line = context.line();
      const leave = places.take(callerOf(request));
      try {
        const usage = usageHandIn(runId, request.body);
        const { eventId, repeat } = await recordUsage(line, usage);
        return await sendJson(reply, { run_id: runId, draft_id: usage.draftId, event_id: eventId, repeat });
      } finally {
        leave();
      }
    },
  );
}
