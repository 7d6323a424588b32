import { chooseService } from './choose-service.js';
import { startRedisContainer } from './redis-container.js';
import { redisMissingLocally, startRedisLocally } from './redis-local.js';
import type { RedisServiceOptions } from './redis-config.js';
import type { Service } from './service.js';

export interface RedisService extends Service {
  /** `redis://host:port`. */
  readonly url: string;
}

const chosen = chooseService<RedisServiceOptions>('redis', {
  processMissing: redisMissingLocally,
  startProcess: startRedisLocally,
  startContainer: startRedisContainer,
});

/** Why Redis cannot be had on this machine; null where it can. Fetches it when it is not there yet. */
export const redisMissing = chosen.missing;

/** A Redis of its own, empty unless it is given a dump. */
export async function startRedis(options: RedisServiceOptions = {}): Promise<RedisService> {
  const service = await chosen.start(options);
  return { ...service, url: `redis://${service.host}:${service.port}` };
}
