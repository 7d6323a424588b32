import net from 'node:net';
import tls from 'node:tls';
import type { Admin, ISocketFactory, KafkaConfig, RetryOptions } from 'kafkajs';
import { coPartitionedAssigner, memoryIn } from './co-partitioned-assigner.js';
import type { SharedMemory } from './group-memory.js';
import type { Broker, Cluster, ConsumerGroup } from './kafkajs-internals.js';
import { createCluster, createConsumerGroup, Kafka, logLevel } from './load-kafkajs.js';
import { createPlainProducer, type PlainProducer } from './plain-producer.js';
import { busError, isRefused } from './refused.js';
import { createTransactionalProducer, type TransactionalProducer } from './transactional-producer.js';

/** How to reach the brokers. */
export interface KafkaConnection {
  /** `host:port`, at least one. */
  readonly brokers: readonly string[];
  readonly clientId?: string;
  readonly ssl?: KafkaConfig['ssl'];
  readonly sasl?: KafkaConfig['sasl'];
}

/** A cluster whose connections can be cut: kafkajs would wait for the answers that are still to come. */
export interface CuttableCluster {
  readonly cluster: Cluster;
  close(): Promise<void>;
}

export interface GroupOptions {
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly memory: SharedMemory;
}

/** One member of a group, with connections of its own. */
export interface GroupClient {
  readonly group: ConsumerGroup;
  connect(): Promise<void>;
  close(): Promise<void>;
}

/** Makes the clients, all with the settings that the protocol of the lanes needs. */
export interface KafkaClient {
  admin(): Admin;
  /** One transaction at a time. A paused broker must not hold a commit for kafkajs's 30 s. */
  transactionalProducer(transactionalId: string): TransactionalProducer;
  plainProducer(): PlainProducer;
  reader(): CuttableCluster;
  member(options: GroupOptions): GroupClient;
}

const REQUEST_TIMEOUT_MS = 5000;
const CONNECTION_TIMEOUT_MS = 3000;
const METADATA_AGE_MS = 300_000;
const TRANSACTION_TIMEOUT_MS = 15_000;
const READ_COMMITTED = 1;
/** The broker ends a transaction a few milliseconds after it has answered; 300 ms, the default, is long for that. */
const RETRY: RetryOptions = { initialRetryTime: 20, retries: 8, maxRetryTime: 2000 };

export function createKafkaClient(connection: KafkaConnection): KafkaClient {
  const { brokers, clientId = 'proofline', ssl, sasl } = connection;
  const security = { ...(ssl === undefined ? {} : { ssl }), ...(sasl === undefined ? {} : { sasl }) };
  const kafka = new Kafka({
    ...security,
    brokers: [...brokers],
    clientId,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    logLevel: logLevel.NOTHING,
    retry: RETRY,
  });

  function cluster(): CuttableCluster {
    const sockets = createSockets();
    const made = createCluster({
      ...security,
      socketFactory: sockets.make,
      brokers: [...brokers],
      clientId,
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      enforceRequestTimeout: true,
      metadataMaxAge: METADATA_AGE_MS,
      allowAutoTopicCreation: false,
      maxInFlightRequests: null,
      isolationLevel: READ_COMMITTED,
      retry: RETRY,
    });
    sayWhatIsRefused(made);
    return {
      cluster: made,
      close() {
        sockets.cut();
        return made.disconnect().catch(() => undefined);
      },
    };
  }

  return {
    admin: () => kafka.admin(),
    transactionalProducer: (transactionalId) =>
      createTransactionalProducer(cluster(), transactionalId, TRANSACTION_TIMEOUT_MS),
    plainProducer: () => createPlainProducer(cluster()),
    reader: () => cluster(),
    member({ groupId, topics, sessionTimeoutMs, rebalanceTimeoutMs, memory }) {
      const own = cluster();
      hearAssignments(own.cluster, memory);
      const assigner = coPartitionedAssigner(memory);
      const group = createConsumerGroup({
        retry: RETRY,
        cluster: own.cluster,
        groupId,
        topics,
        topicConfigurations: {},
        assigners: [assigner({ cluster: own.cluster as never, groupId, logger: undefined as never })],
        sessionTimeout: sessionTimeoutMs,
        rebalanceTimeout: rebalanceTimeoutMs,
      });
      return {
        group,
        async connect() {
          await group.connect();
          await own.cluster.addMultipleTargetTopics(topics);
        },
        close: () => own.close(),
      };
    },
  };
}

/** kafkajs throws away what comes with an assignment beside the partitions. */
function hearAssignments(cluster: Cluster, memory: SharedMemory): void {
  const find = cluster.findGroupCoordinator.bind(cluster);
  cluster.findGroupCoordinator = async (query) => {
    const coordinator = await find(query);
    const syncGroup: Broker['syncGroup'] = async (request) => {
      const answer = await coordinator.syncGroup(request);
      memory.learn(memoryIn(answer.memberAssignment));
      return answer;
    };
    return Object.create(coordinator, { syncGroup: { value: syncGroup } }) as Broker;
  };
}

/** A lane whose password was changed says that, and not that something unexpected happened. */
function sayWhatIsRefused(cluster: Cluster): void {
  const connect = cluster.connect.bind(cluster);
  cluster.connect = () =>
    connect().catch((error: unknown) => {
      throw isRefused(error) ? busError(error) : error;
    });
}

interface Sockets {
  readonly make: ISocketFactory;
  cut(): void;
}

function createSockets(): Sockets {
  const open = new Set<net.Socket>();
  let isCut = false;
  const cutOff = (): Error => new Error('the connections were closed');
  return {
    make({ host, port, ssl, onConnect }) {
      const servername = net.isIP(host) === 0 ? { servername: host } : {};
      // kafkajs passes none where none is set, whatever its types say.
      const secure = ssl as tls.ConnectionOptions | undefined;
      const socket: net.Socket = secure
        ? tls.connect({ host, port, ...servername, ...secure }, onConnect)
        : net.connect({ host, port, noDelay: true }, onConnect);
      socket.setKeepAlive(true, 60_000);
      open.add(socket);
      socket.on('close', () => {
        open.delete(socket);
        // kafkajs lets go of a closed socket again and again, and each time Node would wait until it connects.
        socket.unref = () => socket;
      });
      // kafkajs connects anew when a connection breaks, and that would keep the process alive.
      if (isCut) socket.destroy(cutOff());
      return socket;
    },
    cut() {
      isCut = true;
      for (const socket of open) socket.destroy(cutOff());
    },
  };
}
