import type { FastifyInstance } from 'fastify';
import { isValidId } from '../contracts/ids.js';
import type { Log } from '../observe/log.js';

/** What is told of a request: never what was sent, what was answered, or a token. */
export type RequestLog = Pick<Log, 'request' | 'requestFailed'>;

export function logRequests(app: FastifyInstance, log: RequestLog): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { run_id: runId = '' } = (request.params ?? {}) as { readonly run_id?: string };
    log.request({
      method: request.method,
      route: request.routeOptions.url ?? null,
      run_id: isValidId(runId) ? runId : null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      token: request.grant?.id ?? null,
    });
    done();
  });
}
