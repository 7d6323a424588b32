import type { FastifyInstance } from 'fastify';
import type { GatewayMetrics } from '../observe/gateway-metrics.js';

/** Counts what is answered, by the pattern of the path: the path itself would be a series for every run. */
export function countAnswers(app: FastifyInstance, metrics: GatewayMetrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.answered({
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      seconds: isStream(reply.raw.getHeader('content-type')) ? null : reply.elapsedTime / 1000,
    });
    done();
  });
}

function isStream(contentType: unknown): boolean {
  return typeof contentType === 'string' && contentType.startsWith('text/event-stream');
}
