import { existsSync } from 'node:fs';
import type { AuditReader } from '../audit/audit-store.js';
import type { BusReader } from '../bus/bus.js';
import type { Config, KafkaConfig } from '../config/config.js';
import { createCodec, type Codec } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';
import type { Keyring } from '../ledger/keyring.js';
import type { ScanView } from '../ledger/ledger-view.js';
import { dataFolder } from '../line/data-folder.js';
import type { TopicFacts } from '../line/topic-table.js';
import { verifyingKeyring } from '../line/verifying-keyring.js';
import type { CommandContext } from './command.js';
import { configOf } from './with-line.js';

/** A line that is only read, beside those that may be running: the data folder's or, where brokers are named, Kafka's. */
export interface ReadLine {
  readonly bus: BusReader;
  /** Has learned what the records that `bus` reads need. */
  readonly codec: Codec;
  readonly facts: TopicFacts;
  /** The view of the ledger. */
  openView(): Promise<{ readonly scan: ScanView; close(): Promise<void> }>;
}

/**
 * Opens the line for reading, and closes it after the work.
 * @throws ProoflineError PL_DATA_FOLDER_UNUSABLE when there is no line in the data folder; PL_BUS_DOWN,
 *   PL_TOPICS_UNUSABLE, PL_REGISTRY_DOWN of Kafka's.
 */
export async function readingLine<T>(
  context: CommandContext,
  work: (line: ReadLine) => Promise<T>,
): Promise<T> {
  const config = await configOf(context);
  const line = config.kafka === null ? await readFolder(config) : await readKafka(config, config.kafka);
  try {
    return await work(line);
  } finally {
    await line.bus.close();
  }
}

async function readFolder({ data }: Config): Promise<ReadLine> {
  const paths = dataFolder(data);
  // Asking whether the file is there does not open it.
  if (!existsSync(paths.bus)) {
    const problem = `there is no line in it; \`proofline dev\` makes one, and --data names another folder`;
    throw new ProoflineError('PL_DATA_FOLDER_UNUSABLE', { folder: paths.folder, problem });
  }
  const { openEmbeddedReader } = await import('../bus/embedded/embedded-bus.js');
  const { embeddedFacts } = await import('../line/topic-table.js');
  const { scanSqliteView } = await import('../ledger/sqlite-scan.js');
  const bus = openEmbeddedReader(paths.folder);
  return {
    bus,
    codec: createCodec(),
    facts: embeddedFacts(bus.db),
    openView: () =>
      Promise.resolve({ scan: scanSqliteView(bus.db, bus.epoch), close: () => Promise.resolve() }),
  };
}

async function readKafka(config: Config, kafka: KafkaConfig): Promise<ReadLine> {
  const { openKafkaReader } = await import('../bus/kafka/kafka-bus.js');
  const { kafkaConnectionOf } = await import('../bus/kafka/connection.js');
  const { openCodec } = await import('../line/kafka-services.js');
  const { learning } = await import('../line/learning-reader.js');
  const { stationFacts } = await import('../line/topic-table.js');
  const codec = await openCodec(config);
  const reader = await openKafkaReader({ ...kafkaConnectionOf(kafka), prefix: config.topicPrefix });
  return {
    bus: learning(reader, codec),
    codec,
    facts: stationFacts,
    async openView() {
      const { openRedisLedgerView } = await import('../ledger/redis/redis-ledger-view.js');
      const { redisUrl, redisPrefix } = (await import('../line/kafka-services.js')).kafkaServices(config);
      return openRedisLedgerView({
        connection: redisUrl,
        prefix: redisPrefix,
        epoch: reader.epoch,
        codec,
      });
    },
  };
}

/** `readingLine` with the audit beside it. */
export function readingWithAudit<T>(
  context: CommandContext,
  work: (line: ReadLine & { readonly audit: AuditReader }) => Promise<T>,
): Promise<T> {
  return readingLine(context, async (line) => {
    const { openAuditReader } = await import('../audit/open-audit.js');
    const config = await configOf(context);
    // The line of a data folder keeps its audit there.
    const audit = await openAuditReader(config.kafka === null ? { ...config, auditUrl: null } : config);
    try {
      return await work({ ...line, audit });
    } finally {
      await audit.close();
    }
  });
}

/** The folder of keys: PROOFLINE_KEYS, else the data folder's own. */
export async function keysFolder(context: CommandContext): Promise<string> {
  const { keys, data } = await configOf(context);
  return keys ?? dataFolder(data).keys;
}

/** The keys that verify; null where there is none. @throws ProoflineError PL_KEY_INVALID. */
export async function publicKeys(context: CommandContext): Promise<Keyring | null> {
  return verifyingKeyring(await configOf(context));
}
