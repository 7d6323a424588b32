import { runLedgerView } from '../../consumers/ledger-view.js';
import { auditSinkStation } from '../../consumers/audit-sink.js';
import { guardDefaults, guardStation, type GuardConfig } from '../../consumers/guard.js';
import { postprocessStation } from '../../consumers/postprocess.js';
import { projectDefaults, projectStation, type ProjectConfig } from '../../consumers/project.js';
import { retrieveStation } from '../../consumers/retrieve.js';
import { reviewStation } from '../../consumers/review.js';
import type { AuditStore } from '../audit/audit-store.js';
import { openSqliteAuditStore } from '../audit/sqlite-audit-store.js';
import type { Consumption } from '../bus/bus.js';
import { openEmbeddedBus, type EmbeddedBus } from '../bus/embedded/embedded-bus.js';
import { createCodec, type Codec } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';
import { openKeyring, type Keyring, type Signer } from '../ledger/keyring.js';
import type { LedgerView } from '../ledger/ledger-view.js';
import {
  cachedVerifier,
  createSignatureMemory,
  rememberedSigner,
  type EntryVerifier,
} from '../ledger/signing.js';
import { openSqliteLedgerView } from '../ledger/sqlite-ledger-view.js';
import { retrieveDefaults, type RetrieveConfig } from '../lookup/retrieve-rule.js';
import type { KnowledgeSearch } from '../retrieval/knowledge-search.js';
import type { Emitter } from '../station/envelope.js';
import { createHealth, type Health } from '../station/health.js';
import type { Incident, LaneEnvironment } from '../station/lane-environment.js';
import { runStation } from '../station/run-station.js';
import { followAnswers } from './answers.js';
import { dataFolder } from './data-folder.js';
import { openDoors, type Doors } from './doors.js';

/** The whole line in one process, over one data folder. */

export interface LineOptions {
  readonly folder: string;
  /** Closed with the line. */
  readonly search: KnowledgeSearch;
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
}

/** Limits and times of the stations. */
export interface LineSettings {
  readonly retrieve: RetrieveConfig;
  /** Its limits hold for postprocess too. */
  readonly project: ProjectConfig;
  readonly guard: GuardConfig;
}

export const lineDefaults: LineSettings = {
  retrieve: retrieveDefaults,
  project: projectDefaults,
  guard: guardDefaults,
};

export interface Line extends Doors {
  readonly bus: EmbeddedBus;
  readonly ledger: LedgerView;
  readonly audit: AuditStore;
  readonly keyring: Keyring;
  readonly codec: Codec;
  readonly health: Health;
  /** How records that come from outside the stations are made. */
  readonly emitter: Emitter;
  /** Lets the batches at hand end, then closes everything. What is not done yet goes on at the next start. */
  stop(): Promise<void>;
}

export const DEFAULT_TOPIC_PREFIX = 'proofline.';

/**
 * Opens the folder and runs every station on it.
 * @throws ProoflineError PL_DATA_FOLDER_LOCKED, PL_DATA_FOLDER_UNUSABLE, PL_PARTITIONS_CHANGED, PL_KEY_INVALID.
 */
export function openLine(options: LineOptions): Line {
  const { folder, search, now = Date.now, topicPrefix = DEFAULT_TOPIC_PREFIX } = options;
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
      onIncident: options.onIncident ?? (() => undefined),
    });
    const signatures = createSignatureMemory();
    const ports: StationPorts = {
      codec,
      keyring,
      ledger,
      audit,
      search,
      signer: rememberedSigner(signerOf(keyring, keys), signatures),
      verify: cachedVerifier(keyring, signatures),
    };
    const running = runStations(bus, ports, options.settings ?? lineDefaults, envOf);
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
      async stop() {
        await Promise.all([answers.stop(), ...running.map((each) => each.stop())]);
        for (const close of closing) await close();
        await search.close();
      },
    };
  } catch (error) {
    for (const close of closing) void close();
    throw error;
  }
}

interface StationPorts {
  readonly codec: Codec;
  readonly keyring: Keyring;
  readonly signer: Signer;
  readonly verify: EntryVerifier;
  readonly ledger: LedgerView;
  readonly audit: AuditStore;
  readonly search: KnowledgeSearch;
}

/** The stations of the line, each once. */
function runStations(
  bus: EmbeddedBus,
  ports: StationPorts,
  settings: LineSettings,
  envOf: (station: string) => LaneEnvironment,
): readonly Consumption[] {
  return [
    runLedgerView(bus, envOf('ledger-view'), ports.ledger),
    runStation(bus, envOf('retrieve'), retrieveStation(ports, settings.retrieve)),
    runStation(bus, envOf('postprocess'), postprocessStation(settings.project.limits)),
    runStation(bus, envOf('project'), projectStation(ports, settings.project)),
    runStation(bus, envOf('guard'), guardStation(ports, settings.guard)),
    runStation(bus, envOf('review'), reviewStation(ports)),
    runStation(bus, envOf('audit-sink'), auditSinkStation(ports.audit)),
  ];
}

function signerOf(keyring: Keyring, folder: string): Signer {
  if (keyring.signer === null) throw new ProoflineError('PL_KEY_MISSING', { folder });
  return keyring.signer;
}

function fatal({ onFatal }: LineOptions): { onFatal?: (error: unknown) => void } {
  return onFatal === undefined ? {} : { onFatal };
}
