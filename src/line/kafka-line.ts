import { openAuditStore } from '../audit/open-audit.js';
import type { AuditStore } from '../audit/audit-store.js';
import type { Bus, Consumption } from '../bus/bus.js';
import { kafkaConnectionOf } from '../bus/kafka/connection.js';
import type { MemberTimes } from '../bus/kafka/group-member.js';
import { openKafkaBus } from '../bus/kafka/kafka-bus.js';
import type { Config } from '../config/config.js';
import type { Codec } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';
import type { Judge } from '../judge/judge.js';
import { openJudge } from '../judge/open-judge.js';
import { openKeyring, type Keyring } from '../ledger/keyring.js';
import type { LedgerView } from '../ledger/ledger-view.js';
import { openRedisLedgerView } from '../ledger/redis/redis-ledger-view.js';
import type { Observability } from '../observe/observability.js';
import type { KnowledgeSearch } from '../retrieval/knowledge-search.js';
import { createHealth } from '../station/health.js';
import { createClosing, type Closing } from './closing.js';
import { dataFolder } from './data-folder.js';
import { kafkaServices, openCodec } from './kafka-services.js';
import { runStations, signingPorts } from './stations.js';
import type { StationName } from './station-names.js';

/** Stations of a line in Kafka, in this process: some of them, beside other processes of the same groups. */

export interface KafkaLineOptions {
  readonly config: Config;
  readonly stations: readonly StationName[];
  /** Closed with the line. */
  readonly search: KnowledgeSearch;
  readonly observe: Observability;
  /** How soon the groups miss a process. */
  readonly times?: Partial<MemberTimes>;
  readonly now?: () => number;
  /** Told of what no waiting mends and no station can go on after: the process is to end. */
  readonly onFatal?: (error: ProoflineError) => void;
  /** Where the audit goes, instead of where the configuration says. Closed with the line. */
  readonly audit?: AuditStore;
}

export interface KafkaLine {
  readonly bus: Bus;
  readonly codec: Codec;
  readonly ledger: LedgerView;
  readonly audit: AuditStore;
  readonly keyring: Keyring;
  /** Lets the batches at hand end, leaves the groups, then closes everything. Idempotent. */
  stop(): Promise<void>;
}

/** What a line in Kafka works with, opened. */
type Opened = Omit<KafkaLine, 'stop'>;

/**
 * Opens what the stations work with and runs them. Makes no topic, no key and no table.
 * @throws ProoflineError as what it opens does; one that is retryable says that something is down at the moment.
 */
export async function openKafkaLine(options: KafkaLineOptions): Promise<KafkaLine> {
  const closing = createClosing();
  try {
    const opened = await openAll(options, closing);
    const judge = judgeOf(options);
    closing.last(() => judge?.close() ?? Promise.resolve());
    const running = run(options, opened, judge);
    closing.first(() => stopAll(running));
    closing.last(() => options.search.close());
    return { ...opened, stop: () => closing.run() };
  } catch (error) {
    await closing.run();
    throw error;
  }
}

async function openAll(options: KafkaLineOptions, closing: Closing): Promise<Opened> {
  const { config, observe, times = {} } = options;
  const { kafka, redisUrl, redisPrefix } = kafkaServices(config, options.audit === undefined);
  const keyring = openKeyring(keysOf(config), { create: false });
  const codec = await openCodec(config);
  const audit = options.audit ?? (await openAuditStore(config, { create: false, mayBeDown: true }));
  closing.first(() => audit.close());
  const bus = await openKafkaBus({
    ...kafkaConnectionOf(kafka),
    prefix: config.topicPrefix,
    partitions: null,
    times,
    events: observe.kafkaEvents,
  });
  closing.first(() => bus.close());
  const ledger = openRedisLedgerView({ connection: redisUrl, prefix: redisPrefix, epoch: bus.epoch, codec });
  closing.first(() => ledger.close());
  return { keyring, codec, audit, bus, ledger };
}

function run(
  { config, stations, search, observe, onFatal, now = Date.now }: KafkaLineOptions,
  { keyring, codec, audit, bus, ledger }: Opened,
  judge: Judge | null,
): readonly Consumption[] {
  const health = createHealth(now);
  observe.attach({ bus, ledger, health });
  // A gateway alone signs nothing.
  if (stations.length === 0) return [];
  return runStations({
    names: stations,
    bus,
    settings: config,
    ports: { codec, ledger, audit, search, judge, ...signingPorts(keyring, keysOf(config)) },
    envOf: (station) => ({
      emitter: { station, codec, partitions: bus.partitions, prefix: config.topicPrefix, now },
      health,
      observer: observe.observer,
      onIncident(incident) {
        observe.onIncident(incident);
        if (incident.code === 'PL_PARTITIONS_CHANGED')
          onFatal?.(new ProoflineError(incident.code, incident.params));
      },
    }),
  });
}

/** Null where nobody here asks it. */
function judgeOf({ config, stations }: KafkaLineOptions): Judge | null {
  return config.judge !== null && stations.includes('review') ? openJudge(config.judge) : null;
}

/** The folder of keys: PROOFLINE_KEYS, else the data folder's own. */
export function keysOf({ keys, data }: Config): string {
  return keys ?? dataFolder(data).keys;
}

async function stopAll(running: readonly Consumption[]): Promise<void> {
  await Promise.all(running.map((each) => each.stop()));
}
