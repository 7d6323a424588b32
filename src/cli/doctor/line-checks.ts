import { openDatabase } from '../../bus/embedded/database.js';
import { openEmbeddedReader } from '../../bus/embedded/embedded-bus.js';
import { lockForWriting } from '../../bus/embedded/writer-lock.js';
import type { BusReader } from '../../bus/bus.js';
import { isProoflineError } from '../../contracts/errors.js';
import { topicNames, type TopicName } from '../../contracts/topics.js';
import type { DataFolder } from '../../line/data-folder.js';
import type { LineHealth } from '../../line/line-client.js';
import { connectSocket } from '../../line/socket-client.js';
import { VERSION } from '../../version.js';
import { failure, ok, warning, type Check } from '../../doctor/check.js';

/** What is to be said of the line of a data folder: who runs it, how it stores, what waits, what its clock says. */

/** The running line's own word; null where none answers. */
export async function runningLine(folder: string): Promise<LineHealth | null> {
  const client = await connectSocket(folder);
  return client === null ? null : client.health();
}

export function checkRunning(paths: DataFolder, health: LineHealth | null): Check {
  if (health !== null) {
    const finding = `a line runs here (process ${health.pid}, since ${health.started_at})`;
    if (health.version === VERSION) return ok('line', finding);
    const other = `${finding}, of version ${health.version}; this is ${VERSION}`;
    return warning('line', other, 'Start the line again with this version.');
  }
  try {
    lockForWriting(paths.folder).release();
    return ok('line', 'no line runs here; commands run one for as long as they take');
  } catch (error) {
    if (!isProoflineError(error, 'PL_DATA_FOLDER_LOCKED')) throw error;
    const fix =
      'Wait for the other command, or stop that process: `fuser writer.lock` in the folder names it.';
    return failure('line', 'another process has the data folder, and answers at no socket', fix);
  }
}

/** A running line is asked; without one the file is opened as a line would, which sets what must be set. */
export function checkStorage(paths: DataFolder, health: LineHealth | null): Check {
  const found = health === null ? openedSettings(paths) : { ...health.sqlite, partitions: health.partitions };
  const { journal_mode: journal, synchronous, partitions } = found;
  const finding = `${partitions} partitions; SQLite with journal ${journal}, synchronous ${synchronousWord(synchronous)}`;
  if (journal === 'wal' && synchronous === FULL) return ok('storage', finding);
  return failure(
    'storage',
    finding,
    'An answer could be lost in a power cut. Move the data folder to a local disk.',
  );
}

const FULL = 2;

function synchronousWord(value: number): string {
  return ['OFF', 'NORMAL', 'FULL', 'EXTRA'][value] ?? String(value);
}

function openedSettings(paths: DataFolder): LineHealth['sqlite'] & { partitions: number } {
  const lock = lockForWriting(paths.folder);
  try {
    const { db, partitions } = openDatabase({ file: paths.bus, readonly: false, partitions: null });
    const pragma = (name: string): unknown => db.pragma(name, { simple: true });
    const found = {
      journal_mode: String(pragma('journal_mode')),
      synchronous: Number(pragma('synchronous')),
    };
    db.close();
    return { ...found, partitions };
  } finally {
    lock.release();
  }
}

/** Lanes that do not go on, or, without a line, what is left for the next one. */
export async function checkWaiting(paths: DataFolder, health: LineHealth | null): Promise<readonly Check[]> {
  if (health !== null)
    return health.waiting.length === 0 ? [ok('work', 'no station waits')] : waitingLanes(health);
  const [lookups, drafts] = await reading(paths, (bus) =>
    Promise.all([
      backlog(bus, 'retrieve', 'lookup-requested.v1'),
      backlog(bus, 'guard', 'draft-submitted.v1'),
    ]),
  );
  if (lookups + drafts === 0) return [ok('work', 'nothing waits to be done')];
  const finding = `${lookups} lookups and ${drafts} drafts wait to be worked on`;
  return [warning('work', finding, 'They go on as soon as a line runs: `proofline dev`.')];
}

/** One finding a station and reason, however many partitions it concerns. */
function waitingLanes({ waiting }: LineHealth): readonly Check[] {
  const reasons = new Map(waiting.map((lane) => [`${lane.station} ${lane.problem}`, lane]));
  return [...reasons.values()].map(({ station, code, problem, since }) => {
    const fix = 'It goes on by itself once that is over; nothing is lost meanwhile.';
    return failure('work', `${station} waits since ${since}: ${code}, ${problem}`, fix);
  });
}

async function backlog(bus: BusReader, group: string, topic: TopicName): Promise<number> {
  let records = 0;
  for (let partition = 0; partition < bus.partitions; partition++) {
    const { low, end } = await bus.bounds(topic, partition);
    records += end - Math.max(low, (await bus.committed(group, topic, partition)) ?? 0);
  }
  return records;
}

const TOLERANCE_MS = 60_000;

/** Records are stamped by the clock of this machine: one from the future says that it was, or is, wrong. */
export async function checkClock(paths: DataFolder, now: number): Promise<Check> {
  const newest = await reading(paths, newestTimestamp);
  if (newest <= now + TOLERANCE_MS) return ok('clock', 'no record is from the future');
  const finding = `the newest record is from ${new Date(newest).toISOString()}, and it is ${new Date(now).toISOString()}`;
  return failure('clock', finding, 'Set the clock right; evidence expires by it.');
}

async function newestTimestamp(bus: BusReader): Promise<number> {
  let newest = 0;
  for (const topic of topicNames) {
    for (let partition = 0; partition < bus.partitions; partition++) {
      const { end } = await bus.bounds(topic, partition);
      const [last] = end === 0 ? [] : await bus.read(topic, partition, end - 1, 1);
      newest = Math.max(newest, last?.timestamp ?? 0);
    }
  }
  return newest;
}

async function reading<T>(paths: DataFolder, work: (bus: BusReader) => Promise<T>): Promise<T> {
  const bus = openEmbeddedReader(paths.folder);
  try {
    return await work(bus);
  } finally {
    await bus.close();
  }
}
