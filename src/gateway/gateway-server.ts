import type { Config } from '../config/config.js';
import { ProoflineError } from '../contracts/errors.js';
import { createHttpServer, type HttpServer } from '../observe/http.js';
import type { Observability } from '../observe/observability.js';
import { isLoopback } from './access.js';
import { createGateway, MAX_CONNECTIONS, SILENCE_MS } from './gateway.js';
import type { GatewayLine } from './gateway-line.js';
import type { RequestLog } from './request-log.js';

/** One server for the gateway and for what is seen of the process. */

export interface GatewayServerOptions {
  readonly config: Config;
  /** Where it is going to listen. */
  readonly host: string;
  readonly observe: Pick<Observability, 'routes'> & Partial<Pick<Observability, 'gateway'>>;
  /** Null while there is none. */
  readonly line: () => GatewayLine | null;
  readonly log?: RequestLog;
}

export interface GatewayServer extends HttpServer {
  /** Who waits is told to ask again, and nobody is let in any more; resolves when all were answered. */
  drain(): Promise<void>;
}

/** @throws ProoflineError PL_TOKENS_UNUSABLE; PL_CONFIG_INVALID where everybody could reach a gateway without tokens */
export function createGatewayServer(options: GatewayServerOptions): GatewayServer {
  const { config, host, observe, line, log } = options;
  assertClosed(config, host);
  const gateway = createGateway({
    config: config.gateway,
    draftBytes: config.guard.limits.draftBytes,
    line,
    ...(log === undefined ? {} : { log }),
    ...(observe.gateway === undefined ? {} : { metrics: observe.gateway }),
  });
  const server = createHttpServer({
    routes: [observe.routes, gateway.routes],
    onError: gateway.onError,
    silenceMs: SILENCE_MS,
    maxConnections: MAX_CONNECTIONS,
  });
  return { ...server, drain: () => gateway.drain() };
}

function assertClosed({ gateway }: Config, host: string): void {
  if (gateway.tokens !== null || isLoopback(host)) return;
  const problem = `PROOFLINE_HTTP_HOST is ${JSON.stringify(host)}, which others can reach, and PROOFLINE_GATEWAY_TOKENS is not set`;
  const solve =
    'make tokens with `proofline tokens create`, listen on 127.0.0.1, or leave the gateway out (--no-gateway)';
  throw new ProoflineError('PL_CONFIG_INVALID', { problems: `\n  ${problem}; ${solve}` });
}
