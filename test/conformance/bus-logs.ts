import { describe, expect, test } from 'vitest';
import type { NewRecord } from '../../src/bus/bus.js';
import { topics } from '../../src/contracts/topics.js';
import { newRecord, newRecords, offsetsOf, readAll, textsOf } from '../support/bus.js';
import { PARTITIONS, type Subject } from './bus-subject.js';

const TOPIC = 'raw-hits.v1';

export function logTests(subject: Subject): void {
  describe('the logs', () => {
    test('given records for several logs, append answers with their offsets in order', async () => {
      const { bus } = subject();
      const records = [
        ...newRecords(TOPIC, 0, 3),
        ...newRecords(TOPIC, 1, 2),
        ...newRecords('projected.v1', 0, 2),
      ];
      const offsets = await bus.append(records);
      expect(offsets).toHaveLength(records.length);
      for (const [i, record] of records.entries()) {
        const [found] = await bus.read(record.topic, record.partition, offsets[i]!, 1);
        expect(found).toMatchObject({ ...record, offset: offsets[i] });
      }
      expect(offsetsOf(await readAll(bus, TOPIC, 0))).toEqual(offsets.slice(0, 3));
    });

    test('given nothing to append, there is nothing to answer', async () => {
      expect(await subject().bus.append([])).toEqual([]);
    });

    test('given one appends after the other, each partition has them in that order', async () => {
      const { bus } = subject();
      for (let i = 0; i < 12; i++) await bus.append([newRecord(TOPIC, i % PARTITIONS, `r-${i}`)]);
      for (let p = 0; p < PARTITIONS; p++) {
        const texts = textsOf(await readAll(bus, TOPIC, p));
        expect(texts).toEqual([0, 1, 2, 3].map((round) => `r-${round * PARTITIONS + p}`));
      }
    });

    test('given many appends at once, no offset is given twice and each is that of its record', async () => {
      const { bus } = subject();
      const groups = Array.from({ length: 20 }, (_, i) => [
        ...newRecords(TOPIC, 0, 3, `a${i}`),
        ...newRecords(TOPIC, 1, 2, `b${i}`),
      ]);
      const answers = await Promise.all(groups.map((group) => bus.append(group)));
      for (const partition of [0, 1]) {
        const mine = (record: NewRecord): boolean => record.partition === partition;
        const given = groups.flatMap((group, g) =>
          group.flatMap((record, i) =>
            mine(record) ? [[answers[g]![i]!, String(record.value)] as const] : [],
          ),
        );
        const stored = await readAll(bus, TOPIC, partition);
        expect(new Set(given.map(([offset]) => offset)).size).toBe(given.length);
        expect(stored.map((record) => [record.offset, String(record.value)])).toEqual(
          given.toSorted(([a], [b]) => a - b),
        );
      }
    });

    test('keeps tombstones, empty values, binary keys and headers as they are', async () => {
      const { bus } = subject();
      const binary = Buffer.from([0, 255, 128, 10, 0, 34]);
      const records = [
        newRecord('ledger.v1', 0, null),
        newRecord('ledger.v1', 0, Buffer.alloc(0)),
        newRecord('ledger.v1', 0, binary, { key: binary, headers: {} }),
        newRecord('ledger.v1', 0, 'x', { headers: { traceparent: '00-ab', ce_id: '问 ✓', empty: '' } }),
      ];
      await bus.append(records);
      const stored = await readAll(bus, 'ledger.v1', 0);
      expect(stored.map(({ key, value, headers }) => ({ key, value, headers }))).toEqual(
        records.map(({ key, value, headers }) => ({ key, value, headers })),
      );
    });

    test('reads on from an offset, as many as are asked for', async () => {
      const { bus } = subject();
      const offsets = await bus.append(newRecords(TOPIC, 2, 5));
      expect(textsOf(await bus.read(TOPIC, 2, offsets[1]!, 2))).toEqual(['r-1', 'r-2']);
      expect(textsOf(await bus.read(TOPIC, 2, offsets[3]!, 100))).toEqual(['r-3', 'r-4']);
      expect(await bus.read(TOPIC, 2, offsets[4]! + 1, 100)).toEqual([]);
      expect(await bus.read(TOPIC, 1, 0, 100)).toEqual([]);
    });

    test('bounds say what is kept, and what comes next is not before the end', async () => {
      const { bus } = subject();
      expect(await bus.bounds(TOPIC, 0)).toEqual({ low: 0, end: 0 });
      const [first = -1, last = -1] = await bus.append(newRecords(TOPIC, 0, 2));
      const { low, end } = await bus.bounds(TOPIC, 0);
      expect(low).toBe(first);
      expect(end).toBeGreaterThan(last);
      expect((await bus.append([newRecord(TOPIC, 0, 'next')]))[0]).toBeGreaterThanOrEqual(end);
      expect(await bus.bounds(TOPIC, 1)).toEqual({ low: 0, end: 0 });
    });

    test('says how many partitions a topic has', async () => {
      expect(await subject().bus.countPartitions(TOPIC)).toBe(PARTITIONS);
    });

    test('given one record over its limit, append writes none of them', async () => {
      const { bus } = subject();
      const tooLarge = newRecord(TOPIC, 0, Buffer.alloc(topics[TOPIC].maxBytes + 1));
      await expect(
        bus.append([newRecord(TOPIC, 0, 'before'), tooLarge, newRecord(TOPIC, 1, 'after')]),
      ).rejects.toMatchObject({ code: 'PL_RECORD_TOO_LARGE', params: { limit: topics[TOPIC].maxBytes } });
      await bus.append([newRecord(TOPIC, 0, 'later')]);
      expect(textsOf(await readAll(bus, TOPIC, 0))).toEqual(['later']);
      expect(await readAll(bus, TOPIC, 1)).toEqual([]);
    });

    test('given a record of just its limit, append takes it', async () => {
      const { bus } = subject();
      const key = Buffer.from('k');
      await bus.append([newRecord(TOPIC, 0, Buffer.alloc(topics[TOPIC].maxBytes - key.length, 7), { key })]);
      const [record] = await readAll(bus, TOPIC, 0);
      expect(record?.value?.length).toBe(topics[TOPIC].maxBytes - 1);
    });

    test('given a partition that there is not, append refuses and writes nothing', async () => {
      const { bus } = subject();
      await expect(
        bus.append([newRecord(TOPIC, 0, 'a'), newRecord(TOPIC, PARTITIONS, 'b')]),
      ).rejects.toThrow();
      expect(await readAll(bus, TOPIC, 0)).toEqual([]);
    });

    test('opened again, it is the same logs, and their offsets go on', async () => {
      const { bus, reopen } = subject();
      const offsets = await bus.append(newRecords(TOPIC, 0, 3));
      const again = await reopen();
      expect(again.epoch).toBe(bus.epoch);
      expect(again.partitions).toBe(PARTITIONS);
      expect(offsetsOf(await readAll(again, TOPIC, 0))).toEqual(offsets);
      const [next] = await again.append([newRecord(TOPIC, 0, 'next')]);
      expect(next).toBeGreaterThan(offsets.at(-1)!);
    });

    test('given that retention emptied a log, its offsets go on where they were, also when opened again', async () => {
      const { bus, empty, reopen } = subject();
      const offsets = await bus.append(newRecords(TOPIC, 0, 3));
      await empty(TOPIC, 0);
      const { low, end } = await bus.bounds(TOPIC, 0);
      expect(await readAll(bus, TOPIC, 0)).toEqual([]);
      expect(low).toBe(end);
      const again = await reopen();
      expect(await again.bounds(TOPIC, 0)).toEqual({ low, end });
      const [next] = await again.append([newRecord(TOPIC, 0, 'next')]);
      expect(next).toBeGreaterThan(offsets.at(-1)!);
      expect(textsOf(await readAll(again, TOPIC, 0))).toEqual(['next']);
    });
  });
}
