import { beforeEach, describe, expect, test } from 'vitest';
import type { LedgerView } from '../../src/ledger/ledger-view.js';
import { encodedEntry, ledgerRecord, UNREADABLE } from '../support/ledger-entries.js';
import { waitUntil } from '../support/wait.js';
import { apply, entriesOf, OTHER_READY, READY, valueOf, type Subject } from './ledger-view-subject.js';

export function readTests(subject: Subject): void {
  let view: LedgerView;
  beforeEach(() => {
    view = subject().view;
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
}

/** Ids whose order is that of their numbers. */
function call(i: number): string {
  return `call-${String(i).padStart(4, '0')}`;
}
