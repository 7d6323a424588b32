import { connectRedis, type RedisConnection } from './connection.js';
import { createRedisKeys } from './keys.js';

/**
 * Removes the view of a line that is gone; one that lives would have to be read again.
 * @throws ProoflineError PL_VIEW_DOWN
 */
export async function removeRedisLedgerView(
  connection: RedisConnection,
  prefix: string,
  partitions: number,
): Promise<void> {
  const client = connectRedis(connection);
  try {
    // One by one: the keys of a cluster lie on different nodes.
    for (const key of createRedisKeys(prefix).all(partitions)) await client.call('UNLINK', key);
  } finally {
    client.close();
  }
}
