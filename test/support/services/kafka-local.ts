import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheMissing, mavenJars } from './cache.js';
import { kafkaAnswers } from './kafka-answers.js';
import { kafkaSettings, type KafkaServiceOptions } from './kafka-config.js';
import { serviceFolder, startLocalService } from './local-service.js';
import { freePorts, run, works } from './processes.js';
import type { Service } from './service.js';

const VERSION = '4.1.1';
const JARS = [
  `org.apache.kafka:kafka_2.13:${VERSION}`,
  `org.apache.kafka:kafka-tools:${VERSION}`,
  'org.slf4j:slf4j-simple:1.7.36',
];
const NAME = `kafka-${VERSION}`;

export async function kafkaMissingLocally(): Promise<string | null> {
  if (!works('java', ['-version'])) return 'Java 17 is not on the PATH';
  return cacheMissing(NAME, () => mavenJars(NAME, JARS));
}

export async function startKafkaLocally(options: KafkaServiceOptions): Promise<Service> {
  const jars = await mavenJars(NAME, JARS);
  const folder = serviceFolder('kafka');
  const [port = 0, controllerPort = 0] = await freePorts(2);
  const config = join(folder, 'server.properties');
  mkdirSync(join(folder, 'data'));
  const settings = kafkaSettings({
    data: join(folder, 'data'),
    listen: `127.0.0.1:${port}`,
    advertised: `127.0.0.1:${port}`,
    controller: `127.0.0.1:${controllerPort}`,
    extra: options.extra ?? {},
  });
  writeFileSync(config, settings.map(([name, value]) => `${name}=${value}\n`).join(''));
  await format(jars, config);
  const quickStart = options.fullJit === true ? [] : ['-XX:TieredStopAtLevel=1'];
  const memory = ['-Xmx512m', '-XX:+UseSerialGC'];
  return startLocalService({
    name: 'kafka',
    port,
    folder,
    command: 'java',
    args: [...memory, ...quickStart, '-cp', join(jars, '*'), 'kafka.Kafka', config],
    ready: () => kafkaAnswers('127.0.0.1', port),
  });
}

async function format(jars: string, config: string): Promise<void> {
  const tool = (...args: string[]): Promise<string> =>
    run('java', ['-XX:TieredStopAtLevel=1', '-cp', join(jars, '*'), 'kafka.tools.StorageTool', ...args]);
  const id = (await tool('random-uuid')).trim().split('\n').at(-1) ?? '';
  await tool('format', '-t', id, '-c', config);
}
