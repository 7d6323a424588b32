import type { FastifyInstance, HTTPMethods } from 'fastify';
import { ProoflineError } from '../contracts/errors.js';
import { answerPreflight } from './access.js';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Which methods each path has, as it is registered. */
export type Methods = ReadonlyMap<string, ReadonlySet<string>>;

export function noteMethods(app: FastifyInstance): Methods {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set<string>();
    methods.set(url, known);
    for (const each of [method].flat()) known.add(each);
  });
  return methods;
}

/** Other methods are refused by name, and a browser that asks first is told which there are. */
export function refuseOtherMethods(app: FastifyInstance, methods: Methods): void {
  for (const [url, known] of [...methods]) {
    const allowed = [...known].join(', ');
    const others = METHODS.filter((method) => !known.has(method) && method !== 'OPTIONS');
    app.route({
      method: others,
      url,
      schema: { hide: true },
      handler: (request, reply) => {
        void reply.header('allow', allowed);
        throw new ProoflineError('PL_METHOD_NOT_ALLOWED', { method: request.method, allowed });
      },
    });
    app.route({
      method: 'OPTIONS',
      url,
      schema: { hide: true },
      handler: (_request, reply) => answerPreflight(reply.header('allow', allowed), allowed),
    });
  }
}
