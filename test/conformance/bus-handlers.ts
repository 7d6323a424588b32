import { describe, expect, test } from 'vitest';
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
import { createGate, waitUntil } from '../support/wait.js';
import { ALL_PARTITIONS, PARTITIONS, type Subject } from './bus-subject.js';

const IN = 'raw-hits.v1';
const OUT = 'postprocessed.v1';

export function handlerTests(subject: Subject): void {
  describe('a handler of a lane', () => {
    test('given that a handler throws, the lane starts over at the committed offset with a new handler', async () => {
      const { bus } = subject();
      await bus.append(newRecords(IN, 0, 6));
      const failure = new Error('cannot go on');
      let failed = false;
      const group = consume(bus, {
        group: 'g',
        topics: [IN],
        maxRecords: 2,
        async work(batch, lane) {
          if (!failed && String(batch.at(-1)!.value) >= 'r-3') {
            failed = true;
            throw failure;
          }
          return copyTo(OUT)(batch, lane);
        },
      });
      await waitUntil('all is copied', async () => (await readAll(bus, OUT, 0)).length === 6);
      await group.consumption.stop();
      expect(group.errors).toEqual([{ error: failure, partition: 0 }]);
      expect(textsOf(await readAll(bus, OUT, 0))).toEqual(['r-0', 'r-1', 'r-2', 'r-3', 'r-4', 'r-5']);
      const [old, fresh, ...others] = group.lanes.filter((lane) => lane.partition === 0);
      expect(others).toEqual([]);
      const given = (lane: unknown): (string | null)[] =>
        textsOf(group.batches.filter((batch) => batch.lane === lane).flatMap(({ records }) => records));
      const again = given(fresh)[0];
      expect(given(old).at(-1)! >= again!).toBe(true);
      expect(given(fresh).at(-1)).toBe('r-5');
    });

    test('given that opening throws, it is called again', async () => {
      const { bus } = subject();
      await bus.append(newRecords(IN, 2, 1));
      let opened = 0;
      const group = consume(bus, {
        group: 'g',
        topics: [IN],
        opened(lane) {
          if (lane.partition === 2 && opened++ < 2) throw new Error('not ready');
          return {};
        },
      });
      await waitUntil('it has come', () => group.records().length === 1);
      await group.consumption.stop();
      expect(opened).toBe(3);
      expect(group.errors.map(({ partition }) => partition)).toEqual([2, 2]);
    });

    test('given that a handler waits, the batch comes again later, and other lanes go on', async () => {
      const { bus } = subject();
      const waits = 60;
      const at: number[] = [];
      await bus.append(newRecords(IN, 0, 2));
      const group = consume(bus, {
        group: 'g',
        topics: [IN],
        async work(batch, lane) {
          if (lane.partition === 0) at.push(performance.now());
          if (lane.partition === 0 && at.length <= 2) return { kind: 'wait', ms: waits };
          return copyTo(OUT)(batch, lane);
        },
      });
      await waitUntil('it waits', () => at.length > 0);
      await bus.append(newRecords(IN, 1, 1, 'other'));
      await waitUntil('the other lane goes on', async () => (await readAll(bus, OUT, 1)).length === 1);
      await waitUntil('all is copied', async () => (await readAll(bus, OUT, 0)).length === 2);
      await group.consumption.stop();
      const given = group.batches.filter(({ lane }) => lane.partition === 0).map(({ records }) => records);
      expect(given[1]![0]!.offset).toBe(given[0]![0]!.offset);
      expect(given[2]![0]!.offset).toBe(given[0]![0]!.offset);
      // A timer may be a little early.
      expect(at[1]! - at[0]!).toBeGreaterThan(waits - 5);
      expect(at[2]! - at[1]!).toBeGreaterThan(waits - 5);
      expect(textsOf(await readAll(bus, OUT, 0))).toEqual(['r-0', 'r-1']);
      expect(group.errors).toEqual([]);
      expect(group.lanes).toHaveLength(PARTITIONS);
    });

    test('given that a handler steps past a part and waits, only the rest comes again', async () => {
      const { bus } = subject();
      await bus.append(newRecords(IN, 0, 3));
      const group = consume(bus, {
        group: 'g',
        topics: [IN],
        async work(batch, lane) {
          const part = batch.slice(0, 1);
          await lane.step({ records: copiesOf(part, OUT), next: behind(part) });
          return batch.length > 1 ? { kind: 'wait', ms: 1 } : { kind: 'done' };
        },
      });
      await waitUntil('all is copied', async () => (await readAll(bus, OUT, 0)).length === 3);
      await group.consumption.stop();
      expect(textsOf(await readAll(bus, OUT, 0))).toEqual(['r-0', 'r-1', 'r-2']);
      expect(group.batches.map(({ records }) => String(records[0]!.value))).toEqual(['r-0', 'r-1', 'r-2']);
    });

    test('ticks while it is idle and between batches, never during one', async () => {
      const { bus } = subject();
      const ticks = ALL_PARTITIONS.map(() => 0);
      const gate = createGate();
      const group = consume(bus, {
        group: 'g',
        topics: [IN],
        tickMs: 5,
        opened: ({ partition }) => ({
          tick() {
            ticks[partition]! += 1;
            return Promise.resolve();
          },
        }),
        async work(batch, lane) {
          await gate.opened;
          return copyTo(OUT)(batch, lane);
        },
      });
      await waitUntil('all lanes tick', () => ticks.every((count) => count >= 2));
      await bus.append([newRecord(IN, 0, 'held')]);
      await waitUntil('the batch is at hand', () => group.batches.length === 1);
      const [held, free] = [ticks[0]!, ticks[1]!];
      await waitUntil('another lane ticks', () => ticks[1]! >= free + 5).finally(gate.open);
      expect(ticks[0]).toBe(held);
      await waitUntil('the lane ticks again', () => ticks[0]! > held);
      await group.consumption.stop();
    });

    test('one batch of a lane is worked on at a time', async () => {
      const { bus } = subject();
      const busy = new Map<number, number>();
      let most = 0;
      const group = consume(bus, {
        group: 'g',
        topics: [IN, 'run-state.v1'],
        maxRecords: 1,
        async work(batch, lane) {
          const now = (busy.get(lane.partition) ?? 0) + 1;
          busy.set(lane.partition, now);
          most = Math.max(most, now);
          await copyTo(OUT)(batch, lane);
          busy.set(lane.partition, now - 1);
          return { kind: 'done' };
        },
      });
      for (let i = 0; i < 10; i++)
        await bus.append([newRecord(IN, 0, `a-${i}`), newRecord('run-state.v1', 0, `b-${i}`)]);
      await waitUntil('all is copied', async () => (await readAll(bus, OUT, 0)).length === 20);
      await group.consumption.stop();
      expect(most).toBe(1);
    });

    test('stopping lets the batch at hand end, its step as well, and then nothing more runs', async () => {
      const { bus } = subject();
      const gate = createGate();
      await bus.append(newRecords(IN, 0, 4));
      const group = consume(bus, {
        group: 'g',
        topics: [IN],
        maxRecords: 2,
        async work(batch, lane) {
          await gate.opened;
          return copyTo(OUT)(batch, lane);
        },
      });
      await waitUntil('the batch is at hand', () => group.batches.length === 1);
      let stopped = false;
      const stopping = group.consumption.stop().then(() => (stopped = true));
      await waitUntil('the lane is told', () => group.batches[0]!.lane.signal.aborted).finally(gate.open);
      expect(stopped).toBe(false);
      await stopping;
      await group.consumption.stop();
      const done = group.records().length;
      expect(textsOf(await readAll(bus, OUT, 0))).toEqual(textsOf(group.records()));

      await bus.append(newRecords(IN, 0, 3, 'later'));
      const witness = consume(bus, { group: 'witness', topics: [IN] });
      await waitUntil('another group has all', () => witness.records().length === 7);
      await witness.consumption.stop();
      expect(group.records()).toHaveLength(done);
      expect(group.errors).toEqual([]);

      const next = consume(bus, { group: 'g', topics: [IN], work: copyTo(OUT) });
      await waitUntil('the next goes on', async () => (await readAll(bus, OUT, 0)).length === 7);
      await next.consumption.stop();
      expect(textsOf(await readAll(bus, OUT, 0))).toEqual(textsOf(await readAll(bus, IN, 0)));
    });

    test('stopping wakes a lane that waits', async () => {
      const { bus } = subject();
      await bus.append(newRecords(IN, 0, 1));
      const group = consume(bus, {
        group: 'g',
        topics: [IN],
        work: () => Promise.resolve({ kind: 'wait', ms: 3_600_000 }),
      });
      await waitUntil('it waits', () => group.batches.length === 1);
      await group.consumption.stop();
      expect(await bus.committed('g', IN, 0)).toBeNull();
    });
  });
}
