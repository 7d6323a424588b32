import { auditSinkStation } from '../../consumers/audit-sink.js';
import { guardDefaults, guardStation, type GuardConfig } from '../../consumers/guard.js';
import { runLedgerView } from '../../consumers/ledger-view.js';
import { harnessDefaults, harnessStation, type HarnessConfig } from '../../consumers/harness.js';
import { postprocessStation } from '../../consumers/postprocess.js';
import { projectDefaults, projectStation, type ProjectConfig } from '../../consumers/project.js';
import { retrieveStation } from '../../consumers/retrieve.js';
import { reviewDefaults, reviewStation, type ReviewConfig } from '../../consumers/review.js';
import { draftSubmitted, type DraftHandIn } from '../../producers/drafts.js';
import { lookupRequested, type Lookup } from '../../producers/lookups.js';
import type { AuditStore } from '../../src/audit/audit-store.js';
import { openSqliteAuditStore } from '../../src/audit/sqlite-audit-store.js';
import type { Bus, Consumption, NewRecord } from '../../src/bus/bus.js';
import { openEmbeddedBus, type EmbeddedBus } from '../../src/bus/embedded/embedded-bus.js';
import { createCodec, type Codec } from '../../src/contracts/codec.js';
import type { DraftSubmitted, LookupRequested } from '../../src/contracts/generated.js';
import type { TopicMessages, TopicName } from '../../src/contracts/topics.js';
import type { Judge } from '../../src/judge/judge.js';
import { openKeyring, type Keyring } from '../../src/ledger/keyring.js';
import type { LedgerView } from '../../src/ledger/ledger-view.js';
import { cachedVerifier } from '../../src/ledger/signing.js';
import { openSqliteLedgerView } from '../../src/ledger/sqlite-ledger-view.js';
import { dataFolder } from '../../src/line/data-folder.js';
import { retrieveDefaults, type RetrieveConfig } from '../../src/lookup/retrieve-rule.js';
import type { KnowledgeSearch } from '../../src/retrieval/knowledge-search.js';
import { encodeRecord, type Emitter } from '../../src/station/envelope.js';
import { createHealth, type Health } from '../../src/station/health.js';
import type { Observability } from '../../src/observe/observability.js';
import type { Incident, LaneEnvironment } from '../../src/station/lane-environment.js';
import { runStation } from '../../src/station/run-station.js';
import type { Station } from '../../src/station/station.js';
import { readAll } from './bus.js';
import { scripted } from './line-search.js';
import { tempFolder } from './temp-folder.js';
import { waitUntil } from './wait.js';

/** In the order in which a lookup and its draft pass them. */
const STATIONS = [
  'retrieve',
  'postprocess',
  'project',
  'ledger-view',
  'guard',
  'review',
  'harness',
  'audit-sink',
] as const;

/** The harness rests between batches, and the line is not idle before it is: it runs where it is what is tested. */
const FROM_THE_BEGINNING = STATIONS.filter((name) => name !== 'harness');

export type StationName = (typeof STATIONS)[number];

export interface TestLineOptions {
  /** A folder of its own without it. */
  readonly folder?: string;
  readonly search?: KnowledgeSearch;
  readonly partitions?: number;
  readonly now?: () => number;
  /** The stations that run from the beginning; all of them but the harness without it. */
  readonly stations?: readonly StationName[];
  readonly retrieve?: Partial<RetrieveConfig>;
  readonly project?: Partial<ProjectConfig>;
  readonly guard?: Partial<GuardConfig>;
  readonly review?: Partial<ReviewConfig>;
  /** The second opinion of review; asked where `review` says so. */
  readonly judge?: Judge;
  readonly harness?: Partial<HarnessConfig>;
  /** What takes the place of a part; it is given the real one. */
  readonly wrapBus?: (bus: Bus) => Bus;
  readonly wrapLedger?: (view: LedgerView) => LedgerView;
  readonly wrapAudit?: (store: AuditStore) => AuditStore;
  /** Watches the line; stopped by who made it. */
  readonly observe?: Observability;
}

/** A record of a topic, decoded. */
export interface Read<T extends TopicName> {
  readonly partition: number;
  readonly offset: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Null of a tombstone. */
  readonly value: TopicMessages[T] | null;
}

/** The embedded line, put together so that a test can hold up, stop or replace each part of it. */
export interface TestLine {
  readonly folder: string;
  readonly bus: EmbeddedBus;
  readonly codec: Codec;
  readonly keyring: Keyring;
  readonly ledger: LedgerView;
  readonly audit: AuditStore;
  readonly health: Health;
  readonly incidents: readonly Incident[];
  readonly emitter: Emitter;
  start(...names: readonly StationName[]): void;
  stop(...names: readonly StationName[]): Promise<void>;
  /** Publishes a lookup; answers with its message. */
  ask(lookup: Partial<Lookup>): Promise<LookupRequested>;
  handIn(draft: Partial<DraftHandIn>): Promise<DraftSubmitted>;
  record<T extends TopicName>(topic: T, message: TopicMessages[T], key?: string): NewRecord;
  read<T extends TopicName>(topic: T): Promise<Read<T>[]>;
  messages<T extends TopicName>(topic: T): Promise<TopicMessages[T][]>;
  /** Resolves when every running station has consumed all that there is. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const opened = new Set<TestLine>();

export function openTestLine(options: TestLineOptions = {}): TestLine {
  const { now = Date.now, folder = tempFolder(), search = scripted() } = options;
  const bus = openEmbeddedBus({ folder, now, partitions: options.partitions ?? 2 });
  const paths = dataFolder(folder);
  const codec = createCodec();
  const keyring = openKeyring(paths.keys, { create: true });
  const realLedger = openSqliteLedgerView({ writer: bus.writer, codec, epoch: bus.epoch });
  const ledger = options.wrapLedger?.(realLedger) ?? realLedger;
  const realAudit = openSqliteAuditStore(paths.audit);
  const audit = options.wrapAudit?.(realAudit) ?? realAudit;
  const health = createHealth(now);
  const incidents: Incident[] = [];
  const emitterOf = (station: string): Emitter => ({
    station,
    codec,
    partitions: bus.partitions,
    prefix: 'proofline.',
    now,
  });
  const envOf = (station: string): LaneEnvironment => ({
    emitter: emitterOf(station),
    health,
    ...(options.observe === undefined ? {} : { observer: options.observe.observer }),
    onIncident(incident) {
      incidents.push(incident);
      options.observe?.onIncident(incident);
    },
  });
  const signer = keyring.signer!;
  const ports = { codec, keyring, ledger, audit, search, signer, verify: cachedVerifier(keyring) };
  const stations: Partial<Record<StationName, Station>> = {
    retrieve: retrieveStation(ports, { ...retrieveDefaults, ...options.retrieve }) as unknown as Station,
    postprocess: postprocessStation() as unknown as Station,
    project: projectStation(ports, { ...projectDefaults, ...options.project }) as unknown as Station,
    guard: guardStation(ports, { ...guardDefaults, ...options.guard }) as unknown as Station,
    review: reviewStation(
      { codec, judge: options.judge ?? null },
      { ...reviewDefaults, ...options.review },
    ) as unknown as Station,
    harness: harnessStation(ports, { ...harnessDefaults, ...options.harness }) as unknown as Station,
    'audit-sink': auditSinkStation(audit) as unknown as Station,
  };
  const stationBus = options.wrapBus?.(bus) ?? bus;
  options.observe?.attach({ bus: stationBus, ledger, health });
  const running = new Map<StationName, Consumption>();
  const emitter = emitterOf('test');

  function start(...names: readonly StationName[]): void {
    for (const name of names.filter((each) => !running.has(each))) {
      const station = stations[name];
      const consumption =
        station === undefined
          ? runLedgerView(stationBus, envOf(name), realLedger)
          : runStation(stationBus, envOf(name), station);
      running.set(name, consumption);
    }
  }

  function inputsOf(name: StationName): readonly TopicName[] {
    const station = stations[name];
    if (station === undefined) return ['ledger.v1'];
    return station.knows === undefined ? station.inputs : [...station.inputs, station.knows];
  }

  async function isDone(name: StationName): Promise<boolean> {
    for (const topic of inputsOf(name)) {
      for (let p = 0; p < bus.partitions; p++) {
        const { end } = await bus.bounds(topic, p);
        if (((await bus.committed(name, topic, p)) ?? 0) < end) return false;
      }
    }
    return true;
  }

  async function allDone(): Promise<boolean> {
    // Upstream first: what a station that is done has emitted is in the log when the next one is looked at.
    for (const name of STATIONS) if (running.has(name) && !(await isDone(name))) return false;
    return true;
  }

  function record<T extends TopicName>(topic: T, message: TopicMessages[T], key?: string): NewRecord {
    return encodeRecord(emitter, topic, message, {}, key);
  }

  const line: TestLine = {
    folder,
    bus,
    codec,
    keyring,
    ledger,
    audit,
    health,
    incidents,
    emitter,
    start,
    async stop(...names) {
      const stopping = names.flatMap((name) => running.get(name) ?? []);
      for (const name of names) running.delete(name);
      await Promise.all(stopping.map((each) => each.stop()));
    },
    async ask(lookup) {
      const message = lookupRequested(lookupOf(lookup), now());
      await bus.append([record('lookup-requested.v1', message)]);
      return message;
    },
    async handIn(draft) {
      const message = draftSubmitted(
        { runId: 'run-1', draftId: 'draft-1', draftJson: '{}', ...draft },
        now(),
      );
      await bus.append([record('draft-submitted.v1', message)]);
      return message;
    },
    record,
    async read<T extends TopicName>(topic: T) {
      const found: Read<T>[] = [];
      for (let p = 0; p < bus.partitions; p++) {
        for (const { partition, offset, key, value, headers } of await readAll(bus, topic, p)) {
          const decoded = value === null ? null : codec.decode(topic, value);
          found.push({ partition, offset, headers, key: key?.toString('utf8') ?? null, value: decoded });
        }
      }
      return found;
    },
    messages: async (topic) => (await line.read(topic)).flatMap(({ value }) => value ?? []),
    async idle() {
      await waitUntil('the line is idle', allDone);
    },
    async close() {
      opened.delete(line);
      await line.stop(...running.keys());
      await audit.close();
      await bus.close();
      await search.close();
    },
  };
  opened.add(line);
  start(...(options.stations ?? FROM_THE_BEGINNING));
  return line;
}

/** For `afterEach`. */
export async function closeLines(): Promise<void> {
  for (const line of opened) await line.close();
}

export function lookupOf(lookup: Partial<Lookup> = {}): Lookup {
  return { runId: 'run-1', toolCallId: 'call-1', query: 'gateway timeout', ...lookup };
}

/** What a station has to decide about, one after the other, whichever run it is of. */
export async function only<T extends TopicName>(line: TestLine, topic: T): Promise<TopicMessages[T]> {
  const messages = await line.messages(topic);
  if (messages.length !== 1) throw new Error(`${topic} has ${messages.length} messages, not one`);
  return messages[0]!;
}
