/**
 * The line in Kafka for agents and publishers in Node, `proofline/kafka`: sending lookups and drafts, and reading
 * answers, verdicts and verified drafts over the line's own bus, which reads committed records alone and goes around
 * the faults of kafkajs's read side.
 */

import type { Bus, Consumption } from '../src/bus/bus.js';
import { kafkaConnectionOf, type KafkaSettings } from '../src/bus/kafka/connection.js';
import { openKafkaBus } from '../src/bus/kafka/kafka-bus.js';
import type { MemberTimes } from '../src/bus/kafka/group-member.js';
import { readConfig, type Environment } from '../src/config/config.js';
import { createCodec, type Codec } from '../src/contracts/codec.js';
import { ProoflineError } from '../src/contracts/errors.js';
import type { DraftSubmitted, LookupRequested } from '../src/contracts/generated.js';
import { encodeRecord, type Emitter } from '../src/station/envelope.js';
import { consume, type ConsumeOptions } from './consume.js';
import { draftSubmitted, type DraftHandIn } from './drafts.js';
import { lookupRequested, type Lookup } from './lookups.js';

export { draftRecord, lookupRecord, type KafkaRecord, type RecordOptions } from './kafka-records.js';
export {
  eachMessage,
  messageReader,
  type EachMessagePayload,
  type ForeignRecord,
  type MessageHandlers,
  type ReadOptions,
} from './read-messages.js';
export { isReport, publishVerified, type Publisher, type VerifiedReport } from './publish.js';
export type { ConsumeOptions } from './consume.js';

export interface KafkaOptions extends Partial<Omit<KafkaSettings, 'brokers'>> {
  /** `host:port`, at least one. */
  readonly brokers: readonly string[];
  /** What the names of topics, groups and transactional ids begin with. Default `proofline.` */
  readonly topicPrefix?: string;
  readonly schemaRegistry?: {
    readonly url: string;
    readonly username: string | null;
    readonly password: string | null;
  } | null;
  /** How soon a group misses a process. */
  readonly times?: Partial<MemberTimes>;
}

export interface KafkaClient {
  /** Partitions of every topic. */
  readonly partitions: number;
  /** Asks; resolves once the broker has it. Its `eventId` is the `requestEventId` of the answer. */
  ask(lookup: Lookup): Promise<LookupRequested>;
  /** Hands a draft in. Its `eventId` is the `causedBy` of the verdict. */
  handIn(draft: DraftHandIn): Promise<DraftSubmitted>;
  /** Calls the handlers with what lies in the topics and with what comes, at least once. */
  consume(options: ConsumeOptions): Consumption;
  /** Lets the batches at hand end, then leaves. */
  close(): Promise<void>;
}

/**
 * Opens the line's topics. Makes none.
 * @throws ProoflineError PL_CONFIG_INVALID, PL_TOPICS_UNUSABLE, PL_BUS_DOWN, and as the registry does where there is one
 */
export async function connectKafka(options: KafkaOptions): Promise<KafkaClient> {
  const { topicPrefix = 'proofline.', times = {} } = options;
  const connection = kafkaConnectionOf({ ...withoutTls, ...options });
  const codec = await codecOf(options.schemaRegistry ?? null, topicPrefix);
  const bus = await openKafkaBus({ ...connection, prefix: topicPrefix, partitions: null, times });
  return clientOver(bus, codec, topicPrefix);
}

/**
 * As `connectKafka`, with the `PROOFLINE_*` variables that the line itself goes by.
 * @throws as `connectKafka`
 */
export function connectKafkaByEnvironment(env: Environment): Promise<KafkaClient> {
  const { kafka, topicPrefix, schemaRegistry } = readConfig(env).config;
  if (kafka === null)
    throw new ProoflineError('PL_CONFIG_INVALID', { problems: '\n  PROOFLINE_KAFKA_BROKERS is not set' });
  return connectKafka({ ...kafka, topicPrefix, schemaRegistry });
}

const withoutTls = { ssl: false, sslCa: null, sslCert: null, sslKey: null, sasl: null };

async function codecOf(
  registry: (KafkaOptions['schemaRegistry'] & object) | null,
  topicPrefix: string,
): Promise<Codec> {
  if (registry === null) return createCodec();
  const { openRegistryCodec } = await import('../src/registry/registry-codec.js');
  return openRegistryCodec({ ...registry, topicPrefix });
}

/** The client over a bus that is open; the embedded one does as well, inside its process. */
export function clientOver(bus: Bus, codec: Codec, topicPrefix: string): KafkaClient {
  const emitter: Emitter = {
    station: 'agent',
    codec,
    partitions: bus.partitions,
    prefix: topicPrefix,
    now: Date.now,
  };
  return {
    partitions: bus.partitions,
    async ask(lookup) {
      const message = lookupRequested(lookup, Date.now());
      await bus.append([encodeRecord(emitter, 'lookup-requested.v1', message)]);
      return message;
    },
    async handIn(draft) {
      const message = draftSubmitted(draft, Date.now());
      await bus.append([encodeRecord(emitter, 'draft-submitted.v1', message)]);
      return message;
    },
    consume: (options) => consume(bus, codec, options),
    close: () => bus.close(),
  };
}
