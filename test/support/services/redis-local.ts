import { chmodSync, copyFileSync, readdirSync, rmSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { cacheMissing, mavenUnpacked } from './cache.js';
import { serviceFolder, startLocalService } from './local-service.js';
import { freePorts, works } from './processes.js';
import { redisArguments, type RedisServiceOptions } from './redis-config.js';
import { redisAnswers } from './redis-answers.js';
import type { Service } from './service.js';

const NAME = 'redis-6.2';
const JAR = 'com.github.codemonstur:embedded-redis:1.4.3';
/** As the jar names what it carries. */
const ARCHITECTURE = arch() === 'x64' ? 'amd64' : arch();

export async function redisMissingLocally(): Promise<string | null> {
  return works('redis-server', ['--version']) ? null : cacheMissing(NAME, unpack);
}

export async function startRedisLocally(options: RedisServiceOptions): Promise<Service> {
  const command = works('redis-server', ['--version']) ? 'redis-server' : await unpack();
  const folder = serviceFolder('redis');
  const [port = 0] = await freePorts(1);
  if (options.dump !== undefined) copyFileSync(options.dump, join(folder, 'dump.rdb'));
  const args = redisArguments({ bind: '127.0.0.1', port: String(port), dir: folder, ...options.config });
  return startLocalService({
    name: 'redis',
    port,
    folder,
    command,
    args,
    ready: () => redisAnswers('127.0.0.1', port),
  });
}

async function unpack(): Promise<string> {
  const folder = await mavenUnpacked(NAME, JAR, (made) => {
    const [binary] = binaries(made);
    for (const file of readdirSync(made))
      if (file === binary) chmodSync(join(made, file), 0o755);
      else rmSync(join(made, file), { recursive: true });
    return Promise.resolve();
  });
  const [binary] = binaries(folder);
  if (binary === undefined) throw new Error(`${JAR} has no Redis for ${platform()} on ${arch()}`);
  return join(folder, binary);
}

function binaries(folder: string): string[] {
  return readdirSync(folder).filter(
    (file) => file.startsWith('redis-server-') && file.endsWith(`-${platform()}-${ARCHITECTURE}`),
  );
}
