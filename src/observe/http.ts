import {
  fastify,
  type FastifyInstance,
  type FastifyPluginCallback,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';

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
  /** Milliseconds that a connection may be silent while it is answered; 10 s by default. */
  readonly silenceMs?: number;
  /** Told of what goes wrong on the way to a route, in place of a plain answer. */
  readonly onError?: OnError;
}

/** Answers what went wrong: the error, or null where there is no such route. */
export type OnError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

const KIB = 1024;
const REQUEST_MS = 10_000;
const IDLE_MS = 5000;
/** How often requests are looked for that take too long to come in. */
const LOOK_MS = 1000;
/** Connections that come faster than they are taken. */
const BACKLOG = 4096;
/** Longest part of a path: an id with every character escaped. */
const PARAM_CHARS = 512;

/** A server that cannot be kept busy by who sends slowly, or much, or nothing. It logs nothing of what it is sent. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const {
    routes,
    bodyLimit = 16 * KIB,
    maxConnections = 256,
    silenceMs = REQUEST_MS,
    onError = plain,
  } = options;
  const app = fastify({
    bodyLimit,
    connectionTimeout: silenceMs,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    forceCloseConnections: 'idle',
    http: { maxHeaderSize: 16 * KIB, connectionsCheckingInterval: LOOK_MS, headersTimeout: REQUEST_MS },
    routerOptions: { maxParamLength: PARAM_CHARS },
    frameworkErrors: (error, request, reply) => void onError(error, request, reply),
  });
  app.server.maxConnections = maxConnections;
  app.setNotFoundHandler((request, reply) => onError(null, request, reply));
  app.setErrorHandler((error, request, reply) => onError(error, request, reply));
  for (const plugin of routes) app.register(plugin);
  return {
    app, // Fastify writes into what it is given.
    listen: (address) => app.listen({ ...address, backlog: BACKLOG }),
    close: () => app.close(),
  };
}

function plain(error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error === null) return reply.code(404).send({ error: 'not found' });
  const { statusCode = 500 } = error as { readonly statusCode?: number };
  // The text of an unexpected error may hold anything.
  const status = statusCode >= 400 && statusCode < 500 ? statusCode : 500;
  return reply.code(status).send({ error: status === 500 ? 'internal error' : 'bad request' });
}
