import { describe, expect, test } from 'vitest';
import { scanTo } from '../../src/bus/scan-to.js';
import { consume, newRecord, newRecords, readAll, textsOf } from '../support/bus.js';
import { refusal } from '../support/refusal.js';
import { waitUntil } from '../support/wait.js';
import type { Subject } from './bus-subject.js';

const IN = 'raw-hits.v1';
const OUT = 'postprocessed.v1';
const never = new AbortController().signal;

/** Writing alone under a name, reading to a barrier, and an operator's hand on an offset. */
export function exclusiveTests(subject: Subject): void {
  describe('writing alone under a name', () => {
    test('given several at once who look first and then write, one of them writes', async () => {
      const { bus } = subject();
      const once = (text: string): Promise<boolean> =>
        bus.exclusively('once', async (writer) => {
          for await (const page of scanTo(bus, IN, 0, await writer.barrier(IN, 0), never))
            if (page.length > 0) return false;
          await writer.append([newRecord(IN, 0, text)]);
          return true;
        });
      const wrote = await Promise.all(['a', 'b', 'c'].map(once));
      expect(wrote.filter(Boolean)).toHaveLength(1);
      expect(await readAll(bus, IN, 0)).toHaveLength(1);
    });

    test('given work that fails, it is told, and the next one has its turn', async () => {
      const { bus } = subject();
      const failing = bus.exclusively('once', () => Promise.reject(new Error('not today')));
      await expect(failing).rejects.toThrow('not today');
      const offsets = await bus.exclusively('once', (writer) =>
        writer.append([newRecord(IN, 0, 'a'), newRecord(OUT, 1, 'b')]),
      );
      expect(offsets).toHaveLength(2);
      await waitUntil('it is there', async () => (await readAll(bus, OUT, 1)).length === 1);
    });
  });

  describe('reading to a barrier', () => {
    test('everything that was appended before it is read, and nothing behind it', async () => {
      const { bus } = subject();
      await bus.append(newRecords(IN, 0, 700, 'before'));
      const barrier = await bus.exclusively('reader', (writer) => writer.barrier(IN, 0));
      await bus.append(newRecords(IN, 0, 2, 'behind'));
      let read = 0;
      for await (const page of scanTo(bus, IN, 0, barrier, never)) read += page.length;
      expect(read).toBe(700);
    });

    test('of a log that is empty there is nothing to wait for', async () => {
      const { bus } = subject();
      const barrier = await bus.exclusively('reader', (writer) => writer.barrier(IN, 0));
      for await (const page of scanTo(bus, IN, 0, barrier, never)) expect(page).toEqual([]);
    });
  });

  describe("an operator's hand on an offset", () => {
    test('given a group that rests, it goes on where it was put', async () => {
      const { bus } = subject();
      const offsets = await bus.append(newRecords(IN, 0, 5));
      const first = consume(bus, { group: 'g', topics: [IN] });
      await waitUntil('all has come', () => first.records().length === 5);
      await first.consumption.stop();
      await bus.setOffset('g', IN, 0, offsets[3]!);
      expect(await bus.committed('g', IN, 0)).toBe(offsets[3]);
      const second = consume(bus, { group: 'g', topics: [IN] });
      await waitUntil('the rest has come again', () => second.records().length === 2);
      await second.consumption.stop();
      expect(textsOf(second.records())).toEqual(textsOf(first.records().slice(3)));
    });

    test('given a group that never committed, it begins where it was put', async () => {
      const { bus } = subject();
      const offsets = await bus.append(newRecords(IN, 0, 3));
      await bus.setOffset('g', IN, 0, offsets[2]!);
      expect(await bus.committed('g', IN, 0)).toBe(offsets[2]);
    });

    test('given a process that works for the group, it is refused', async () => {
      const { bus } = subject();
      const offsets = await bus.append(newRecords(IN, 0, 2));
      const group = consume(bus, { group: 'g', topics: [IN] });
      await waitUntil('all is done', async () => (await bus.committed('g', IN, 0)) === offsets[1]! + 1);
      const before = await bus.committed('g', IN, 0);
      await expect(bus.setOffset('g', IN, 0, offsets[0]!)).rejects.toEqual(refusal('PL_GROUP_ACTIVE', 'g'));
      expect(await bus.committed('g', IN, 0)).toBe(before);
      await group.consumption.stop();
    });
  });
}
