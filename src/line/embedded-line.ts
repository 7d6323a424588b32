import type { AuditStore } from '../audit/audit-store.js';
import { openSqliteAuditStore } from '../audit/sqlite-audit-store.js';
import { openEmbeddedBus, type EmbeddedBus } from '../bus/embedded/embedded-bus.js';
import { createCodec, type Codec } from '../contracts/codec.js';
import type { Judge } from '../judge/judge.js';
import { openKeyring, type Keyring } from '../ledger/keyring.js';
import type { LedgerView } from '../ledger/ledger-view.js';
import { openSqliteLedgerView } from '../ledger/sqlite-ledger-view.js';
import type { Observability } from '../observe/observability.js';
import type { KnowledgeSearch } from '../retrieval/knowledge-search.js';
import type { Emitter } from '../station/envelope.js';
import { createHealth, type Health } from '../station/health.js';
import type { Incident, LaneEnvironment } from '../station/lane-environment.js';
import { followAnswers, type Answers } from './answers.js';
import { dataFolder } from './data-folder.js';
import { openDoors, type Doors } from './doors.js';
import { stationNames } from './station-names.js';
import { lineDefaults, runStations, signingPorts, type LineSettings, type StationPorts } from './stations.js';

/** The whole line in one process, over one data folder. */

export interface LineOptions {
  readonly folder: string;
  /** Closed with the line. */
  readonly search: KnowledgeSearch;
  /** Closed with the line; without one rules decide alone. */
  readonly judge?: Judge | null;
  /** Null takes the folder's number of partitions. */
  readonly partitions?: number | null;
  readonly topicPrefix?: string;
  /** The folder of keys; that of the data folder without. */
  readonly keys?: string | null;
  /** What the stations go by. */
  readonly settings?: LineSettings;
  readonly now?: () => number;
  /** Told of dead letters, of rules that threw and of lanes that started over. */
  readonly onIncident?: (incident: Incident) => void;
  readonly onFatal?: (error: unknown) => void;
  /** Watches the line; stopped by who made it. */
  readonly observe?: Observability;
}

export interface Line extends Doors {
  readonly bus: EmbeddedBus;
  readonly ledger: LedgerView;
  readonly audit: AuditStore;
  readonly keyring: Keyring;
  readonly codec: Codec;
  readonly health: Health;
  /** How records that come from outside the stations are made. */
  readonly emitter: Emitter;
  /** What the topics say from now on, for who waits. */
  readonly answers: Answers;
  /** Lets the batches at hand end, then closes everything. What is not done yet goes on at the next start. */
  stop(): Promise<void>;
}

export const DEFAULT_TOPIC_PREFIX = 'proofline.';

/**
 * Opens the folder and runs every station on it.
 * @throws ProoflineError PL_DATA_FOLDER_LOCKED, PL_DATA_FOLDER_UNUSABLE, PL_PARTITIONS_CHANGED, PL_KEY_INVALID.
 */
export function openLine(options: LineOptions): Line {
  const { folder, search, observe, now = Date.now, topicPrefix = DEFAULT_TOPIC_PREFIX } = options;
  const paths = dataFolder(folder);
  const keys = options.keys ?? paths.keys;
  const bus = openEmbeddedBus({ folder, now, partitions: options.partitions ?? null, ...fatal(options) });
  const closing: (() => Promise<unknown>)[] = [() => bus.close()];
  try {
    const codec = createCodec();
    const audit = openSqliteAuditStore(paths.audit);
    closing.unshift(() => audit.close());
    const keyring = openKeyring(keys, { create: true });
    const ledger = openSqliteLedgerView({ writer: bus.writer, codec, epoch: bus.epoch });
    const health = createHealth(now);
    const emitterOf = (station: string): Emitter => ({
      station,
      codec,
      partitions: bus.partitions,
      prefix: topicPrefix,
      now,
    });
    const envOf = (station: string): LaneEnvironment => ({
      emitter: emitterOf(station),
      health,
      ...(observe === undefined ? {} : { observer: observe.observer }),
      onIncident(incident) {
        observe?.onIncident(incident);
        options.onIncident?.(incident);
      },
    });
    observe?.attach({ bus, ledger, health });
    const judge = options.judge ?? null;
    const ports: StationPorts = { codec, ledger, audit, search, judge, ...signingPorts(keyring, keys) };
    const settings = options.settings ?? lineDefaults;
    const running = runStations({ names: stationNames, bus, ports, settings, envOf });
    const answers = followAnswers(bus, codec);
    const emitter = emitterOf('door');
    return {
      ...openDoors({ bus, codec, emitter, answers, audit }),
      bus,
      ledger,
      audit,
      keyring,
      codec,
      health,
      emitter,
      answers,
      async stop() {
        await Promise.all([answers.stop(), ...running.map((each) => each.stop())]);
        for (const close of closing) await close();
        await Promise.all([search.close(), judge?.close()]);
      },
    };
  } catch (error) {
    for (const close of closing) void close();
    throw error;
  }
}

function fatal({ onFatal }: LineOptions): { onFatal?: (error: unknown) => void } {
  return onFatal === undefined ? {} : { onFatal };
}
