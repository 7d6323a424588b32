import { afterEach, describe, expect, test } from 'vitest';
import type { EmbeddedBus } from '../../src/bus/embedded/embedded-bus.js';
import { consume, newRecord, newRecords, offsetsOf, readAll, textsOf } from '../support/bus.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { waitUntil } from '../support/wait.js';

afterEach(closeBuses);

const DAY_MS = 86_400_000;
const LEDGER = 'ledger.v1';

const clean = (bus: EmbeddedBus, now: number): Promise<number> => bus.cleanUp(now);

describe('retention', () => {
  test("takes what is past its topic's days, and no more", async () => {
    let now = 0;
    const bus = openBus({ now: () => now });
    await bus.append([
      ...newRecords('raw-hits.v1', 0, 2, 'old'),
      ...newRecords('draft-submitted.v1', 0, 2, 'old'),
      ...newRecords('tool-invocation.v1', 0, 2, 'old'),
    ]);
    now = 8 * DAY_MS;
    await bus.append(newRecords('raw-hits.v1', 0, 1, 'new'));
    expect(await clean(bus, now)).toBe(2);
    expect(textsOf(await readAll(bus, 'raw-hits.v1', 0))).toEqual(['new-0']);
    expect(await readAll(bus, 'draft-submitted.v1', 0)).toHaveLength(2);
    expect(await clean(bus, 31 * DAY_MS)).toBe(3);
    expect(await clean(bus, 100_000 * DAY_MS)).toBe(0);
    expect(textsOf(await readAll(bus, 'tool-invocation.v1', 0))).toEqual(['old-0', 'old-1']);
  });

  test('given that it emptied a log, offsets go on, also when opened again', async () => {
    let now = 0;
    const bus = openBus({ now: () => now });
    await bus.append(newRecords('raw-hits.v1', 1, 3));
    now = 8 * DAY_MS;
    expect(await clean(bus, now)).toBe(3);
    expect(await bus.bounds('raw-hits.v1', 1)).toEqual({ low: 3, end: 3 });
    await bus.close();
    const again = openBus({ folder: bus.folder });
    expect(await again.append(newRecords('raw-hits.v1', 1, 2))).toEqual([3, 4]);
  });

  test('given a long log, it takes all that is old, in short transactions', async () => {
    let now = 0;
    const bus = openBus({ now: () => now });
    await bus.append(newRecords('raw-hits.v1', 0, 1234, 'old'));
    now = 8 * DAY_MS;
    await bus.append(newRecords('raw-hits.v1', 0, 10, 'new'));
    expect(await clean(bus, now)).toBe(1234);
    expect(offsetsOf(await readAll(bus, 'raw-hits.v1', 0))).toEqual(
      Array.from({ length: 10 }, (_, i) => 1234 + i),
    );
  });

  test('given a group that has not read them yet, old records stay until it has', async () => {
    const bus = openBus({ now: () => 0 });
    await bus.append(newRecords('raw-hits.v1', 0, 5));
    const reader = consume(bus, { group: 'slow', topics: ['raw-hits.v1'], maxRecords: 2 });
    await waitUntil('the group has read all', () => reader.records().length === 5);
    await reader.consumption.stop();
    await bus.append(newRecords('raw-hits.v1', 0, 3, 'unread'));
    expect(await clean(bus, 8 * DAY_MS)).toBe(5);
    expect(textsOf(await readAll(bus, 'raw-hits.v1', 0))).toHaveLength(3);
  });

  test('given that the bus is closing, it stops', async () => {
    const bus = openBus({ now: () => 0 });
    await bus.append(newRecords('raw-hits.v1', 0, 10));
    const closing = bus.close();
    expect(await clean(bus, 8 * DAY_MS)).toBe(0);
    await closing;
  });

  test('given a line that runs beside it, nobody is disturbed', async () => {
    let now = 0;
    const bus = openBus({ now: () => now });
    await bus.append(newRecords('raw-hits.v1', 0, 2000));
    now = 8 * DAY_MS;
    const group = consume(bus, { group: 'g', topics: ['projected.v1'] });
    const cleaning = clean(bus, now);
    for (let i = 0; i < 20; i++) await bus.append(newRecords('projected.v1', 0, 1, `p${i}`));
    expect(await cleaning).toBe(2000);
    await waitUntil('all has come', () => group.records().length === 20);
    await group.consumption.stop();
    expect(group.errors).toEqual([]);
  });
});

describe('compaction', () => {
  const entry = (partition: number, key: string, value: string | null) =>
    newRecord(LEDGER, partition, value, { key: Buffer.from(key) });

  test('keeps the newest record of each key, in order, tombstones as well', async () => {
    const bus = openBus();
    await bus.append([
      entry(0, 'a', 'a-1'),
      entry(0, 'b', 'b-1'),
      entry(0, 'a', 'a-2'),
      entry(0, 'c', 'c-1'),
      entry(0, 'b', null),
      entry(0, 'a', 'a-3'),
      entry(1, 'c', 'another partition'),
    ]);
    expect(await clean(bus, Date.now())).toBe(3);
    const kept = await readAll(bus, LEDGER, 0);
    expect(kept.map(({ offset, key, value }) => [offset, String(key), value && String(value)])).toEqual([
      [3, 'c', 'c-1'],
      [4, 'b', null],
      [5, 'a', 'a-3'],
    ]);
    expect(await readAll(bus, LEDGER, 1)).toHaveLength(1);
    expect(await bus.bounds(LEDGER, 0)).toEqual({ low: 3, end: 6 });
    expect(await bus.append([entry(0, 'a', 'a-4')])).toEqual([6]);
    expect(await clean(bus, Date.now())).toBe(1);
  });

  test('keeps records however old they are, but tombstones for 30 days', async () => {
    const bus = openBus({ now: () => 0 });
    await bus.append([entry(0, 'a', 'a'), entry(0, 'b', null)]);
    expect(await clean(bus, 30 * DAY_MS)).toBe(0);
    expect(await clean(bus, 100_000 * DAY_MS)).toBe(1);
    expect(textsOf(await readAll(bus, LEDGER, 0))).toEqual(['a']);
  });

  test('given another topic with the same keys, that is left alone', async () => {
    const bus = openBus();
    await bus.append([entry(0, 'a', '1'), newRecord('run-state.v1', 0, '2', { key: Buffer.from('a') })]);
    await bus.append([newRecord('raw-hits.v1', 0, '3', { key: Buffer.from('a') })]);
    expect(await clean(bus, Date.now())).toBe(0);
  });

  test('given a long log of few keys, a new reader gets the newest of each, whole', async () => {
    const bus = openBus();
    const written = Array.from({ length: 1500 }, (_, i) => entry(0, `k${i % 7}`, `v${i}`));
    await bus.append(written);
    expect(await clean(bus, Date.now())).toBe(1493);
    const group = consume(bus, { group: 'g', topics: [LEDGER] });
    await waitUntil('all has come', () => group.records().length === 7);
    await group.consumption.stop();
    expect(textsOf(group.records())).toEqual(written.slice(-7).map(({ value }) => String(value)));
  });
});
