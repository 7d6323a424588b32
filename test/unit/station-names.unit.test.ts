import { expect, test } from 'vitest';
import type { Bus, Consumption, Subscription } from '../../src/bus/bus.js';
import { stationInputs, stationNames } from '../../src/line/station-names.js';
import { lineDefaults, runStations, type StationPorts } from '../../src/line/stations.js';

test('given the stations of a line, when they are run, then each reads what it is said to read', () => {
  const read = new Map<string, readonly string[]>();
  const consumption: Consumption = { stop: () => Promise.resolve() };
  const bus = {
    subscribe({ group, topics }: Subscription) {
      read.set(group, topics);
      return consumption;
    },
  } as Partial<Bus> as Bus;
  // Nothing is opened: no lane is assigned.
  const ports = { judge: null } as Partial<StationPorts> as StationPorts;
  const envOf = (): never => ({}) as never;

  runStations({ names: stationNames, bus, ports, settings: lineDefaults, envOf });

  expect(Object.fromEntries([...read].map(([name, topics]) => [name, topics.toSorted()]))).toEqual(
    Object.fromEntries(stationNames.map((name) => [name, [...stationInputs[name]].toSorted()])),
  );
});
