import type { Config } from '../../config/config.js';
import { ProoflineError } from '../../contracts/errors.js';
import { createGatewayServer, type GatewayServer } from '../../gateway/gateway-server.js';
import type { LocalLine } from '../../line/local-line.js';
import type { Log } from '../../observe/log.js';
import type { Observability } from '../../observe/observability.js';
import type { CliIo } from '../io.js';
import { warn } from '../render/error.js';

/** The gateway of a line that runs in a terminal: on this machine only. */

const HOST = '127.0.0.1';

export interface DevGateway {
  /** Where it listens. */
  readonly url: string;
  /** Who waits is told to ask again; resolves when every request was answered. */
  close(): Promise<void>;
}

export interface DevGatewayOptions {
  readonly config: Config;
  readonly local: LocalLine;
  readonly observe: Observability;
  readonly log: Log;
  readonly io: CliIo;
  /** Null takes the configuration's, and where that is in use a free one. */
  readonly port: number | null;
}

/** @throws ProoflineError PL_INPUT_INVALID where the port is in use; PL_TOKENS_UNUSABLE */
export async function openDevGateway(options: DevGatewayOptions): Promise<DevGateway> {
  const { config, local, observe, log } = options;
  const line = { ...local.line, assertCanLookUp: () => local.assertCanLookUp() };
  const open = (): GatewayServer =>
    createGatewayServer({ config, host: HOST, observe, line: () => line, log });
  const { server, url } = await listen(open, options);
  return {
    url,
    async close() {
      await server.drain();
      await server.close();
    },
  };
}

async function listen(
  open: () => GatewayServer,
  { config, port, io }: DevGatewayOptions,
): Promise<{ readonly server: GatewayServer; readonly url: string }> {
  const wanted = port ?? config.http.port;
  try {
    return await listenAt(open(), wanted);
  } catch (error) {
    if (!isInUse(error)) throw error;
    if (port !== null)
      throw new ProoflineError('PL_INPUT_INVALID', {
        problem: `port ${port} is in use; --port 0 takes a free one`,
      });
  }
  const found = await listenAt(open(), 0);
  warn(io, `port ${wanted} is in use; the gateway is at ${found.url}`);
  return found;
}

async function listenAt(
  server: GatewayServer,
  port: number,
): Promise<{ server: GatewayServer; url: string }> {
  try {
    return { server, url: await server.listen({ host: HOST, port }) };
  } catch (error) {
    await server.close();
    throw error;
  }
}

function isInUse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
}
