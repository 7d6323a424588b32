import { startContainerService } from './container-service.js';
import { freePorts } from './processes.js';
import { redisAnswers } from './redis-answers.js';
import { redisArguments, type RedisServiceOptions } from './redis-config.js';
import type { Service } from './service.js';

export async function startRedisContainer(image: string, options: RedisServiceOptions): Promise<Service> {
  const [port = 0] = await freePorts(1);
  const { dump, config = {} } = options;
  return startContainerService({
    name: 'redis',
    image,
    port,
    containerPort: 6379,
    command: ['redis-server', ...redisArguments(config)],
    files: dump === undefined ? [] : [{ source: dump, target: '/data/dump.rdb' }],
    ready: (host) => redisAnswers(host, port),
  });
}
