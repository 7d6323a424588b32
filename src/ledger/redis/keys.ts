import { murmur2 } from '../../contracts/partition.js';

/**
 * Names of the keys. All that one script touches shares a hash tag, so that a cluster can hold it: of a partition
 * `{pN}`; the index of call ids has no tag and is spread.
 */
export interface ViewKeys {
  /** `hash` has epoch, source, position and entries; `expiry` has the entries that expire, by when they do. */
  readonly hash: string;
  readonly expiry: string;
}

export interface RedisKeys {
  live(partition: number): ViewKeys;
  /** A rebuild, until it takes the place of the live ones. */
  next(partition: number): ViewKeys;
  /** The hash that has the runs of a call id. */
  calls(toolCallId: string): string;
}

/** How many hashes the index of call ids is spread over. Another number is another index: a rebuild writes it. */
const CALL_HASHES = 64;

export function createRedisKeys(prefix: string): RedisKeys {
  const of = (partition: number, name: string): ViewKeys => ({
    hash: `${prefix}{p${partition}}/${name}`,
    expiry: `${prefix}{p${partition}}/${name}:expiry`,
  });
  return {
    live: (partition) => of(partition, 'ledger'),
    next: (partition) => of(partition, 'ledger:next'),
    calls(toolCallId) {
      const slot = (murmur2(Buffer.from(toolCallId, 'utf8')) & 0x7fffffff) % CALL_HASHES;
      return `${prefix}calls/${slot}`;
    },
  };
}
