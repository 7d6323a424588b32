import { beforeEach, describe, expect, test } from 'vitest';
import type { LedgerRecord, LedgerView } from '../../src/ledger/ledger-view.js';
import { encodedEntry, ledgerRecord, OF_UNKNOWN_SCHEMA, UNREADABLE } from '../support/ledger-entries.js';
import {
  apply,
  entriesOf,
  FAILED,
  OTHER_READY,
  PENDING,
  READY,
  valueOf,
  type Subject,
} from './ledger-view-subject.js';

export function applyTests(subject: Subject): void {
  describe('apply', () => {
    let view: LedgerView;
    beforeEach(() => {
      view = subject().view;
    });

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
      const again = await subject().reopen();
      expect(await again.position(0)).toBe(1);
      expect(await valueOf(again, 'run-1', 'a')).toEqual(READY);
      expect(await apply(again, 1, [ledgerRecord(1, 'run-1', 'a', FAILED)])).toEqual({
        kind: 'applied',
        takenBack: 1,
      });
    });
  });
}
