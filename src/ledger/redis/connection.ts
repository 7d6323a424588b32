import { createHash } from 'node:crypto';
import { Redis, type RedisOptions } from 'ioredis';
import { isProoflineError, ProoflineError } from '../../contracts/errors.js';

/** How to reach Redis: a URL (`redis://…`, `rediss://…`), or what ioredis takes. */
export type RedisConnection = string | Omit<RedisOptions, 'replyMapping'>;

/** What goes to Redis as it is. */
type Argument = string | Buffer | number;

/** A script, with its answer in buffers. */
export type Script = (keys: readonly string[], args: readonly Argument[]) => Promise<unknown>;

/** Commands whose failures are all told alike: `PL_VIEW_DOWN`, which passes by itself. Never an empty answer. */
export interface RedisClient {
  script(lua: string): Script;
  /** Answers in buffers. */
  call(command: string, ...args: readonly Argument[]): Promise<unknown>;
  close(): void;
}

/** Longer than a failover of a client's connection, shorter than anybody's patience. */
const COMMAND_TIMEOUT_MS = 3000;
const CONNECT_TIMEOUT_MS = 3000;
const MAX_RECONNECT_MS = 500;

/**
 * Every command is idempotent, so ioredis may send it again after it has reconnected, once; then it fails.
 * A replica that was promoted, or demoted, is found by connecting anew.
 */
export function connectRedis(connection: RedisConnection): RedisClient {
  const fixed = {
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (times: number) => Math.min(MAX_RECONNECT_MS, 20 * 2 ** Math.min(times, 10)),
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  const redis =
    typeof connection === 'string' ? new Redis(connection, fixed) : new Redis({ ...connection, ...fixed });
  // Each command tells its own failure; without a listener ioredis prints them.
  redis.on('error', () => undefined);

  const call = (command: string, ...args: readonly Argument[]): Promise<unknown> =>
    orDown(() => redis.callBuffer(command, ...args));

  return {
    call,
    script(lua) {
      const sha = createHash('sha1').update(lua).digest('hex');
      return async (keys, args) => {
        try {
          return await call('EVALSHA', sha, keys.length, ...keys, ...args);
        } catch (error) {
          if (!isUnknownScript(error)) throw error;
          // It was restarted, or its scripts were flushed.
          return call('EVAL', lua, keys.length, ...keys, ...args);
        }
      };
    },
    close: () => redis.disconnect(),
  };
}

function isUnknownScript(error: unknown): boolean {
  return (
    isProoflineError(error) && error.cause instanceof Error && error.cause.message.startsWith('NOSCRIPT')
  );
}

async function orDown<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new ProoflineError('PL_VIEW_DOWN', { problem }, { cause: error });
  }
}
