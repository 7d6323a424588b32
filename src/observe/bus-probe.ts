import type { BusReader } from '../bus/bus.js';
import type { TopicName } from '../contracts/topics.js';
import type { LedgerView } from '../ledger/ledger-view.js';
import { mapBounded } from '../station/bounded.js';
import type { RunningStation } from './lanes.js';

/** How far the stations and the view are behind; null of what did not answer in time. */
export interface Progress {
  readonly lags: readonly StationLag[] | null;
  readonly views: readonly ViewProgress[] | null;
}

export interface StationLag {
  readonly station: string;
  readonly topic: TopicName;
  readonly partition: number;
  readonly records: number;
}

export interface ViewProgress {
  readonly partition: number;
  readonly position: number;
  /** Null where the bus did not say how long the ledger is. */
  readonly lag: number | null;
}

export interface ProbePorts {
  readonly bus: Pick<BusReader, 'partitions' | 'bounds' | 'committed'>;
  readonly ledger: Pick<LedgerView, 'position'> | null;
}

const TIMEOUT_MS = 2000;
/** Requests under way at a time. */
const CONCURRENCY = 16;

/**
 * Asks the bus and the ledger view how far everybody is. Never rejects. What does not answer is asked once, not
 * once more by every scrape.
 */
export function createBusProbe(
  { bus, ledger }: ProbePorts,
  stations: () => readonly RunningStation[],
  timeoutMs: number = TIMEOUT_MS,
): () => Promise<Progress> {
  const askBus = oneAtATime(() => readLags(bus, stations()));
  const askView = oneAtATime(() => readPositions(bus.partitions, ledger));
  return async () => {
    const [read, positions] = await Promise.all([inTime(askBus(), timeoutMs), inTime(askView(), timeoutMs)]);
    const views = positions?.map(({ partition, position }) => {
      const end = read?.ends.get(`ledger.v1/${partition}`)?.end;
      return { partition, position, lag: end === undefined ? null : Math.max(0, end - position) };
    });
    return { lags: read?.lags ?? null, views: views ?? null };
  };
}

type Ends = Map<string, { readonly low: number; readonly end: number }>;

async function readLags(
  bus: ProbePorts['bus'],
  stations: readonly RunningStation[],
): Promise<{ lags: StationLag[]; ends: Ends }> {
  const partitions = Array.from({ length: bus.partitions }, (_, partition) => partition);
  const topics = new Set<TopicName>(['ledger.v1', ...stations.flatMap(({ inputs }) => inputs)]);
  const logs = [...topics].flatMap((topic) => partitions.map((partition) => ({ topic, partition })));
  const ends: Ends = new Map();
  await mapBounded(logs, CONCURRENCY, async ({ topic, partition }) => {
    ends.set(`${topic}/${partition}`, await bus.bounds(topic, partition));
  });
  const inputs = stations.flatMap(({ name, inputs: read }) =>
    logs.filter(({ topic }) => read.includes(topic)).map((log) => ({ station: name, ...log })),
  );
  const lags = await mapBounded(inputs, CONCURRENCY, async ({ station, topic, partition }) => {
    const { low, end } = ends.get(`${topic}/${partition}`) ?? { low: 0, end: 0 };
    const next = (await bus.committed(station, topic, partition)) ?? low;
    return { station, topic, partition, records: Math.max(0, end - next) };
  });
  return { lags, ends };
}

async function readPositions(
  partitions: number,
  ledger: ProbePorts['ledger'],
): Promise<{ partition: number; position: number }[] | null> {
  if (ledger === null) return null;
  const found: { partition: number; position: number }[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    const position = await ledger.position(partition);
    if (position !== null) found.push({ partition, position });
  }
  return found;
}

/** Whoever asks while it is under way shares the answer. */
function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => (underWay ??= work().finally(() => (underWay = null)));
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work.catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
}
