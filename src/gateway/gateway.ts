import { setMaxListeners } from 'node:events';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import type { GatewayConfig } from '../config/config.js';
import { ProoflineError } from '../contracts/errors.js';
import type { GatewayMetrics } from '../observe/gateway-metrics.js';
import type { OnError } from '../observe/http.js';
import {
  allowedHosts,
  callerOf,
  checkGrant,
  checkHost,
  checkOrigin,
  grantOf,
  watchGrant,
  type AccessRules,
} from './access.js';
import { contextRoutes } from './contexts.js';
import { countAnswers } from './count-answers.js';
import { decisionRoute } from './decisions.js';
import { draftRoutes } from './drafts.js';
import { eventsRoute } from './events.js';
import type { GatewayLine } from './gateway-line.js';
import { countRequests, type InFlight } from './in-flight.js';
import { lookupRoutes } from './lookups.js';
import { noteMethods, refuseOtherMethods } from './methods.js';
import { documentRoutes } from './openapi.js';
import { createPlaces } from './places.js';
import { problemOf, sendProblem, statusOf, toProoflineError } from './problems.js';
import { logRequests, type RequestLog } from './request-log.js';
import { typed, type RouteContext } from './route-kit.js';
import { openTokenBook } from './tokens.js';
import { traceRoutes } from './trace.js';
import { trailRoute } from './trail.js';
import { verifiedRoute } from './verified.js';

/** The gateway: the line over HTTP, for agents in any language. Any process of it can answer for any run. */

export interface GatewayOptions {
  readonly config: GatewayConfig;
  /** Bytes of the largest draft. */
  readonly draftBytes: number;
  /** Null while there is none. */
  readonly line: () => GatewayLine | null;
  readonly log?: RequestLog;
  readonly metrics?: GatewayMetrics;
}

export interface Gateway {
  readonly routes: FastifyPluginCallback;
  /** For the server that the routes are put into. */
  readonly onError: OnError;
  /** Who waits is told to ask again, and nobody is let in any more; resolves when all were answered. */
  drain(): Promise<void>;
}

/** Waits of a minute, with room for what is sent after it. */
export const SILENCE_MS = 75_000;
/** Every wait has a connection, and those that are told to come later have one for a moment. */
export const MAX_CONNECTIONS = 16_384;

/** @throws ProoflineError PL_TOKENS_UNUSABLE */
export function createGateway({ config, draftBytes, line, log, metrics }: GatewayOptions): Gateway {
  const tokens = config.tokens === null ? null : openTokenBook(config.tokens);
  const rules: AccessRules = {
    tokens,
    hosts: allowedHosts(config.hosts, tokens !== null),
    origins: new Set(config.origins),
  };
  const draining = new AbortController();
  // Everybody who waits listens to it.
  setMaxListeners(0, draining.signal);
  const context: RouteContext = {
    line: () => serving(draining.signal.aborted ? 'stopping' : line()),
    waits: createPlaces('requests wait', config.waits, config.waitsEach, (open) => metrics?.waits(open)),
    readers: createPlaces('streams of events are open', config.readers, config.readers, (open) =>
      metrics?.readers(open),
    ),
    watchGrant: (request, onLost) => watchGrant(rules, request, onLost),
    draining: draining.signal,
    draftBytes,
  };
  const onError: OnError = (error, request, reply) => {
    if (error === null)
      return sendProblem(
        request,
        reply,
        problemOf(new ProoflineError('PL_NOT_FOUND', { what: 'the route' })),
      );
    const known = toProoflineError(error, request.routeOptions.bodyLimit);
    metrics?.refused(known.code);
    if (statusOf(known.code) >= 500)
      log?.requestFailed({ code: known.code, message: known.message }, known.cause);
    return sendProblem(request, reply, problemOf(known));
  };
  let inFlight: InFlight | null = null;
  return {
    routes: (app, _options, done) => {
      inFlight = countRequests(app);
      guardRoutes(app, rules);
      if (log !== undefined) logRequests(app, log);
      if (metrics !== undefined) countAnswers(app, metrics);
      app.setErrorHandler(onError);
      // Pages may send plain text anywhere, without being asked.
      app.removeContentTypeParser('text/plain');
      app.setValidatorCompiler(validatorCompiler);
      // What is sent is made here, from records that are what their schemas say: it is not checked once more.
      app.setSerializerCompiler(() => (data) => JSON.stringify(data));
      app.register(rateLimit, {
        max: config.rate,
        timeWindow: 1000,
        hook: 'onRequest',
        keyGenerator: callerOf,
        addHeadersOnExceeding: NO_HEADERS,
        addHeaders: { ...NO_HEADERS, 'retry-after': true },
        errorResponseBuilder: () => new ProoflineError('PL_RATE_LIMITED', { limit: config.rate }),
      });
      app.register((inner) => registerRoutes(inner, rules, context));
      done();
    },
    onError,
    drain() {
      draining.abort();
      return inFlight?.none(DRAIN_MS) ?? Promise.resolve();
    },
  };
}

/** How long requests at hand may take to end. */
const DRAIN_MS = 5000;

async function registerRoutes(
  app: FastifyInstance,
  rules: AccessRules,
  context: RouteContext,
): Promise<void> {
  await documentRoutes(app);
  app.register((api, _options, done) => {
    const methods = noteMethods(api);
    // After what everybody's requests are counted by, and before a body is read.
    api.addHook('preParsing', (request, _reply, _payload, next) => {
      checkGrant(rules, request);
      next();
    });
    const routes = typed(api);
    lookupRoutes(routes, context);
    draftRoutes(routes, context);
    decisionRoute(routes, context);
    trailRoute(routes, context);
    traceRoutes(routes, context);
    contextRoutes(routes, context);
    eventsRoute(routes, context);
    verifiedRoute(routes, context);
    refuseOtherMethods(api, methods);
    done();
  });
}

/** Only who has to wait is told of the limit. */
const NO_HEADERS = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false };

function serving(line: GatewayLine | 'stopping' | null): GatewayLine {
  if (line === null || line === 'stopping')
    throw new ProoflineError('PL_NOT_SERVING', { state: line ?? 'starting' });
  return line;
}

/** In this order: under which name, from which page, and who. */
function guardRoutes(app: FastifyInstance, rules: AccessRules): void {
  app.decorateRequest('grant', null);
  app.addHook('onRequest', async (request, reply) => {
    checkHost(rules, request);
    checkOrigin(rules, request, reply);
    request.grant = grantOf(rules, request);
  });
}
