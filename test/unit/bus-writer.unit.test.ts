import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { BatchResult } from '../../src/bus/bus.js';
import { openEmbeddedReader } from '../../src/bus/embedded/embedded-bus.js';
import { consume, copyTo, newRecord, newRecords, readAll, textsOf } from '../support/bus.js';
import { endChildren, startChild } from '../support/child.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

afterEach(endChildren);
afterEach(closeBuses);

const TOPIC = 'raw-hits.v1';
const OUT = 'postprocessed.v1';

describe('group commit', () => {
  test('given pieces of one turn, they are made durable together, each seeing those before it', async () => {
    const bus = openBus();
    const reader = openEmbeddedReader(bus.folder);
    const count = 'SELECT count(*) FROM meta';
    const piece = (name: string): Promise<unknown[]> =>
      bus.writer.write((db) => {
        db.prepare("INSERT INTO meta VALUES (?, '')").run(name);
        return [db.prepare(count).pluck().get(), reader.db.prepare(count).pluck().get()];
      });
    expect(await Promise.all([piece('a'), piece('b'), piece('c')])).toEqual([
      [4, 3],
      [5, 3],
      [6, 3],
    ]);
    expect(reader.db.prepare(count).pluck().get()).toBe(6);
    await reader.close();
  });

  test('given a piece that throws, it is rolled back alone', async () => {
    const bus = openBus();
    const failure = new Error('this piece cannot');
    const results = await Promise.allSettled([
      bus.append(newRecords(TOPIC, 0, 2, 'a')),
      bus.writer.write((db) => {
        db.prepare('UPDATE log SET next = 100').run();
        throw failure;
      }),
      bus.append(newRecords(TOPIC, 0, 2, 'b')),
    ]);
    expect(results).toMatchObject([
      { status: 'fulfilled', value: [0, 1] },
      { status: 'rejected', reason: failure },
      { status: 'fulfilled', value: [2, 3] },
    ]);
    expect(textsOf(await readAll(bus, TOPIC, 0))).toEqual(['a-0', 'a-1', 'b-0', 'b-1']);
  });

  test('given a piece that answers with a promise, it is refused: it would go on after the commit', async () => {
    const bus = openBus();
    await expect(bus.writer.write(() => Promise.resolve(1))).rejects.toThrow(TypeError);
    expect(await bus.writer.write(() => 1)).toBe(1);
  });

  test('given work that throws while reading, only that read is told', async () => {
    const bus = openBus();
    await expect(bus.writer.read((db) => db.prepare('SELECT * FROM nothing').all())).rejects.toThrow(
      'nothing',
    );
    expect(await bus.writer.read(() => 1)).toBe(1);
  });

  test('given an I/O error, the process is to end, and whoever waits is never told that it was written', async () => {
    const fatal = vi.fn();
    const bus = openBus({ onFatal: fatal });
    const broken = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
    const settled = vi.fn();
    void bus.append(newRecords(TOPIC, 0, 1)).then(settled, settled);
    void bus.writer
      .write(() => {
        throw broken;
      })
      .then(settled, settled);
    await bus.writer.idle();
    expect(fatal).toHaveBeenCalledExactlyOnceWith(broken);
    await bus.writer.write(() => 0);
    expect(settled).not.toHaveBeenCalled();
    expect(await readAll(bus, TOPIC, 0)).toEqual([]);
  });

  test('given an I/O error and nobody who handles it, the process ends with 3', async () => {
    const child = startChild('bus-child.ts', ['fail', tempFolder()]);
    expect(await child.exited).toBe(3);
    expect(child.lines).toEqual(['open']);
    expect(child.complaints()).toContain('disk I/O error');
  });
});

describe('a full disk', () => {
  test('refuses with PL_DISK_FULL, loses nothing that was answered, and goes on when there is room', async () => {
    const bus = openBus();
    const station = consume(bus, {
      group: 'copy',
      topics: [TOPIC],
      maxRecords: 1,
      work: (batch, lane) => copyTo(OUT)(batch, lane).catch(waitForRoom),
    });
    const setPages = (more: number): Promise<unknown> =>
      bus.writer.write((db) => {
        const pages = db.pragma('page_count', { simple: true }) as number;
        return db.pragma(`max_page_count = ${pages + more}`);
      });
    await bus.append([newRecord(TOPIC, 0, randomBytes(20_000))]);
    await setPages(100);

    const given: Buffer[] = [];
    const answers: PromiseSettledResult<readonly number[]>[] = [];
    while (answers.at(-1)?.status !== 'rejected') {
      // Several to a transaction: all of it fails, or none.
      const values = [randomBytes(20_000), randomBytes(20_000), randomBytes(20_000)];
      given.push(...values);
      answers.push(
        ...(await Promise.allSettled(values.map((value) => bus.append([newRecord(TOPIC, 0, value)])))),
      );
    }
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'PL_DISK_FULL' });
    }
    const kept = given.filter((_, i) => answers[i]!.status === 'fulfilled');
    const stored = (await readAll(bus, TOPIC, 0)).slice(1);
    expect(stored.map(({ value }) => value)).toEqual(kept);

    await setPages(100_000);
    const [next] = await bus.append([newRecord(TOPIC, 0, 'room again')]);
    expect(next).toBe(kept.length + 1);
    await waitUntil('the station has copied all', async () => {
      const copied = await readAll(bus, OUT, 0);
      return String(copied.at(-1)?.value) === 'room again';
    });
    await station.consumption.stop();
    const inputs = await readAll(bus, TOPIC, 0);
    expect((await readAll(bus, OUT, 0)).map(({ value }) => value)).toEqual(inputs.map(({ value }) => value));
    expect(station.errors).toEqual([]);
  });

  test('given a step that finds it full, the lane tries again until there is room', async () => {
    const bus = openBus();
    await bus.append(newRecords(TOPIC, 0, 1));
    await bus.writer.write((db) => db.pragma('max_page_count = 1'));
    const station = consume(bus, {
      group: 'copy',
      topics: [TOPIC],
      async work(batch, lane) {
        const value = Buffer.alloc(50_000, 1);
        await lane.step({ records: [newRecord(OUT, 0, value)], next: { [TOPIC]: batch.at(-1)!.offset + 1 } });
        return { kind: 'done' };
      },
    });
    await waitUntil('it was refused twice', () => station.errors.length >= 2);
    expect(await bus.committed('copy', TOPIC, 0)).toBeNull();
    await bus.writer.write((db) => db.pragma('max_page_count = 100000'));
    await waitUntil('it went through', async () => (await bus.committed('copy', TOPIC, 0)) === 1);
    await station.consumption.stop();
    expect(await readAll(bus, OUT, 0)).toHaveLength(1);
    for (const { error } of station.errors) expect(error).toMatchObject({ code: 'PL_DISK_FULL' });
  });
});

function waitForRoom(error: unknown): BatchResult {
  expect(error).toMatchObject({ code: 'PL_DISK_FULL' });
  return { kind: 'wait', ms: 5 };
}
