import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LedgerRecord, LedgerView, ViewEntry } from '../../src/ledger/ledger-view.js';
import { encodedEntry, ledgerRecord, OF_UNKNOWN_SCHEMA, UNREADABLE } from '../support/ledger-entries.js';
import { waitUntil } from '../support/wait.js';

/** A view of its own, that has applied nothing: partitions 0 and 1 are open and at position 0. */
export interface LedgerViewUnderTest {
  readonly view: LedgerView;
  /** Closes it and opens the same one again. */
  readonly reopen: () => Promise<LedgerView>;
  readonly dispose: () => Promise<void>;
}

export type MakeLedgerView = () => Promise<LedgerViewUnderTest>;

type Applied = Awaited<ReturnType<LedgerView['apply']>>;

/** Applies the records, which begin at `from` and follow each other. */
function apply(
  view: LedgerView,
  from: number,
  records: readonly LedgerRecord[],
  partition = 0,
): Promise<Applied> {
  return view.apply({ partition, from, to: from + records.length, records });
}

async function entriesOf(
  view: LedgerView,
  runId: string,
  toolCallIds: readonly string[],
  others = 0,
  partition = 0,
): Promise<readonly ViewEntry[]> {
  const read = await view.read(partition, [{ runId, toolCallIds, others }]);
  return read!.entries;
}

async function valueOf(view: LedgerView, runId: string, toolCallId: string): Promise<Buffer | undefined> {
  const [entry, ...more] = await entriesOf(view, runId, [toolCallId]);
  expect(more).toEqual([]);
  return entry?.value;
}

const PENDING = encodedEntry({ state: 'PENDING', agentView: null });
const READY = encodedEntry({ state: 'READY' });
const OTHER_READY = encodedEntry({ state: 'READY', agentView: '{"evidence":["forged"]}' });
const FAILED = encodedEntry({ state: 'FAILED', agentView: null });

/** What every implementation of the ledger view MUST do. */
export function ledgerViewConformance(name: string, make: MakeLedgerView): void {
  describe(`${name} conforms to the LedgerView port`, () => {
    let made: LedgerViewUnderTest;
    let view: LedgerView;
    beforeEach(async () => {
      made = await make();
      view = made.view;
    });
    afterEach(() => made.dispose());

    describe('apply', () => {
      test('moves the position to the end of the batch, past the last record and without records', async () => {
        expect(await view.position(0)).toBe(0);
        const records = [ledgerRecord(0, 'run-1', 'a')];
        expect(await view.apply({ partition: 0, from: 0, to: 3, records })).toEqual({
          kind: 'applied',
          takenBack: 0,
        });
        expect(await view.position(0)).toBe(3);
        expect(await view.apply({ partition: 0, from: 3, to: 9, records: [] })).toEqual({
          kind: 'applied',
          takenBack: 0,
        });
        expect(await view.position(0)).toBe(9);
        expect(await view.position(1)).toBe(0);
      });

      test('given records below the position, skips them', async () => {
        const records = [
          ledgerRecord(0, 'run-1', 'a', PENDING),
          ledgerRecord(1, 'run-1', 'a', READY),
          ledgerRecord(2, 'run-1', 'b', READY),
          ledgerRecord(3, 'run-1', 'b', null),
        ];
        await apply(view, 0, records);
        const next = ledgerRecord(4, 'run-1', 'c', READY);
        for (let i = 0; i < 2; i++) {
          expect(await apply(view, 0, [...records, next])).toEqual({ kind: 'applied', takenBack: 0 });
          expect(await view.position(0)).toBe(5);
        }
        const entries = await entriesOf(view, 'run-1', ['a', 'b', 'c']);
        expect(entries.map((entry) => [entry.toolCallId, entry.value])).toEqual([
          ['a', READY],
          ['c', READY],
        ]);
      });

      test('given a batch that lies wholly below, the position does not go back', async () => {
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'a'), ledgerRecord(1, 'run-1', 'b')]);
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'a')]);
        expect(await view.position(0)).toBe(2);
      });

      test('given a batch that begins beyond the position, changes nothing and says where to read on', async () => {
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'a')]);
        expect(await apply(view, 2, [ledgerRecord(2, 'run-1', 'b')])).toEqual({ kind: 'gap', position: 1 });
        expect(await apply(view, 1, [ledgerRecord(1, 'run-2', 'x')], 1)).toEqual({
          kind: 'gap',
          position: 0,
        });
        expect(await view.position(0)).toBe(1);
        expect(await entriesOf(view, 'run-1', ['a', 'b'])).toHaveLength(1);
        expect(await apply(view, 1, [ledgerRecord(1, 'run-1', 'b')])).toMatchObject({ kind: 'applied' });
      });

      test.each([
        ['PENDING, then READY', PENDING, READY, READY, 0],
        ['PENDING, then FAILED', PENDING, FAILED, FAILED, 0],
        [
          'PENDING, then another PENDING',
          PENDING,
          encodedEntry({ state: 'PENDING', requestOffset: 9 }),
          PENDING,
          0,
        ],
        ['PENDING, then what cannot be read', PENDING, UNREADABLE, UNREADABLE, 0],
        ['READY, then the same again', READY, READY, READY, 0],
        ['READY, then another READY', READY, OTHER_READY, READY, 1],
        ['READY, then FAILED', READY, FAILED, READY, 1],
        ['READY, then PENDING', READY, PENDING, READY, 1],
        ['READY, then what cannot be read', READY, UNREADABLE, READY, 1],
        ['FAILED, then READY', FAILED, READY, FAILED, 1],
        ['what cannot be read, then READY', UNREADABLE, READY, UNREADABLE, 1],
        ['what cannot be read, then the same again', UNREADABLE, UNREADABLE, UNREADABLE, 0],
      ])(
        'given %s, in one batch or two, the first terminal entry stands',
        async (_, first, second, stays, takenBack) => {
          const records = (call: string, at: number): [LedgerRecord, LedgerRecord] => [
            ledgerRecord(at, 'run-1', call, first),
            ledgerRecord(at + 1, 'run-1', call, second),
          ];
          expect(await apply(view, 0, records('one', 0))).toEqual({ kind: 'applied', takenBack });
          const [before, after] = records('two', 2);
          await apply(view, 2, [before]);
          expect(await apply(view, 3, [after])).toEqual({ kind: 'applied', takenBack });
          expect(await valueOf(view, 'run-1', 'one')).toEqual(stays);
          expect(await valueOf(view, 'run-1', 'two')).toEqual(stays);
        },
      );

      test('given what cannot be read, it is kept under its key, byte for byte', async () => {
        const values = [UNREADABLE, Buffer.alloc(0), Buffer.from('{}'), Buffer.from([0, 1])];
        await apply(
          view,
          0,
          values.map((value, i) => ledgerRecord(i, 'run-1', `call-${i}`, value)),
        );
        const entries = await entriesOf(view, 'run-1', ['call-0', 'call-1', 'call-2', 'call-3']);
        expect(entries.map((entry) => entry.value)).toEqual(values);
      });

      test('given a schema that nobody knows, applies nothing of the batch and waits there', async () => {
        const batch = [
          ledgerRecord(0, 'run-1', 'a'),
          ledgerRecord(1, 'run-1', 'b', OF_UNKNOWN_SCHEMA),
          ledgerRecord(2, 'run-1', 'c'),
        ];
        await expect(apply(view, 0, batch)).rejects.toMatchObject({ code: 'PL_SCHEMA_UNKNOWN' });
        expect(await view.position(0)).toBe(0);
        expect(await entriesOf(view, 'run-1', ['a', 'b', 'c'])).toEqual([]);
      });

      test('given a tombstone, the entry is gone, and what comes after it is a new one', async () => {
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'a', READY), ledgerRecord(1, 'run-1', 'a', null)]);
        expect(await valueOf(view, 'run-1', 'a')).toBeUndefined();
        expect(
          await apply(view, 2, [
            ledgerRecord(2, 'run-1', 'nothing', null),
            ledgerRecord(3, 'run-1', 'a', OTHER_READY),
          ]),
        ).toEqual({ kind: 'applied', takenBack: 0 });
        expect(await valueOf(view, 'run-1', 'a')).toEqual(OTHER_READY);
      });

      test("given barriers and keys that are no entry's, passes over them", async () => {
        const records: LedgerRecord[] = [
          { offset: 0, key: Buffer.from('~barrier'), value: null },
          { offset: 1, key: null, value: READY },
          { offset: 2, key: Buffer.alloc(0), value: READY },
          { offset: 3, key: Buffer.from('/call-1'), value: READY },
          { offset: 4, key: Buffer.from('run-1'), value: OF_UNKNOWN_SCHEMA },
          ledgerRecord(5, 'run-1', 'a', READY),
        ];
        expect(await apply(view, 0, records)).toEqual({ kind: 'applied', takenBack: 0 });
        expect(await view.position(0)).toBe(6);
        expect((await entriesOf(view, 'run-1', [], 10)).map((entry) => entry.toolCallId)).toEqual(['a']);
      });

      test('opened again, it is where it was', async () => {
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'a', READY)]);
        const again = await made.reopen();
        expect(await again.position(0)).toBe(1);
        expect(await valueOf(again, 'run-1', 'a')).toEqual(READY);
        expect(await apply(again, 1, [ledgerRecord(1, 'run-1', 'a', FAILED)])).toEqual({
          kind: 'applied',
          takenBack: 1,
        });
      });
    });

    describe('read', () => {
      test('gives the asked calls of each run, and of the others as many as wanted, by their ids', async () => {
        const calls = ['c', 'e', 'a', 'd', 'b'];
        await apply(view, 0, [
          ...calls.map((call, i) => ledgerRecord(i, 'run-1', call)),
          ledgerRecord(5, 'run-2', 'a'),
          ledgerRecord(6, 'run-10', 'z'),
        ]);
        const read = await view.read(0, [
          { runId: 'run-1', toolCallIds: ['d', 'nothing', 'a'], others: 2 },
          { runId: 'run-2', toolCallIds: ['c'], others: 0 },
          { runId: 'run-3', toolCallIds: ['a'], others: 5 },
        ]);
        expect(read!.position).toBe(7);
        expect(read!.entries.map(({ runId, toolCallId }) => [runId, toolCallId])).toEqual([
          ['run-1', 'd'],
          ['run-1', 'a'],
          ['run-1', 'b'],
          ['run-1', 'c'],
        ]);
        expect(read!.entries[0]!.value).toEqual(encodedEntry({ runId: 'run-1', toolCallId: 'd' }));
        const all = await entriesOf(view, 'run-1', [], 100);
        expect(all.map((entry) => entry.toolCallId)).toEqual(['a', 'b', 'c', 'd', 'e']);
        expect(await view.read(0, [])).toEqual({ position: 7, entries: [] });
      });

      test('given a record on a partition where its run does not belong, it neither shows nor stands in the way', async () => {
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'a', OTHER_READY)], 1);
        expect(await entriesOf(view, 'run-1', ['a'], 10)).toEqual([]);
        expect(await apply(view, 0, [ledgerRecord(0, 'run-1', 'a', READY)])).toEqual({
          kind: 'applied',
          takenBack: 0,
        });
        expect(await valueOf(view, 'run-1', 'a')).toEqual(READY);
        await apply(view, 1, [ledgerRecord(1, 'run-1', 'a', null)], 1);
        expect(await valueOf(view, 'run-1', 'a')).toEqual(READY);
      });

      test('given any text as a cited call, finds nothing and does not throw', async () => {
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'a'), ledgerRecord(1, 'run-1', 'a/b')]);
        const cited = [
          '',
          '/',
          'a\0',
          '\ud800',
          "a' OR '1'='1",
          'A',
          '*',
          '%',
          '__proto__',
          'x'.repeat(100_000),
        ];
        expect(await entriesOf(view, 'run-1', cited)).toEqual([]);
        expect(await view.foreignRun('\ud800', 'run-1')).toBeNull();
      });

      test('given that it is read while it moves, entries and position are of one moment', async () => {
        const moving = (async () => {
          for (let i = 0; i < 200; i += 2)
            await apply(view, i, [
              ledgerRecord(i, 'run-1', call(i)),
              ledgerRecord(i + 1, 'run-1', call(i + 1)),
            ]);
        })();
        for (let position = 0; position < 200;) {
          const read = await view.read(0, [{ runId: 'run-1', toolCallIds: [call(0)], others: 500 }]);
          position = read!.position;
          expect(read!.entries.map((entry) => entry.toolCallId)).toEqual(
            Array.from({ length: position }, (_, i) => call(i)),
          );
          // Lets the writer have its turn.
          await new Promise((resolve) => setImmediate(resolve));
        }
        await moving;
      });
    });

    describe('foreignRun', () => {
      test('names another run that has the call, and none where there is none', async () => {
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'shared'), ledgerRecord(1, 'run-1', 'own')]);
        await apply(view, 0, [ledgerRecord(0, 'run-2', 'shared')], 1);
        expect(await waitUntil('it is known', () => view.foreignRun('shared', 'run-1'))).toBe('run-2');
        expect(await waitUntil('it is known', () => view.foreignRun('shared', 'run-2'))).toBe('run-1');
        expect(await view.foreignRun('own', 'run-1')).toBeNull();
        expect(await view.foreignRun('nothing', 'run-1')).toBeNull();
        expect(['run-1', 'run-2']).toContain(await view.foreignRun('shared', 'run-3'));
      });
    });

    describe('expiredBefore', () => {
      test('names the entries of the partition that expired before the instant, as many as asked for', async () => {
        const expiring = (
          offset: number,
          call: string,
          expiresAt: number,
          state: 'PENDING' | 'READY' = 'READY',
        ) => ledgerRecord(offset, 'run-1', call, encodedEntry({ toolCallId: call, expiresAt, state }));
        await apply(view, 0, [
          expiring(0, 'a', 100),
          expiring(1, 'b', 200, 'PENDING'),
          expiring(2, 'c', 300),
          expiring(3, 'gone', 100),
          ledgerRecord(4, 'run-1', 'gone', null),
          ledgerRecord(5, 'run-1', 'unreadable', UNREADABLE),
        ]);
        await apply(view, 0, [expiring(0, 'elsewhere', 100)], 1);
        const named = async (instant: number, limit: number): Promise<string[]> =>
          (await view.expiredBefore(0, instant, limit)).map(
            ({ runId, toolCallId }) => `${runId}/${toolCallId}`,
          );
        expect(await named(100, 10)).toEqual([]);
        expect((await named(300, 10)).toSorted()).toEqual(['run-1/a', 'run-1/b']);
        expect((await named(301, 10)).toSorted()).toEqual(['run-1/a', 'run-1/b', 'run-1/c']);
        expect(await named(301, 2)).toHaveLength(2);
      });
    });

    describe('whenPast', () => {
      test('given that the position is greater, answers at once', async () => {
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'a'), ledgerRecord(1, 'run-1', 'b')]);
        expect(await view.whenPast(0, 1, 0)).toBe(true);
        expect(await view.whenPast(0, -1, 0)).toBe(true);
        expect(await view.whenPast(1, -1, 0)).toBe(true);
      });

      test('given that it becomes greater, answers then, and not for another partition', async () => {
        let answer: boolean | null = null;
        const waiting = view.whenPast(0, 1, 10_000).then((passed) => (answer = passed));
        await apply(view, 0, [ledgerRecord(0, 'run-1', 'a')]);
        await apply(view, 0, [ledgerRecord(0, 'run-2', 'a'), ledgerRecord(1, 'run-2', 'b')], 1);
        expect(await view.whenPast(0, 1, 1)).toBe(false);
        expect(answer).toBeNull();
        await view.apply({ partition: 0, from: 1, to: 2, records: [] });
        await waiting;
        expect(answer).toBe(true);
      });

      test('given that it does not in time, says so', async () => {
        const started = performance.now();
        expect(await view.whenPast(0, 0, 30)).toBe(false);
        expect(performance.now() - started).toBeGreaterThan(25);
      });
    });
  });
}

/** Ids whose order is that of their numbers. */
function call(i: number): string {
  return `call-${String(i).padStart(4, '0')}`;
}
