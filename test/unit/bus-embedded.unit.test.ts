import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { openEmbeddedBus, openEmbeddedReader } from '../../src/bus/embedded/embedded-bus.js';
import { busConformance } from '../conformance/bus.js';
import { newRecord, newRecords, readAll, textsOf } from '../support/bus.js';
import { endChildren, startChild } from '../support/child.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { tempFolder } from '../support/temp-folder.js';

afterEach(endChildren);
afterEach(closeBuses);

const TOPIC = 'raw-hits.v1';

busConformance('the embedded bus', ({ partitions }) => {
  const folder = tempFolder();
  let bus = openEmbeddedBus({ folder, partitions });
  return Promise.resolve({
    get bus() {
      return bus;
    },
    async reopen() {
      await bus.close();
      bus = openEmbeddedBus({ folder, partitions });
      return bus;
    },
    empty: () => bus.cleanUp(A_CENTURY_ON).then(() => undefined),
    dispose: () => bus.close(),
  });
});

const A_CENTURY_ON = Date.now() + 100 * 365 * 86_400_000;

describe('the data folder', () => {
  test('given a process that writes it, another one is refused, whoever else reads', async () => {
    const bus = openBus();
    await openEmbeddedReader(bus.folder).close();
    const other = startChild('bus-child.ts', ['hold', bus.folder]);
    expect(await other.line('')).toBe('refused PL_DATA_FOLDER_LOCKED');
    expect(await other.exited).toBe(0);
    await bus.append(newRecords(TOPIC, 0, 1));
  });

  test('given that this process writes it, it cannot open it again, by any name of it', () => {
    const { folder } = openBus();
    for (const name of [folder, join(folder, '.'), join(folder, 'sub', '..')]) {
      expect(() => openEmbeddedBus({ folder: name })).toThrow(
        expect.objectContaining({ code: 'PL_DATA_FOLDER_LOCKED' }),
      );
    }
    const other = startChild('bus-child.ts', ['hold', folder]);
    return expect(other.line('')).resolves.toBe('refused PL_DATA_FOLDER_LOCKED');
  });

  test('given a holder that is killed, nothing of it is in the way', async () => {
    const folder = tempFolder();
    const holder = startChild('bus-child.ts', ['hold', folder]);
    await holder.line('open');
    expect(() => openEmbeddedBus({ folder })).toThrow(
      expect.objectContaining({ code: 'PL_DATA_FOLDER_LOCKED' }),
    );
    holder.kill('SIGKILL');
    await holder.exited;
    const bus = openBus({ folder });
    await bus.append(newRecords(TOPIC, 0, 1));
    expect(await readAll(bus, TOPIC, 0)).toHaveLength(1);
  });

  test('given that it was closed, it can be opened again, with the partitions that it has', async () => {
    const bus = openBus({ partitions: 5 });
    await bus.close();
    expect(openBus({ folder: bus.folder, partitions: null }).partitions).toBe(5);
  });

  test('given no number of partitions, a new one has twelve', () => {
    expect(openBus({ partitions: null }).partitions).toBe(12);
  });

  test('given another number of partitions, it is refused, and the lock is free again', async () => {
    const bus = openBus({ partitions: 2 });
    await bus.close();
    expect(() => openBus({ folder: bus.folder, partitions: 3 })).toThrow(
      expect.objectContaining({ code: 'PL_PARTITIONS_CHANGED', params: { found: 3, expected: 2 } }),
    );
    expect(openBus({ folder: bus.folder, partitions: 2 }).partitions).toBe(2);
  });

  test('on every open, what is committed is synced: FULL, in a write-ahead log', async () => {
    const pragmas = (bus: ReturnType<typeof openBus>): Promise<unknown[]> =>
      bus.writer.read((db) =>
        ['synchronous', 'journal_mode'].map((name) => db.pragma(name, { simple: true })),
      );
    const bus = openBus();
    expect(await pragmas(bus)).toEqual([2, 'wal']);
    await bus.close();
    expect(await pragmas(openBus({ folder: bus.folder }))).toEqual([2, 'wal']);
  });

  test('given a file of another format, it is refused and left as it is', async () => {
    const bus = openBus();
    await bus.writer.write((db) => db.prepare("UPDATE meta SET value = '99' WHERE name = 'format'").run());
    await bus.close();
    for (let i = 0; i < 2; i++) {
      expect(() => openBus({ folder: bus.folder })).toThrow(
        expect.objectContaining({
          code: 'PL_DATA_FOLDER_UNUSABLE',
          message: expect.stringContaining('format is 99') as string,
        }),
      );
    }
    expect(() => openEmbeddedReader(bus.folder)).toThrow(
      expect.objectContaining({ code: 'PL_DATA_FOLDER_UNUSABLE' }),
    );
  });

  test.each([
    ['garbage', (file: string) => writeFileSync(file, 'this is no database. '.repeat(1000))],
    ['a folder', (file: string) => mkdirSync(file, { recursive: true })],
    [
      'the database of something else',
      (file: string) => otherDatabase(file, 'CREATE TABLE song (title TEXT)'),
    ],
    [
      'a database that only looks like ours',
      (file: string) => otherDatabase(file, 'CREATE TABLE meta (a, b)'),
    ],
  ])('given %s instead of the bus, it is refused, by readers as well', (_, make) => {
    const folder = tempFolder();
    make(join(folder, 'bus.db'));
    const refusal = expect.objectContaining({ code: 'PL_DATA_FOLDER_UNUSABLE' }) as Error;
    expect(() => openBus({ folder })).toThrow(refusal);
    expect(() => openBus({ folder })).toThrow(refusal);
    expect(() => openEmbeddedReader(folder)).toThrow(refusal);
  });

  test('given a database of something else, nothing is written into it', () => {
    const folder = tempFolder();
    otherDatabase(join(folder, 'bus.db'), 'CREATE TABLE song (title TEXT)');
    expect(() => openBus({ folder })).toThrow();
    const db = new Database(join(folder, 'bus.db'));
    expect(db.prepare('SELECT name FROM sqlite_master').pluck().all()).toEqual(['song']);
    expect(db.pragma('journal_mode', { simple: true })).toBe('delete');
    db.close();
  });

  test('given a file where the folder should be, or garbage as its lock, it is refused', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'file'), '');
    writeFileSync(join(folder, 'writer.lock'), 'this is no lock. '.repeat(100));
    const refusal = expect.objectContaining({ code: 'PL_DATA_FOLDER_UNUSABLE' }) as Error;
    expect(() => openBus({ folder: join(folder, 'file') })).toThrow(refusal);
    expect(() => openBus({ folder })).toThrow(refusal);
  });

  test('given no folder, it is made; a reader makes none', () => {
    const folder = join(tempFolder(), 'a', 'b');
    expect(() => openEmbeddedReader(folder)).toThrow(
      expect.objectContaining({ code: 'PL_DATA_FOLDER_UNUSABLE' }),
    );
    expect(openBus({ folder }).partitions).toBe(2);
  });
});

describe('a reader beside the writer', () => {
  test('reads what is committed, and nothing that is not', async () => {
    const bus = openBus();
    await bus.append(newRecords(TOPIC, 0, 2, 'committed'));
    const reader = openEmbeddedReader(bus.folder);
    expect(reader).toMatchObject({ epoch: bus.epoch, partitions: bus.partitions });
    const insideTransaction = await bus.writer
      .write((db) => {
        db.prepare(
          `INSERT INTO record SELECT topic, partition, 2, key, value, headers, timestamp FROM record LIMIT 1`,
        ).run();
        return readAll(reader, TOPIC, 0);
      })
      .catch((error: unknown) => error);
    // A piece that answers with a promise is refused, so what it wrote is gone again.
    expect(insideTransaction).toBeInstanceOf(TypeError);

    let during: Promise<unknown> = Promise.resolve();
    await bus.writer.write((db) => {
      db.prepare("UPDATE record SET value = 'changed'").run();
      during = readAll(reader, TOPIC, 0).then(textsOf);
    });
    expect(await during).toEqual(['committed-0', 'committed-1']);
    expect(textsOf(await readAll(reader, TOPIC, 0))).toEqual(['changed', 'changed']);
    await reader.close();
  });

  test('sees what another process goes on appending, in order and without gaps', async () => {
    const folder = tempFolder();
    const writer = startChild('bus-child.ts', ['copy', folder]);
    await writer.line('acknowledged');
    const reader = openEmbeddedReader(folder);
    for (let end = 0; end < 200;) {
      const offsets = (await readAll(reader, TOPIC, 0)).map(({ offset }) => offset);
      expect(offsets).toEqual(offsets.map((_, i) => i));
      expect(offsets.length).toBeGreaterThanOrEqual(end);
      const committed = await reader.committed('copy', TOPIC, 0);
      const outputs = await readAll(reader, 'postprocessed.v1', 0);
      expect(outputs.length).toBeGreaterThanOrEqual(committed ?? 0);
      end = offsets.length;
    }
    await reader.close();
  });

  test('reads a folder that nobody writes any more', async () => {
    const bus = openBus();
    await bus.append([newRecord(TOPIC, 1, 'left')]);
    await bus.close();
    const reader = openEmbeddedReader(bus.folder);
    expect(textsOf(await readAll(reader, TOPIC, 1))).toEqual(['left']);
    expect(await reader.bounds(TOPIC, 1)).toEqual({ low: 0, end: 1 });
    expect(await reader.committed('nobody', TOPIC, 1)).toBeNull();
    await reader.close();
    expect(openBus({ folder: bus.folder }).epoch).toBe(bus.epoch);
  });
});

function otherDatabase(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}
