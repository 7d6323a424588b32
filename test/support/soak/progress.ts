import type { Bus } from '../../../src/bus/bus.js';
import { stationInputs, stationNames } from '../../../src/line/station-names.js';
import type { Chaos } from './chaos.js';
import type { Fleet } from './fleet.js';
import type { Load } from './load.js';

export interface Progress {
  stop(): Promise<void>;
}

const EVERY_MS = 10_000;
/** While the broker is away nobody can say how far the stations are. */
const LAG_MS = 2000;

export interface Watched {
  readonly bus: Bus;
  readonly load: Load;
  readonly chaos: Chaos;
  readonly fleet: Fleet;
}

/** Tells every 10 s how far it all is; the looks at the memory are made here too. */
export function startProgress(watched: Watched, tell: (line: string) => void): Progress {
  const began = performance.now();
  let telling: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    telling = telling
      .then(() => describe(watched, performance.now() - began))
      .then(tell)
      .catch((error: unknown) => tell(`no progress can be told: ${String(error)}`));
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await telling;
    },
  };
}

async function describe({ bus, load, chaos, fleet }: Watched, ms: number): Promise<string> {
  const resident = await fleet.sample();
  const lag = await lagOf(bus);
  const { asked, answered, retried } = load.counts;
  const event = chaos.now();
  const parts = [
    clock(ms),
    `${asked} asked, ${answered} answered, ${asked - answered} waiting, ${retried} asked once more`,
    `${fleet.restarts()} restarts`,
    `RSS ${resident.map((bytes) => (bytes === null ? '-' : megabytes(bytes))).join(' ')} MB`,
    `lag ${lag ?? '?'}`,
    ...(event === null ? [] : [event.kind]),
  ];
  return parts.join('; ');
}

/** Records that the stations have yet to consume, markers of transactions among them; null when it cannot be told. */
async function lagOf(bus: Bus): Promise<number | null> {
  const lanes = stationNames.flatMap((station) =>
    stationInputs[station].flatMap((topic) =>
      Array.from({ length: bus.partitions }, (_, partition) => ({ station, topic, partition })),
    ),
  );
  const lags = lanes.map(async ({ station, topic, partition }) => {
    const [{ end }, next] = await Promise.all([
      bus.bounds(topic, partition),
      bus.committed(station, topic, partition),
    ]);
    return Math.max(0, end - (next ?? 0));
  });
  const sum = Promise.all(lags).then(
    (each) => each.reduce((total, lag) => total + lag, 0),
    () => null,
  );
  const late = new Promise<null>((resolve) => void setTimeout(resolve, LAG_MS, null).unref());
  return Promise.race([sum, late]);
}

export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export function megabytes(bytes: number): string {
  return String(Math.round(bytes / 1024 / 1024));
}
