import { readRun } from '../line/run-snapshot.js';
import { runTrail, runTrailJson } from '../line/run-trail.js';
import { callerOf } from './access.js';
import { createPlaces } from './places.js';
import { assertIds, notFound, sendJson, type GatewayApp, type RouteContext } from './route-kit.js';
import { problems, runParams, trailSchema } from './schemas.js';

/** A trail reads whole partitions: a few at a time, so that lookups go on meanwhile. */
const TRAILS = 4;
const TRAILS_EACH = 2;

export function trailRoute(app: GatewayApp, context: RouteContext): void {
  const places = createPlaces('trails are read', TRAILS, TRAILS_EACH);
  app.get(
    '/v1/runs/:run_id/trail',
    {
      config: { scopes: ['read'] },
      schema: {
        operationId: 'getTrail',
        summary: 'What happened in a run, from question to verdict',
        tags: ['runs'],
        params: runParams,
        response: { 200: trailSchema, ...problems },
      },
    },
    async (request, reply) => {
      assertIds(request.params);
      const { run_id: runId } = request.params;
      const line = context.line();
      const leave = places.take(callerOf(request));
      try {
        const data = await readRun(line, runId);
        if (data === null) throw notFound(`run ${runId}`);
        return await sendJson(reply, runTrailJson(runTrail(data, line.codec)));
      } finally {
        leave();
      }
    },
  );
}
