import { describe, expect, test } from 'vitest';
import type { StoredRecord } from '../../src/bus/bus.js';
import { consume, copyTo, newRecord, newRecords, readAll, textsOf } from '../support/bus.js';
import { waitUntil } from '../support/wait.js';
import { ALL_PARTITIONS, PARTITIONS, type Subject } from './bus-subject.js';

const IN = 'raw-hits.v1';
const OUT = 'postprocessed.v1';

function onPartition(records: readonly StoredRecord[], partition: number): StoredRecord[] {
  return records.filter((record) => record.partition === partition);
}

export function laneTests(subject: Subject): void {
  describe('lanes', () => {
    test('given records on every partition, each lane gets those of its own, in order, in small batches', async () => {
      const { bus } = subject();
      for (let i = 0; i < 10; i++)
        await bus.append(ALL_PARTITIONS.flatMap((p) => newRecords(IN, p, 3, `p${p}-${i}`)));
      const group = consume(bus, { group: 'g', topics: [IN], maxRecords: 7 });
      await waitUntil('all has come', () => group.records().length === 30 * PARTITIONS);
      await group.consumption.stop();
      for (const { lane, records } of group.batches) {
        expect(records.length).toBeLessThanOrEqual(7);
        expect(records.every((record) => record.partition === lane.partition)).toBe(true);
      }
      for (const p of ALL_PARTITIONS) {
        expect(onPartition(group.records(), p)).toEqual(await readAll(bus, IN, p));
      }
      expect(group.lanes.map((lane) => lane.partition).toSorted((a, b) => a - b)).toEqual(ALL_PARTITIONS);
    });

    test('given what is appended while it runs, a lane gets that as well', async () => {
      const { bus } = subject();
      const group = consume(bus, { group: 'g', topics: [IN] });
      await waitUntil('the lanes are open', () => group.lanes.length === PARTITIONS);
      for (let i = 0; i < 5; i++) {
        await bus.append([newRecord(IN, 1, `r-${i}`)]);
        await waitUntil('it has come', () => group.records().length === i + 1);
      }
      await group.consumption.stop();
      expect(textsOf(group.records())).toEqual(['r-0', 'r-1', 'r-2', 'r-3', 'r-4']);
    });

    test('given two groups, each gets everything, whatever the other has done', async () => {
      const { bus } = subject();
      await bus.append(newRecords(IN, 0, 6));
      const first = consume(bus, { group: 'first', topics: [IN] });
      await waitUntil('the first has all', () => first.records().length === 6);
      await first.consumption.stop();
      expect(await bus.committed('second', IN, 0)).toBeNull();
      const second = consume(bus, { group: 'second', topics: [IN] });
      await waitUntil('the second has all', () => second.records().length === 6);
      await second.consumption.stop();
      expect(second.records()).toEqual(first.records());
    });

    test('given several topics, a lane gets the same partition of each, in turn', async () => {
      const { bus } = subject();
      await bus.append(ALL_PARTITIONS.flatMap((p) => newRecords(IN, p, 60, 'long')));
      await bus.append(ALL_PARTITIONS.map((p) => newRecord('run-state.v1', p, 'short')));
      const group = consume(bus, { group: 'g', topics: [IN, 'run-state.v1'], maxRecords: 5 });
      await waitUntil('all has come', () => group.records().length === 61 * PARTITIONS);
      await group.consumption.stop();
      for (const { lane, records } of group.batches) {
        expect(new Set(records.map(({ topic }) => topic)).size).toBe(1);
        expect(records.every(({ partition }) => partition === lane.partition)).toBe(true);
      }
      for (const p of ALL_PARTITIONS) {
        const texts = textsOf(onPartition(group.records(), p));
        expect(texts.filter((text) => text === 'short')).toHaveLength(1);
        expect(texts.at(-1)).not.toBe('short');
        expect(await bus.committed('g', 'run-state.v1', p)).not.toBeNull();
      }
    });

    test('given where a handler wants to begin, it begins there and goes on without steps', async () => {
      const { bus } = subject();
      const offsets = await bus.append(newRecords(IN, 0, 6));
      const first = consume(bus, { group: 'g', topics: [IN] });
      await waitUntil('the group is at the end', () => first.records().length === 6);
      await first.consumption.stop();
      const committed = await bus.committed('g', IN, 0);

      let opened = 0;
      const second = consume(bus, {
        group: 'g',
        topics: [IN],
        maxRecords: 2,
        opened: (lane) =>
          lane.partition === 0 ? { startAt: { [IN]: offsets[opened++ === 0 ? 1 : 3]! } } : {},
        work(batch) {
          if (opened === 1 && batch.some((record) => record.offset >= offsets[4]!))
            return Promise.reject(new Error('start over'));
          return Promise.resolve({ kind: 'done' });
        },
      });
      await waitUntil(
        'it has the last',
        () => second.lanes.length > PARTITIONS && ends(second.records(), 'r-5'),
      );
      await second.consumption.stop();
      const [before, after] = second.lanes.filter((lane) => lane.partition === 0);
      const given = (lane: unknown): (string | null)[] =>
        textsOf(second.batches.filter((batch) => batch.lane === lane).flatMap(({ records }) => records));
      expect(given(before).slice(0, 2)).toEqual(['r-1', 'r-2']);
      expect(given(after)).toEqual(['r-3', 'r-4', 'r-5']);
      expect(await bus.committed('g', IN, 0)).toBe(committed);
    });

    test('given two subscriptions of one group, a lane is held by one of them, and none is left out', async () => {
      const { bus } = subject();
      const busy = new Set<number>();
      let overlaps = 0;
      const options = {
        group: 'g',
        topics: [IN] as const,
        maxRecords: 2,
        work: async (batch: readonly StoredRecord[], lane: Parameters<ReturnType<typeof copyTo>>[1]) => {
          if (busy.has(lane.partition)) overlaps += 1;
          busy.add(lane.partition);
          const result = await copyTo(OUT)(batch, lane);
          busy.delete(lane.partition);
          return result;
        },
      };
      const copied = async (count: number): Promise<boolean> =>
        (await Promise.all(ALL_PARTITIONS.map((p) => readAll(bus, OUT, p)))).flat().length === count;
      const first = consume(bus, options);
      const second = consume(bus, options);
      await bus.append(ALL_PARTITIONS.flatMap((p) => newRecords(IN, p, 10, 'one')));
      await waitUntil('all is copied', () => copied(10 * PARTITIONS));
      await first.consumption.stop();
      await bus.append(ALL_PARTITIONS.flatMap((p) => newRecords(IN, p, 10, 'two')));
      await waitUntil('the other goes on', () => copied(20 * PARTITIONS));
      await second.consumption.stop();
      expect(overlaps).toBe(0);
      expect([...first.errors, ...second.errors]).toEqual([]);
      for (const p of ALL_PARTITIONS) {
        const inputs = textsOf(await readAll(bus, IN, p));
        expect(textsOf(await readAll(bus, OUT, p))).toEqual(inputs);
      }
    });

    test('opened again, a group goes on where it was', async () => {
      const { bus, reopen } = subject();
      await bus.append(newRecords(IN, 0, 3, 'a'));
      const first = consume(bus, { group: 'g', topics: [IN], work: copyTo(OUT) });
      await waitUntil('all is copied', async () => (await readAll(bus, OUT, 0)).length === 3);
      await first.consumption.stop();
      const committed = await bus.committed('g', IN, 0);

      const again = await reopen();
      expect(await again.committed('g', IN, 0)).toBe(committed);
      await again.append(newRecords(IN, 0, 2, 'b'));
      const second = consume(again, { group: 'g', topics: [IN], work: copyTo(OUT) });
      await waitUntil('the rest is copied', async () => (await readAll(again, OUT, 0)).length === 5);
      await second.consumption.stop();
      expect(textsOf(second.records())).toEqual(['b-0', 'b-1']);
    });

    test('given records that retention took before they were read, a new group begins with what is kept', async () => {
      const { bus, empty } = subject();
      await bus.append(newRecords(IN, 0, 3, 'gone'));
      await empty(IN, 0);
      await bus.append(newRecords(IN, 0, 2, 'kept'));
      const group = consume(bus, { group: 'g', topics: [IN] });
      await waitUntil('what is kept has come', () => group.records().length === 2);
      await group.consumption.stop();
      expect(textsOf(group.records())).toEqual(['kept-0', 'kept-1']);
      expect(group.errors).toEqual([]);
    });
  });
}

function ends(records: readonly StoredRecord[], text: string): boolean {
  return String(records.at(-1)?.value) === text;
}
