import type { TopicName } from '../contracts/topics.js';

/** What this process runs, and which lanes it was given. */
export interface Lanes {
  subscribed(station: string, inputs: readonly TopicName[]): void;
  opening(station: string, partition: number): void;
  opened(station: string, partition: number): void;
  lost(station: string, partition: number): void;
  stations(): readonly RunningStation[];
  /** Lanes that came and went since the last call. */
  changes(): readonly LaneChange[];
}

export interface RunningStation {
  readonly name: string;
  readonly inputs: readonly TopicName[];
  readonly lanes: ReadonlyMap<number, LaneState>;
  /** Since when it has the lanes that it has, at least; epoch milliseconds. */
  readonly since: number;
}

export interface LaneState {
  readonly open: boolean;
  /** Since when it is like this; epoch milliseconds. */
  readonly since: number;
}

export interface LaneChange {
  readonly station: string;
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

interface Kept extends RunningStation {
  lanes: Map<number, LaneState>;
  since: number;
  /** The partitions that were told last. */
  told: ReadonlySet<number>;
}

export function createLanes(now: () => number): Lanes {
  const kept = new Map<string, Kept>();

  function setLane(name: string, partition: number, open: boolean): void {
    kept.get(name)?.lanes.set(partition, { open, since: now() });
  }

  return {
    subscribed(name, inputs) {
      kept.set(name, { name, inputs, lanes: new Map(), since: now(), told: new Set() });
    },
    opening: (name, partition) => setLane(name, partition, false),
    opened: (name, partition) => setLane(name, partition, true),
    lost(name, partition) {
      const station = kept.get(name);
      if (station?.lanes.delete(partition) === true && station.lanes.size === 0) station.since = now();
    },
    stations: () => [...kept.values()],
    changes() {
      const changes = [...kept.values()].map((station) => {
        const held = new Set(station.lanes.keys());
        const change = {
          station: station.name,
          gained: [...held].filter((partition) => !station.told.has(partition)),
          lost: [...station.told].filter((partition) => !held.has(partition)),
        };
        station.told = held;
        return change;
      });
      return changes.filter(({ gained, lost }) => gained.length + lost.length > 0);
    },
  };
}
