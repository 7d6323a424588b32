import type { Codec } from '../../contracts/codec.js';
import { ProoflineError } from '../../contracts/errors.js';
import type { LedgerView, ScanView } from '../ledger-view.js';
import { createPositionWaiters } from '../position-waiters.js';
import { connectRedis, type RedisConnection } from './connection.js';
import { createRedisKeys } from './keys.js';
import { createReading } from './reading.js';
import { createScan } from './scan.js';
import { createWriting } from './writing.js';

export interface RedisLedgerViewOptions {
  /** A URL, or what ioredis takes. */
  readonly connection: RedisConnection;
  /** Begins every key: two lines in one Redis need two. Default `proofline:`. */
  readonly prefix?: string;
  /** The epoch of the bus: the view of other logs is none. */
  readonly epoch: string;
  readonly codec: Codec;
}

export interface RedisLedgerView extends LedgerView {
  readonly scan: ScanView;
  close(): Promise<void>;
}

export const DEFAULT_REDIS_PREFIX = 'proofline:';

/** The first answer is asked for soon, and then less and less often. */
const FIRST_PAUSE_MS = 2;
const PAUSE_GROWTH = 1.25;
const MAX_PAUSE_MS = 25;

/**
 * The ledger view in Redis: a hash a partition that holds epoch, position and entries, so that they live, expire and
 * fail over together. It connects by itself, now and whenever the connection is lost; what needs Redis meanwhile is
 * refused with PL_VIEW_DOWN, which passes.
 *
 * What expires lies beside the hash in a sorted set that the same scripts write: looking for it needs no walk through
 * the entries. If it alone were lost, entries would be kept for longer, and nothing else.
 * @throws ProoflineError PL_CONFIG_INVALID for a prefix that would move the keys' hash tags.
 */
export function openRedisLedgerView(options: RedisLedgerViewOptions): RedisLedgerView {
  const { connection, prefix = DEFAULT_REDIS_PREFIX, epoch, codec } = options;
  if (/[{}]/.test(prefix))
    throw new ProoflineError('PL_CONFIG_INVALID', { problems: `the Redis prefix ${prefix} has a brace` });
  const client = connectRedis(connection);
  const keys = createRedisKeys(prefix);
  const waiters = createPositionWaiters();
  const writing = createWriting({ client, keys, codec, epoch, waiters });

  async function positionOf(partition: number): Promise<number | null> {
    const reading = await reader.read(partition, []);
    return reading?.position ?? null;
  }

  const reader = createReading(client, keys, epoch);
  return {
    ...writing,
    ...reader,
    scan: createScan(client, keys, epoch),
    position: positionOf,
    whenPast: (partition, offset, timeoutMs) =>
      waiters.past({
        partition,
        offset,
        timeoutMs,
        position: () => positionOf(partition),
        // The ledger-view station may run in another process.
        pauseMs: (answers) => Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * PAUSE_GROWTH ** (answers - 1)),
      }),
    close() {
      client.close();
      return Promise.resolve();
    },
  };
}
