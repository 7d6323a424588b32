import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { topics } from '../../src/contracts/topics.js';
import {
  behind,
  consume,
  copiesOf,
  copyTo,
  newRecord,
  newRecords,
  readAll,
  textsOf,
} from '../support/bus.js';
import { waitUntil } from '../support/wait.js';
import type { Subject } from './bus-subject.js';

const IN = 'raw-hits.v1';
const OUT = 'postprocessed.v1';

export function stepTests(subject: Subject): void {
  describe('a step', () => {
    test('appends its outputs and moves its input offset', async () => {
      const { bus } = subject();
      expect(await bus.committed('copy', IN, 0)).toBeNull();
      const offsets = await bus.append(newRecords(IN, 0, 5));
      const { consumption, errors } = consume(bus, { group: 'copy', topics: [IN], work: copyTo(OUT) });
      await waitUntil('all is copied', async () => (await readAll(bus, OUT, 0)).length === 5);
      await consumption.stop();
      expect(textsOf(await readAll(bus, OUT, 0))).toEqual(['r-0', 'r-1', 'r-2', 'r-3', 'r-4']);
      expect(await bus.committed('copy', IN, 0)).toBe(offsets.at(-1)! + 1);
      expect(await bus.committed('copy', IN, 1)).toBeNull();
      expect(errors).toEqual([]);
    });

    test('answers with the offsets of its outputs, in order', async () => {
      const { bus } = subject();
      await bus.append(newRecords(IN, 1, 4));
      const written: [number, string][] = [];
      const { consumption } = consume(bus, {
        group: 'copy',
        topics: [IN],
        async work(batch, lane) {
          const records = [...copiesOf(batch, OUT), ...copiesOf(batch, 'ledger.v1')];
          const offsets = await lane.step({ records, next: behind(batch) });
          expect(offsets).toHaveLength(records.length);
          batch.forEach((record, i) => written.push([offsets[i]!, String(record.value)]));
          return { kind: 'done' };
        },
      });
      await waitUntil('all is copied', () => written.length === 4);
      await consumption.stop();
      const stored = await readAll(bus, OUT, 1);
      expect(stored.map((record) => [record.offset, String(record.value)])).toEqual(written);
    });

    test('without offsets it only appends', async () => {
      const { bus } = subject();
      const { consumption } = consume(bus, {
        group: 'early',
        topics: [IN],
        async opened(lane) {
          if (lane.partition === 0) await lane.step({ records: [newRecord(OUT, 0, 'early')] });
          return {};
        },
      });
      await waitUntil('it is written', async () => (await readAll(bus, OUT, 0)).length === 1);
      await consumption.stop();
      expect(await bus.committed('early', IN, 0)).toBeNull();
    });

    test('keeps a mark with the offsets that it moves, until they move again', async () => {
      const { bus, reopen } = subject();
      await bus.append([
        newRecord(IN, 0, 'marked'),
        newRecord(IN, 1, 'marked'),
        newRecord(IN, 1, 'unmarked'),
      ]);
      expect(await bus.mark('copy', IN, 0)).toBeNull();
      const group = consume(bus, {
        group: 'copy',
        topics: [IN],
        maxRecords: 1,
        async work(batch, lane) {
          const mark = String(batch[0]!.value) === 'marked' ? { mark: `of ${lane.partition}` } : {};
          await lane.step({ records: [], next: behind(batch), ...mark });
          return { kind: 'done' };
        },
      });
      await waitUntil('all is done', () => group.records().length === 3);
      await group.consumption.stop();
      expect(await bus.mark('copy', IN, 1)).toBeNull();
      expect(await bus.mark('another', IN, 0)).toBeNull();
      const again = await reopen();
      expect(await again.mark('copy', IN, 0)).toBe('of 0');
      expect(await again.committed('copy', IN, 0)).toBe(
        group.records().find((r) => r.partition === 0)!.offset + 1,
      );
    });

    test('given an output over its limit, writes nothing and moves nothing', async () => {
      const { bus } = subject();
      await bus.append(newRecords(IN, 0, 2));
      const tooLarge = newRecord(OUT, 0, Buffer.alloc(topics[OUT].maxBytes + 1));
      const seen: (number | null)[] = [];
      const { consumption, errors } = consume(bus, {
        group: 'copy',
        topics: [IN],
        async work(batch, lane) {
          seen.push(await bus.committed('copy', IN, 0), (await readAll(bus, OUT, 0)).length);
          const more = seen.length === 2 ? [tooLarge] : [];
          await lane.step({ records: [...copiesOf(batch, OUT), ...more], next: behind(batch) });
          return { kind: 'done' };
        },
      });
      await waitUntil('all is copied', async () => (await readAll(bus, OUT, 0)).length > 0);
      await consumption.stop();
      expect(errors).toMatchObject([{ error: { code: 'PL_RECORD_TOO_LARGE' }, partition: 0 }]);
      expect(seen).toEqual([null, 0, null, 0]);
      expect(textsOf(await readAll(bus, OUT, 0))).toEqual(['r-0', 'r-1']);
    });

    test('of a lane that has started over since, is refused and writes nothing', async () => {
      const { bus } = subject();
      const offsets = await bus.append(newRecords(IN, 0, 2));
      let failures = 0;
      const { consumption, lanes } = consume(bus, {
        group: 'copy',
        topics: [IN],
        async work(batch, lane) {
          if (failures++ === 0) throw new Error('the first handler gives up');
          return copyTo(OUT)(batch, lane);
        },
      });
      await waitUntil('all is copied', async () => (await readAll(bus, OUT, 0)).length === 2);
      const old = lanes.find((lane) => lane.partition === 0)!;
      const late = [newRecord(OUT, 0, 'late')];
      await expect(old.step({ records: late })).rejects.toThrow();
      await expect(old.step({ records: late, next: { [IN]: offsets.at(-1)! + 1 } })).rejects.toThrow();
      await expect(old.step({ records: late, next: { [IN]: offsets[0]! } })).rejects.toThrow();
      await consumption.stop();
      expect(textsOf(await readAll(bus, OUT, 0))).toEqual(['r-0', 'r-1']);
      expect(await bus.committed('copy', IN, 0)).toBe(offsets.at(-1)! + 1);
    });

    test('of a lane that was stopped, is refused and writes nothing', async () => {
      const { bus } = subject();
      const offsets = await bus.append(newRecords(IN, 0, 2));
      const { consumption, lanes } = consume(bus, { group: 'copy', topics: [IN], work: copyTo(OUT) });
      await waitUntil('all is copied', async () => (await readAll(bus, OUT, 0)).length === 2);
      await consumption.stop();
      const old = lanes.find((lane) => lane.partition === 0)!;
      const late = [newRecord(OUT, 0, 'late')];
      await expect(old.step({ records: late })).rejects.toThrow();
      await expect(old.step({ records: late, next: { [IN]: offsets.at(-1)! + 2 } })).rejects.toThrow();
      expect(textsOf(await readAll(bus, OUT, 0))).toEqual(['r-0', 'r-1']);
      expect(await bus.committed('copy', IN, 0)).toBe(offsets.at(-1)! + 1);
    });

    test('of a handler that left it running when it failed, is done or undone, never done twice', async () => {
      const { bus } = subject();
      await bus.append(newRecords(IN, 0, 2));
      let failures = 0;
      const { consumption } = consume(bus, {
        group: 'copy',
        topics: [IN],
        async work(batch, lane) {
          const step = copyTo(OUT)(batch, lane);
          if (failures++ > 0) return step;
          step.catch(() => undefined);
          throw new Error('the handler does not wait for its step');
        },
      });
      await bus.append([newRecord(IN, 0, 'last')]);
      await waitUntil('all is copied', async () => textsOf(await readAll(bus, OUT, 0)).includes('last'));
      await consumption.stop();
      expect(textsOf(await readAll(bus, OUT, 0))).toEqual(['r-0', 'r-1', 'last']);
    });
  });

  describe('a barrier', () => {
    test('lies behind all that was appended before: whose position is greater has seen it', async () => {
      const { bus } = subject();
      const seen: string[] = [];
      let position = 0;
      let permits = 0;
      const view = consume(bus, {
        group: 'view',
        topics: ['ledger.v1'],
        maxRecords: 1,
        opened: () => ({ startAt: { 'ledger.v1': 0 } }),
        async work(batch, lane) {
          // It reads on only as far as it must, so that a barrier that lies too early shows.
          while (permits === 0 && !lane.signal.aborted) await nextTurn();
          permits -= 1;
          for (const record of batch) if (record.value !== null) seen.push(String(record.value));
          position = batch.at(-1)!.offset + 1;
          return { kind: 'done' };
        },
      });
      const guard = consume(bus, { group: 'guard', topics: [IN] });
      const lane = await waitUntil('the lane is open', () =>
        guard.lanes.find((each) => each.partition === 1),
      );
      for (let round = 0; round < 3; round++) {
        const before = newRecords('ledger.v1', 1, 5, `round${round}`);
        await bus.append(before);
        const barrier = await lane.barrier('ledger.v1');
        while (position <= barrier) {
          const reached = position;
          permits = 1;
          await waitUntil('it has read on', () => position > reached);
        }
        expect(seen).toEqual(expect.arrayContaining(before.map((record) => String(record.value))));
      }
      await Promise.all([view.consumption.stop(), guard.consumption.stop()]);
    });
  });
}
