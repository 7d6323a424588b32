import { beforeEach, describe, expect, test } from 'vitest';
import type { LedgerView } from '../../src/ledger/ledger-view.js';
import { ledgerRecord } from '../support/ledger-entries.js';
import { waitUntil } from '../support/wait.js';
import {
  apply,
  entriesOf,
  FAILED,
  OTHER_READY,
  READY,
  valueOf,
  type Subject,
} from './ledger-view-subject.js';

export function rebuildTests(subject: Subject): void {
  describe('rebuild', () => {
    let view: LedgerView;
    beforeEach(async () => {
      view = subject().view;
      await apply(view, 0, [ledgerRecord(0, 'run-1', 'old', READY)]);
      await apply(view, 0, [ledgerRecord(0, 'run-2', 'a', READY)], 1);
    });
    const served = { runId: 'run-1', toolCallIds: ['old', 'a', 'b'], others: 10 };

    test('serves nothing of the partition until it is finished, and then what it was given', async () => {
      const rebuild = await view.rebuild(0, 'anew');
      expect(await view.position(0)).toBeNull();
      const records = [
        ledgerRecord(0, 'run-1', 'a', READY),
        ledgerRecord(1, 'run-1', 'a', OTHER_READY),
        ledgerRecord(2, 'run-1', 'b', FAILED),
      ];
      expect(await rebuild.apply({ partition: 0, from: 0, to: 2, records: records.slice(0, 2) })).toEqual({
        kind: 'applied',
        takenBack: 1,
      });
      expect(await rebuild.apply({ partition: 0, from: 4, to: 5, records: [] })).toEqual({
        kind: 'gap',
        position: 2,
      });
      expect(await rebuild.apply({ partition: 0, from: 2, to: 4, records: records.slice(2) })).toMatchObject({
        kind: 'applied',
      });
      expect(await view.position(0)).toBeNull();
      expect(await view.read(0, [served])).toBeNull();
      expect(await view.whenPast(0, 0, 0)).toBe(false);
      expect(await apply(view, 0, [ledgerRecord(0, 'run-1', 'x')])).toEqual({ kind: 'lost' });

      expect(await rebuild.finish()).toBe(true);
      expect(await view.position(0)).toBe(4);
      const read = await view.read(0, [served]);
      expect(read!.position).toBe(4);
      expect(read!.entries.map(({ toolCallId, value }) => [toolCallId, value])).toEqual([
        ['a', READY],
        ['b', FAILED],
      ]);
      expect(await apply(view, 4, [ledgerRecord(4, 'run-1', 'c')])).toMatchObject({ kind: 'applied' });
      expect(await waitUntil('it is known', () => view.foreignRun('c', 'run-9'))).toBe('run-1');
    });

    test('leaves the other partitions alone', async () => {
      const rebuild = await view.rebuild(0, 'anew');
      expect(await view.position(1)).toBe(1);
      await rebuild.finish();
      expect(await entriesOf(view, 'run-2', ['a'], 0, 1)).toHaveLength(1);
      expect(await view.position(0)).toBe(0);
      expect(await view.read(0, [served])).toEqual({ position: 0, entries: [] });
    });

    test('given another that begins meanwhile, the first is gone, and only the second is served', async () => {
      const first = await view.rebuild(0, 'first');
      await first.apply({ partition: 0, from: 0, to: 1, records: [ledgerRecord(0, 'run-1', 'a', READY)] });
      const second = await view.rebuild(0, 'second');
      await second.apply({ partition: 0, from: 0, to: 1, records: [ledgerRecord(0, 'run-1', 'b', READY)] });
      expect(await second.finish()).toBe(true);
      expect(await valueOf(view, 'run-1', 'a')).toBeUndefined();
      expect(await valueOf(view, 'run-1', 'b')).toEqual(READY);
    });

    test('given that it was not finished, the view opened again has nothing to believe', async () => {
      await view.rebuild(0, 'anew');
      const again = await subject().reopen();
      expect(await again.position(0)).toBeNull();
      expect(await again.read(0, [])).toBeNull();
      expect(await again.position(1)).toBe(1);
    });

    test('given that it is finished, whoever waits for its position is told', async () => {
      const rebuild = await view.rebuild(0, 'anew');
      await rebuild.apply({ partition: 0, from: 0, to: 7, records: [] });
      const waiting = view.whenPast(0, 6, 10_000);
      await rebuild.finish();
      expect(await waiting).toBe(true);
    });
  });
}
