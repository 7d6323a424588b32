import { afterEach, describe, expect, test } from 'vitest';
import { behind, consume, copyTo, newRecords, readAll, textsOf } from '../support/bus.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { waitUntil } from '../support/wait.js';

afterEach(closeBuses);

const IN = 'raw-hits.v1';
const OUT = 'postprocessed.v1';

describe('lanes of the embedded bus', () => {
  test('given that somebody else moved the offset, a step writes nothing and the lane reads it again', async () => {
    const bus = openBus();
    await bus.append(newRecords(IN, 0, 5));
    let moved = false;
    const group = consume(bus, {
      group: 'copy',
      topics: [IN],
      maxRecords: 1,
      async work(batch, lane) {
        if (batch[0]!.offset === 1 && !moved) {
          moved = true;
          await bus.writer.write((db) => db.prepare('UPDATE consumed SET next = 3').run());
        }
        return copyTo(OUT)(batch, lane);
      },
    });
    await waitUntil('all is copied', async () => textsOf(await readAll(bus, OUT, 0)).includes('r-4'));
    await group.consumption.stop();
    expect(textsOf(await readAll(bus, OUT, 0))).toEqual(['r-0', 'r-3', 'r-4']);
    expect(group.errors).toHaveLength(1);
    expect(String(group.errors[0]!.error)).toContain('another worker moved it');
  });

  test('given that somebody else made the first offset, a step writes nothing', async () => {
    const bus = openBus();
    await bus.append(newRecords(IN, 0, 3));
    let made = false;
    const group = consume(bus, {
      group: 'copy',
      topics: [IN],
      async work(batch, lane) {
        if (!made) {
          made = true;
          await bus.writer.write((db) =>
            db.exec("INSERT INTO consumed (consumer, topic, partition, next) VALUES ('copy', 2, 0, 2)"),
          );
        }
        return copyTo(OUT)(batch, lane);
      },
    });
    await waitUntil('the rest is copied', async () => (await readAll(bus, OUT, 0)).length > 0);
    await group.consumption.stop();
    expect(textsOf(await readAll(bus, OUT, 0))).toEqual(['r-2']);
    expect(group.errors).toHaveLength(1);
  });

  test('given two steps at once from the same offset, one of them is refused', async () => {
    const bus = openBus();
    await bus.append(newRecords(IN, 0, 1));
    const results: PromiseSettledResult<unknown>[] = [];
    const group = consume(bus, {
      group: 'copy',
      topics: [IN],
      async work(batch, lane) {
        const step = { records: newRecords(OUT, 0, 1), next: behind(batch) };
        results.push(...(await Promise.allSettled([lane.step(step), lane.step(step)])));
        return { kind: 'done' };
      },
    });
    await waitUntil('both are answered', () => results.length === 2);
    await group.consumption.stop();
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await readAll(bus, OUT, 0)).toHaveLength(1);
  });

  test('given a handler that says done but moved nothing, the lane starts over and others go on', async () => {
    const bus = openBus();
    await bus.append([...newRecords(IN, 0, 1, 'stuck'), ...newRecords(IN, 1, 1)]);
    const group = consume(bus, {
      group: 'copy',
      topics: [IN],
      work: (batch, lane) =>
        lane.partition === 0 ? Promise.resolve({ kind: 'done' }) : copyTo(OUT)(batch, lane),
    });
    await waitUntil('the other lane goes on', async () => (await readAll(bus, OUT, 1)).length === 1);
    await waitUntil('it was told', () => group.errors.length > 0);
    await group.consumption.stop();
    expect(group.errors[0]).toMatchObject({ partition: 0 });
    expect(String(group.errors[0]!.error)).toContain('moved no offset');
    expect(await bus.committed('copy', IN, 0)).toBeNull();
  });

  test('given an error while it stops, nobody is told: it is the stop itself', async () => {
    const bus = openBus();
    await bus.append(newRecords(IN, 0, 1));
    const group = consume(bus, {
      group: 'copy',
      topics: [IN],
      work: (_, lane) =>
        new Promise((_resolve, reject) => {
          lane.signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    });
    await waitUntil('the batch is at hand', () => group.batches.length === 1);
    await group.consumption.stop();
    expect(group.errors).toEqual([]);
  });

  test('given a second subscription of a group, it is stopped at once while the first goes on', async () => {
    const bus = openBus();
    const first = consume(bus, { group: 'copy', topics: [IN], work: copyTo(OUT) });
    const second = consume(bus, { group: 'copy', topics: [IN], work: copyTo(OUT) });
    const third = consume(bus, { group: 'copy', topics: [IN], work: copyTo(OUT) });
    await second.consumption.stop();
    await bus.append(newRecords(IN, 0, 2));
    await waitUntil('the first goes on', async () => (await readAll(bus, OUT, 0)).length === 2);
    expect([second.lanes.length, third.lanes.length]).toEqual([0, 0]);
    await first.consumption.stop();
    await waitUntil('the third has its lanes', () => third.lanes.length === 2);
    expect(second.lanes).toEqual([]);
  });

  test('given that the bus is closed, its subscriptions have ended and nothing can be written', async () => {
    const bus = openBus();
    const group = consume(bus, { group: 'copy', topics: [IN], work: copyTo(OUT) });
    const following = bus.follow([IN], () => undefined);
    await waitUntil('the lanes are open', () => group.lanes.length === 2);
    const appending = bus.append(newRecords(IN, 0, 1));
    await bus.close();
    expect(await appending).toEqual([0]);
    await Promise.all([group.consumption.stop(), following.stop()]);
    await expect(bus.append(newRecords(IN, 0, 1))).rejects.toThrow();
    await expect(group.lanes[0]!.step({ records: [] })).rejects.toThrow();
  });
});
