import { fastify, type FastifyInstance, type FastifyPluginCallback } from 'fastify';

/** A server that routes are put into; it answers once it listens. */
export interface HttpServer {
  readonly app: FastifyInstance;
  /** Begins to listen; answers with the address, with the port that was given out for port 0. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
  /** Lets requests at hand end, then closes every connection. */
  close(): Promise<void>;
}

export interface HttpServerOptions {
  /** Sets of routes, each registered once. */
  readonly routes: readonly FastifyPluginCallback[];
  /** Bytes of the largest body; 16 KiB by default. */
  readonly bodyLimit?: number;
  /** Open connections at a time; 256 by default. */
  readonly maxConnections?: number;
}

const KIB = 1024;
const REQUEST_MS = 10_000;
const IDLE_MS = 5000;

/** A server that cannot be kept busy by who sends slowly, or much, or nothing. It logs nothing of what it is sent. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { routes, bodyLimit = 16 * KIB, maxConnections = 256 } = options;
  const app = fastify({
    bodyLimit,
    connectionTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    forceCloseConnections: 'idle',
    http: { maxHeaderSize: 16 * KIB },
  });
  app.server.maxConnections = maxConnections;
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not found' }));
  app.setErrorHandler((error, _request, reply) => {
    const { statusCode = 500 } = error as { readonly statusCode?: number };
    // The text of an unexpected error may hold anything.
    const status = statusCode >= 400 && statusCode < 500 ? statusCode : 500;
    return reply.code(status).send({ error: status === 500 ? 'internal error' : 'bad request' });
  });
  for (const plugin of routes) app.register(plugin);
  return {
    app, // Fastify writes into what it is given.
    listen: (address) => app.listen({ ...address }),
    close: () => app.close(),
  };
}
