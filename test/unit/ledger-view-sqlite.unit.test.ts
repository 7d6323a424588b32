import { afterEach, describe, expect, test } from 'vitest';
import { createCodec, localSchemaIds } from '../../src/contracts/codec.js';
import { avroSchemas } from '../../src/contracts/generated.js';
import type { BusReader } from '../../src/bus/bus.js';
import { ledgerKey, parseLedgerKey, type ScanView, type ViewEntry } from '../../src/ledger/ledger-view.js';
import { openEmbeddedReader } from '../../src/bus/embedded/embedded-bus.js';
import { openSqliteLedgerView } from '../../src/ledger/sqlite-ledger-view.js';
import { scanSqliteView } from '../../src/ledger/sqlite-scan.js';
import { ledgerViewConformance } from '../conformance/ledger-view.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { encodedEntry, ledgerRecord, OF_UNKNOWN_SCHEMA } from '../support/ledger-entries.js';

afterEach(closeBuses);

const codec = createCodec();

/** Beside the line that writes, as a command does. */
function scanOnce(folder: string): ScanView {
  return async (partition) => {
    const reader = openEmbeddedReader(folder);
    const scanned = await scanSqliteView(reader.db, reader.epoch)(partition);
    if (scanned === null || scanned === 'other-logs') {
      await reader.close();
      return scanned;
    }
    return { ...scanned, entries: closing(scanned.entries, reader) };
  };
}

async function* closing(entries: AsyncIterable<ViewEntry>, reader: BusReader): AsyncGenerator<ViewEntry> {
  yield* entries;
  await reader.close();
}

ledgerViewConformance('the ledger view in SQLite', () => {
  let bus = openBus();
  const { folder } = bus;
  const open = () => openSqliteLedgerView({ writer: bus.writer, codec, epoch: bus.epoch });
  return Promise.resolve({
    view: open(),
    scan: scanOnce(folder),
    async reopen() {
      await bus.close();
      bus = openBus({ folder });
      return open();
    },
    dispose: () => bus.close(),
  });
});

describe('the ledger view in SQLite', () => {
  test('given entries of other logs, it believes nothing and begins anew', async () => {
    const { writer } = openBus();
    const old = openSqliteLedgerView({ writer, codec, epoch: 'old' });
    await old.apply({ partition: 0, from: 0, to: 5, records: [ledgerRecord(4, 'run-1', 'a')] });
    await old.apply({ partition: 1, from: 0, to: 5, records: [ledgerRecord(4, 'run-2', 'a')] });

    const view = openSqliteLedgerView({ writer, codec, epoch: 'new' });
    const all = { runId: 'run-1', toolCallIds: ['a'], others: 10 };
    expect(await view.position(0)).toBe(0);
    expect(await view.read(0, [all])).toEqual({ position: 0, entries: [] });
    const records = [ledgerRecord(0, 'run-1', 'b')];
    expect(await view.apply({ partition: 0, from: 0, to: 1, records })).toMatchObject({ kind: 'applied' });
    expect((await view.read(0, [all]))!.entries.map(({ toolCallId }) => toolCallId)).toEqual(['b']);
    expect(await view.position(1)).toBe(0);
  });

  test('given a schema that becomes known, the batch that waited for it is applied', async () => {
    const { writer, epoch } = openBus();
    const known = new Map<number, { key: string; schema: unknown }>();
    const growing = createCodec({
      ...localSchemaIds,
      schemaOf: (id) => localSchemaIds.schemaOf(id) ?? known.get(id),
    });
    const view = openSqliteLedgerView({ writer, codec: growing, epoch });
    const value = Buffer.from(encodedEntry({ toolCallId: 'a' }));
    OF_UNKNOWN_SCHEMA.copy(value, 0, 0, 5);
    const batch = { partition: 0, from: 0, to: 1, records: [ledgerRecord(0, 'run-1', 'a', value)] };
    await expect(view.apply(batch)).rejects.toMatchObject({ code: 'PL_SCHEMA_UNKNOWN' });
    known.set(9, { key: 'id 9', schema: avroSchemas['ledger.v1'] });
    expect(await view.apply(batch)).toEqual({ kind: 'applied', takenBack: 0 });
  });

  test('given that the bus is closed, who waits is told', async () => {
    const bus = openBus();
    const view = openSqliteLedgerView({ writer: bus.writer, codec, epoch: bus.epoch });
    await bus.close();
    await expect(view.whenPast(0, 0, 60_000)).rejects.toThrow();
    await expect(view.read(0, [])).rejects.toThrow();
  });
});

describe('ledger keys', () => {
  test.each([
    ['run-1', 'call-1'],
    ['a', 'b/c'],
    ['a', ''],
  ])('of %s and %s can be told apart again', (runId, toolCallId) => {
    expect(parseLedgerKey(ledgerKey(runId, toolCallId))).toEqual({ runId, toolCallId });
  });

  test.each(['~barrier', '', 'run-1', '/call-1', '/'])('%j is none', (key) => {
    expect(parseLedgerKey(key)).toBeNull();
  });
});
