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
  /** Every key that a view of so many partitions may have. */
  all(partitions: number): readonly string[];
}

/** How many hashes the index of call ids is spread over. Another number is another index: a rebuild writes it. */
const CALL_HASHES = 64;

export function createRedisKeys(prefix: string): RedisKeys {
  const of = (partition: number, name: string): ViewKeys => ({
    hash: `${prefix}{p${partition}}/${name}`,
    expiry: `${prefix}{p${partition}}/${name}:expiry`,
  });
  const live = (partition: number): ViewKeys => of(partition, 'ledger');
  const next = (partition: number): ViewKeys => of(partition, 'ledger:next');
  const callHash = (slot: number): string => `${prefix}calls/${slot}`;
  return {
    live,
    next,
    calls: (toolCallId) => callHash((murmur2(Buffer.from(toolCallId, 'utf8')) & 0x7fffffff) % CALL_HASHES),
    all(partitions) {
      const ofPartitions = Array.from({ length: partitions }, (_, partition) => [
        live(partition),
        next(partition),
      ]);
      const calls = Array.from({ length: CALL_HASHES }, (_, slot) => callHash(slot));
      return [...ofPartitions.flat().flatMap(({ hash, expiry }) => [hash, expiry]), ...calls];
    },
  };
}
