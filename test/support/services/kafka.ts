import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, mavenJars } from './cache.js';
import { freePorts, run, startService, whenListening, works, type ServiceProcess } from './processes.js';

/** A Kafka of one node, for one test file. */
export interface KafkaService {
  /** `host:port`. */
  readonly address: string;
  /** Its folder, with the log `kafka.log`. */
  readonly folder: string;
  /** Kills the node, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again, on the same port, with what it had. */
  restart(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it and removes its folder; `keepLogs` leaves the folder for whoever looks into a failure. */
  stop(options?: { readonly keepLogs?: boolean }): Promise<void>;
}

export interface KafkaServiceOptions {
  /** Compiles all the way, for measurements. Tests start quicker without. */
  readonly fullJit?: boolean;
}

const VERSION = '4.1.1';
const JARS = [
  `org.apache.kafka:kafka_2.13:${VERSION}`,
  `org.apache.kafka:kafka-tools:${VERSION}`,
  'org.slf4j:slf4j-simple:1.7.36',
];
const NAME = `kafka-${VERSION}`;
const START_MS = 60_000;

/** Why Kafka cannot be had on this machine; null where it can. Fetches it when it is not in the cache yet. */
export async function kafkaMissing(): Promise<string | null> {
  if (!works('java', ['-version'])) return 'Java 17 is not on the PATH';
  if (existsSync(join(cacheFolder(), NAME))) return null;
  if (!works('mvn', ['-version'])) return 'Maven is not on the PATH';
  try {
    await mavenJars(NAME, JARS);
    return null;
  } catch (error) {
    return `Kafka ${VERSION} could not be fetched with Maven: ${String(error).split('\n')[0] ?? ''}`;
  }
}

export async function startKafka(options: KafkaServiceOptions = {}): Promise<KafkaService> {
  const jars = await mavenJars(NAME, JARS);
  const folder = mkdtempSync(join(tmpdir(), 'proofline-kafka-'));
  const [port = 0, controllerPort = 0] = await freePorts(2);
  const config = join(folder, 'server.properties');
  mkdirSync(join(folder, 'data'));
  writeFileSync(config, properties(folder, port, controllerPort));
  await format(jars, config);
  let service = await start(jars, folder, config, port, options);
  return {
    address: `127.0.0.1:${port}`,
    folder,
    kill: () => service.stop(),
    async restart() {
      await service.stop();
      service = await start(jars, folder, config, port, options);
    },
    signal: (signal) => service.signal(signal),
    async stop({ keepLogs = false } = {}) {
      await service.stop();
      if (!keepLogs) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function format(jars: string, config: string): Promise<void> {
  const tool = (...args: string[]): Promise<string> =>
    run('java', ['-XX:TieredStopAtLevel=1', '-cp', join(jars, '*'), 'kafka.tools.StorageTool', ...args]);
  const id = (await tool('random-uuid')).trim().split('\n').at(-1) ?? '';
  await tool('format', '-t', id, '-c', config);
}

async function start(
  jars: string,
  folder: string,
  config: string,
  port: number,
  { fullJit = false }: KafkaServiceOptions,
): Promise<ServiceProcess> {
  const log = join(folder, 'kafka.log');
  const quickStart = fullJit ? [] : ['-XX:TieredStopAtLevel=1'];
  const service = startService(
    'java',
    ['-Xmx512m', '-XX:+UseSerialGC', ...quickStart, '-cp', join(jars, '*'), 'kafka.Kafka', config],
    { cwd: folder, log },
  );
  try {
    await whenListening(service, port, log, START_MS);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

/** One node that starts, elects, rebalances and compacts without waiting. */
function properties(folder: string, port: number, controllerPort: number): string {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
log.dirs=${join(folder, 'data')}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
default.replication.factor=1
min.insync.replicas=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
auto.create.topics.enable=false
log.cleaner.threads=1
log.cleaner.backoff.ms=200
log.cleaner.dedupe.buffer.size=2097152
transaction.abort.timed.out.transaction.cleanup.interval.ms=500
controlled.shutdown.enable=false
`;
}
