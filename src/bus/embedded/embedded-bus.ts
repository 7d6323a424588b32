import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { ProoflineError } from '../../contracts/errors.js';
import type { TopicName } from '../../contracts/topics.js';
import type { Bus, BusReader, Consumption, ExclusiveWriter, NewRecord, StoredRecord } from '../bus.js';
import { createInTurn } from '../in-turn.js';
import { openDatabase } from './database.js';
import { createWriter, type Writer } from '../../sqlite/group-commit.js';
import { runLane, type LaneEnvironment } from './lane-worker.js';
import { openLog, type Log } from './log.js';
import { createRecent, readingRecentFirst } from './recent.js';
import { cleanUp } from './retention.js';
import { createTurns } from './turns.js';
import { createBell, createWakeups } from './wakeups.js';
import { lockForWriting, type WriterLock } from './writer-lock.js';

export interface EmbeddedBusOptions {
  /** The data folder; the bus is the file `bus.db` in it. */
  readonly folder: string;
  /** Number of partitions; null takes that of the folder, or 12 for a new one. */
  readonly partitions?: number | null;
  readonly now?: () => number;
  /** Called when the disk can no longer be believed. The process must end; the default ends it with exit code 3. */
  readonly onFatal?: (error: unknown) => void;
}

/** The embedded bus, and its store for what has to change with it in one transaction: the ledger view. */
export interface EmbeddedBus extends Bus {
  readonly writer: Writer;
  /**
   * Removes what need not be kept any longer at this instant (epoch milliseconds), as the bus does once an hour;
   * answers with the number of records. Stops early when the bus is closed.
   */
  cleanUp(now: number): Promise<number>;
}

/** Bytes of values that are kept for the lanes that read them next. */
const RECENT_BYTES = 4 * 1024 * 1024;
const CLEAN_UP_MS = 3_600_000;
/** The first time comes soon: a process that is often started again must clean as well. */
const FIRST_CLEAN_UP_MS = 60_000;

/**
 * Opens the folder's bus for writing: durable logs in one SQLite file, for one machine and one writing process.
 * @throws ProoflineError PL_DATA_FOLDER_LOCKED, PL_DATA_FOLDER_UNUSABLE, PL_PARTITIONS_CHANGED.
 */
export function openEmbeddedBus(options: EmbeddedBusOptions): EmbeddedBus {
  const lock = lockForWriting(options.folder);
  try {
    return assemble(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function assemble(options: EmbeddedBusOptions, lock: WriterLock): EmbeddedBus {
  const now = options.now ?? Date.now;
  const file = join(options.folder, 'bus.db');
  const { db, partitions, epoch } = openDatabase({
    file,
    readonly: false,
    partitions: options.partitions ?? null,
  });
  const writer = createWriter(db, { onFatal: options.onFatal ?? endProcess });
  const log = openLog(db, partitions);
  const wakeups = createWakeups();
  const recent = createRecent(RECENT_BYTES);
  const lanes: LaneEnvironment = {
    log: readingRecentFirst(log, recent),
    writer,
    wakeups,
    now,
    appended(records) {
      recent.add(records);
      for (const { topic, partition } of records) wakeups.wake(topic, partition);
    },
  };
  const turns = createTurns();
  const inTurn = createInTurn();
  const groups = createTally();
  const stopped = new AbortController();
  const running = new Set<Consumption>();
  const cleanLogs = (at: number): Promise<number> =>
    cleanUp({ writer, log, partitions }, at, stopped.signal).finally(() => recent.clear());
  const clean = (): void => {
    // What goes wrong here is told to whoever writes next; the next time tries again.
    cleanLogs(now()).catch(() => undefined);
  };
  const cleaning = [setTimeout(clean, FIRST_CLEAN_UP_MS).unref(), setInterval(clean, CLEAN_UP_MS).unref()];

  async function append(records: readonly NewRecord[]): Promise<readonly number[]> {
    const stored = await writer.write(() => log.append(records, now()));
    lanes.appended(stored);
    return stored.map(({ offset }) => offset);
  }

  function keep(consumption: Consumption): Consumption {
    const kept = { stop: () => consumption.stop().finally(() => running.delete(kept)) };
    running.add(kept);
    return kept;
  }

  return {
    partitions,
    epoch,
    writer,
    cleanUp: cleanLogs,
    append,
    // No other process writes.
    exclusively: (name, work) => inTurn(name, () => work({ append, barrier: barrierOf(log) })),
    async setOffset(group, topic, partition, next) {
      if (groups.has(group)) throw new ProoflineError('PL_GROUP_ACTIVE', { group, members: 1 });
      await writer.write(() => log.setOffset(group, topic, partition, next));
    },
    subscribe(subscription) {
      const { group } = subscription;
      groups.add(group);
      const work = (partition: number, signal: AbortSignal): Promise<void> =>
        turns.take(`${group}/${partition}`, signal, () => runLane(lanes, subscription, partition, signal));
      const lanesOf = consumption(partitions, work);
      return keep({ stop: () => lanesOf.stop().finally(() => groups.remove(group)) });
    },
    follow: (topics, onRecords) => {
      const from = ends(log, topics, partitions);
      return keep(
        consumption(partitions, (partition, signal) =>
          followPartition(lanes, topics, partition, from, onRecords, signal),
        ),
      );
    },
    ...reading(log, partitions),
    async close() {
      stopped.abort();
      for (const timer of cleaning) clearTimeout(timer);
      await Promise.all([...running].map((each) => each.stop()));
      await writer.idle();
      db.close();
      lock.release();
    },
  };
}

/**
 * Opens the folder's bus for reading only, beside the process that writes it.
 * @throws ProoflineError PL_DATA_FOLDER_UNUSABLE when there is none, or one of another version.
 */
export function openEmbeddedReader(folder: string): BusReader & { readonly db: Database.Database } {
  const { db, partitions, epoch } = openDatabase({
    file: join(folder, 'bus.db'),
    readonly: true,
    partitions: null,
  });
  return {
    partitions,
    epoch,
    db,
    ...reading(openLog(db, partitions), partitions),
    close: () => Promise.resolve(void db.close()),
  };
}

function reading(
  log: Log,
  partitions: number,
): Pick<BusReader, 'read' | 'bounds' | 'decidedTo' | 'committed' | 'mark' | 'countPartitions'> {
  return {
    decidedTo: (topic, partition) => Promise.resolve(log.bounds(topic, partition).end),
    read: (topic, partition, from, limit) => Promise.resolve(log.read(topic, partition, from, limit)),
    bounds: (topic, partition) => Promise.resolve(log.bounds(topic, partition)),
    committed: (group, topic, partition) => Promise.resolve(log.committed(group, topic, partition)),
    mark: (group, topic, partition) => Promise.resolve(log.mark(group, topic, partition)),
    countPartitions: () => Promise.resolve(partitions),
  };
}

/** In SQLite what is committed is there: the last record will do. */
function barrierOf(log: Log): ExclusiveWriter['barrier'] {
  return (topic, partition) => Promise.resolve(log.bounds(topic, partition).end - 1);
}

/** Names, each as often as it was added. */
function createTally(): { add(name: string): void; remove(name: string): void; has(name: string): boolean } {
  const counts = new Map<string, number>();
  const change = (name: string, by: number): void => void counts.set(name, (counts.get(name) ?? 0) + by);
  return {
    add: (name) => change(name, 1),
    remove: (name) => change(name, -1),
    has: (name) => (counts.get(name) ?? 0) > 0,
  };
}

/** Runs one worker a partition; stopping lets each end what it has at hand. */
function consumption(
  partitions: number,
  run: (partition: number, signal: AbortSignal) => Promise<void>,
): Consumption {
  const stop = new AbortController();
  // Every partition waits on the one signal.
  setMaxListeners(0, stop.signal);
  const workers = Array.from({ length: partitions }, (_, partition) => run(partition, stop.signal));
  return {
    async stop() {
      stop.abort();
      await Promise.all(workers);
    },
  };
}

function ends(log: Log, topics: readonly TopicName[], partitions: number): Map<string, number> {
  const from = new Map<string, number>();
  for (const topic of topics) {
    for (let p = 0; p < partitions; p++) from.set(`${topic}/${p}`, log.bounds(topic, p).end);
  }
  return from;
}

/** Records of a topic that a follower is given at a time. */
const FOLLOWED = 100;

async function followPartition(
  { log, wakeups }: LaneEnvironment,
  topics: readonly TopicName[],
  partition: number,
  from: Map<string, number>,
  onRecords: (records: readonly StoredRecord[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const bell = createBell();
  // Only where something was written is it read again.
  const rung = new Set(topics);
  const silence = topics.map((topic) =>
    wakeups.on(topic, partition, () => {
      rung.add(topic);
      bell.ring();
    }),
  );
  while (!signal.aborted) {
    const records = [...rung].flatMap((topic) => {
      const page = log.read(topic, partition, from.get(`${topic}/${partition}`) ?? 0, FOLLOWED);
      if (page.length < FOLLOWED) rung.delete(topic);
      return page;
    });
    for (const record of records) from.set(`${record.topic}/${partition}`, record.offset + 1);
    if (records.length > 0) onRecords(records);
    // A busy log must not keep the event loop to itself.
    await (records.length > 0 ? nextTurn() : bell.heard(60_000, signal));
  }
  for (const stop of silence) stop();
}

function endProcess(error: unknown): void {
  process.stderr.write(`proofline: the disk failed, and what is durable is unknown: ${String(error)}\n`);
  process.exit(3);
}
