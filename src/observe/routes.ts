import type { FastifyPluginCallback, FastifyReply } from 'fastify';
import type { Readiness } from './readiness.js';

export interface ObservedProcess {
  /** False after an error that nothing can be believed after. */
  isAlive(): boolean;
  readiness(): Readiness;
  /** In Prometheus's text format. */
  metrics(): Promise<string>;
  readonly metricsContentType: string;
}

/** `/livez`, `/readyz` and `/metrics`. None of them says anything of what the line works on. */
export function observeRoutes(observed: ObservedProcess): FastifyPluginCallback {
  return (app, _options, done) => {
    // That it is answered at all says that the event loop goes round.
    app.get('/livez', (_request, reply) =>
      answer(reply, observed.isAlive(), { status: observed.isAlive() ? 'alive' : 'failed' }),
    );
    app.get('/readyz', (_request, reply) => {
      const readiness = observed.readiness();
      return answer(reply, readiness.ready, readiness);
    });
    app.get('/metrics', async (_request, reply) => {
      const text = await observed.metrics();
      return fresh(reply).type(observed.metricsContentType).send(text);
    });
    done();
  };
}

function answer(reply: FastifyReply, good: boolean, body: object): FastifyReply {
  return fresh(reply)
    .code(good ? 200 : 503)
    .send(body);
}

function fresh(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store');
}
