import { expect, test } from 'vitest';
import type { Bus, Consumption, Subscription } from '../../src/bus/bus.js';
import { keepsPositionOf, stationInputs, stationNames } from '../../src/line/station-names.js';
import { lineDefaults, runStations, type StationPorts } from '../../src/line/stations.js';

test('given the stations of a line, when they are run, then each reads what it is said to read, from where it is said to', () => {
  const read = new Map<string, readonly string[]>();
  const own: string[] = [];
  const consumption: Consumption = { stop: () => Promise.resolve() };
  const bus = {
    subscribe({ group, topics, keepsPosition, knows }: Subscription) {
      read.set(group, topics);
      own.push(...topics.filter((topic) => keepsPosition === true || topic === knows));
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
  const said = stationNames.flatMap((name) =>
    stationInputs[name].filter((topic) => keepsPositionOf(name, topic)),
  );
  expect(own.toSorted()).toEqual(said.toSorted());
});
