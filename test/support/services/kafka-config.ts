export interface KafkaServiceOptions {
  /** Compiles all the way, for measurements. Tests start quicker without. */
  readonly fullJit?: boolean;
  /**
   * Lines of server.properties; they win. Clients use the listener named PLAINTEXT: for SASL or TLS give it another
   * protocol in `listener.security.protocol.map`, and keys as PEM texts.
   */
  readonly extra?: Readonly<Record<string, string>>;
}

export interface KafkaAddresses {
  /** The folder of its logs. */
  readonly data: string;
  /** Each `host:port`. */
  readonly listen: string;
  readonly advertised: string;
  readonly controller: string;
  /** Lines of server.properties that win. */
  readonly extra: Readonly<Record<string, string>>;
}

/** server.properties of one node that starts, elects, rebalances and compacts without waiting. */
export function kafkaSettings(of: KafkaAddresses): [name: string, value: string][] {
  const settings = { ...QUICK, ...places(of), ...of.extra };
  // PEM texts have several lines, a property has one.
  return Object.entries(settings).map(([name, value]) => [name, value.replaceAll('\n', String.raw`\n`)]);
}

function places({ data, listen, advertised, controller }: KafkaAddresses): Record<string, string> {
  return {
    'controller.quorum.voters': `1@${controller}`,
    listeners: `PLAINTEXT://${listen},CONTROLLER://${controller}`,
    'advertised.listeners': `PLAINTEXT://${advertised}`,
    'log.dirs': data,
  };
}

const QUICK = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.listener.names': 'CONTROLLER',
  'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
  'inter.broker.listener.name': 'PLAINTEXT',
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '1',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'transaction.state.log.num.partitions': '1',
  // What is compacted early is loaded soon. A coordinator that is elected again while it still loads serves offsets of
  // long ago (4.1.1), and a node of one is elected again at each start.
  'offsets.topic.segment.bytes': '1048576',
  'transaction.state.log.segment.bytes': '1048576',
  'share.coordinator.state.topic.replication.factor': '1',
  'share.coordinator.state.topic.min.isr': '1',
  'default.replication.factor': '1',
  'min.insync.replicas': '1',
  'group.initial.rebalance.delay.ms': '0',
  'group.min.session.timeout.ms': '1000',
  'auto.create.topics.enable': 'false',
  'log.cleaner.threads': '1',
  'log.cleaner.backoff.ms': '200',
  'log.cleaner.dedupe.buffer.size': '2097152',
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': '500',
  // A node that was killed may come back only when its session is over.
  'broker.session.timeout.ms': '3000',
  'broker.heartbeat.interval.ms': '500',
  'controlled.shutdown.enable': 'false',
};
