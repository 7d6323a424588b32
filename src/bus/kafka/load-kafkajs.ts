import { createRequire } from 'node:module';
import type * as KafkaJs from 'kafkajs';
import { kafkaCodecs } from './compression.js';
import { createDecodeMessages, type DecodeParts } from './decode-batches.js';
import { decodeRecordBatch } from './decode-record-batch.js';
import type { Cluster, ClusterOptions, ConsumerGroup, ConsumerGroupOptions } from './kafkajs-internals.js';
import { withoutAborted, type AbortedTransaction, type FetchedRecord } from './read-committed.js';
import { brokerRequests, type RequestedBroker } from './wire/broker-requests.js';
import { BytesReader } from './wire/bytes-reader.js';
import { correctConnection, type ConnectionPrototype } from './wire/connection.js';
import { RequestQueue, type TimeoutError } from './wire/request-queue.js';

/**
 * The one place that loads kafkajs. Version 2.2.4, its last, has faults on the read side: read committed that hands
 * out aborted records, batches emptied by compaction that stop a reader for good, and records whose many headers do;
 * and a connection that breaks within an answer ends the process.
 * They are corrected by putting our own in the place of its modules before it loads them. So it is with what is slow:
 * the queue of a connection's requests, and the requests of which a line makes thousands a second (`wire/`). It unpacks
 * gzip alone, and without a limit: its codecs are replaced by ours. It is used below its consumer, which has no way to
 * read a partition that is not assigned to it, and below its producer: its clusters and groups are handed out as well.
 */
const VERSION = '2.2.4';
const require = createRequire(import.meta.url);

checkVersion();
replaceModule('consumer/filterAbortedMessages.js', filterAbortedMessages);
replaceModule('protocol/requests/fetch/v4/decodeMessages.js', createDecodeMessages(decodeParts()));
replaceModule('network/requestQueue/index.js', RequestQueue);

const kafkajs = require('kafkajs') as typeof KafkaJs;
RequestQueue.TimeoutError = (
  internal('errors') as { KafkaJSRequestTimeoutError: TimeoutError }
).KafkaJSRequestTimeoutError;
replaceRequests();
correctConnection((internal('network/connection') as { prototype: ConnectionPrototype }).prototype);
Object.assign(kafkajs.CompressionCodecs, kafkaCodecs());
export const Kafka = kafkajs.Kafka;
export const logLevel = kafkajs.logLevel;
export const ConfigResourceTypes = kafkajs.ConfigResourceTypes;
export const AssignerProtocol = kafkajs.AssignerProtocol;

const ClusterClass = internal('cluster') as new (options: ClusterOptions) => Cluster;
const ConsumerGroupClass = internal('consumer/consumerGroup') as new (
  options: ConsumerGroupOptions,
) => ConsumerGroup;
const Emitter = internal('instrumentation/emitter') as new () => object;
const { createLogger } = internal('loggers') as { createLogger: (options: object) => object };

/** Connections to the brokers, with the metadata of the topics that were added. */
export function createCluster(options: Omit<ClusterOptions, 'logger'>): Cluster {
  return new ClusterClass({ ...options, logger: silentLogger() });
}

/** One member of a consumer group. It joins, beats and leaves when it is told to; it is not used to fetch. */
export function createConsumerGroup(
  options: Omit<ConsumerGroupOptions, 'logger' | 'instrumentationEmitter'>,
): ConsumerGroup {
  return new ConsumerGroupClass({
    ...options,
    logger: silentLogger(),
    instrumentationEmitter: new Emitter(),
  });
}

/** What kafkajs logs, it also throws; whoever catches it says more about it than its log would. */
function silentLogger(): object {
  return createLogger({ level: kafkajs.logLevel.NOTHING, logCreator: () => () => undefined });
}

function checkVersion(): void {
  const { version } = require('kafkajs/package.json') as { version: string };
  if (version !== VERSION)
    throw new Error(`kafkajs ${version} is installed, but its corrections are made for ${VERSION}`);
}

function internal(path: string): unknown {
  return require(`kafkajs/src/${path}`);
}

interface CachedModule {
  readonly exports: unknown;
  readonly corrected?: boolean;
}

function replaceModule(path: string, exports: unknown): void {
  const file = require.resolve(`kafkajs/src/${path}`);
  const cache = require.cache as Record<string, unknown>;
  const cached = cache[file] as CachedModule | undefined;
  if (cached !== undefined && cached.corrected !== true)
    throw new Error('kafkajs was loaded before its corrections: load it through this module only');
  cache[file] ??= {
    id: file,
    filename: file,
    loaded: true,
    corrected: true,
    exports,
    children: [],
    paths: [],
  };
}

function filterAbortedMessages(answer: {
  messages: FetchedRecord[];
  abortedTransactions: AbortedTransaction[] | null;
}): readonly FetchedRecord[] {
  return withoutAborted(answer.messages, answer.abortedTransactions);
}

function replaceRequests(): void {
  const { prototype } = internal('broker') as { prototype: RequestedBroker };
  const { createErrorFromCode } = internal('protocol/error') as {
    createErrorFromCode: (code: number) => Error;
  };
  const decodeMessages = createDecodeMessages(decodeParts());
  Object.assign(prototype, brokerRequests(prototype, { createErrorFromCode, decodeMessages }));
}

function decodeParts(): DecodeParts {
  const KafkajsDecoder = internal('protocol/decoder') as new (buffer: Buffer) => object;
  const decodeMessageSet = internal('protocol/messageSet/decoder') as (
    decoder: object,
    size: number,
  ) => unknown[] | Promise<unknown[]>;
  return {
    newDecoder: (buffer) => new BytesReader(buffer),
    decodeMessageSet: ({ buffer }, size) => decodeMessageSet(new KafkajsDecoder(buffer), size),
    decodeRecordBatch,
  };
}
