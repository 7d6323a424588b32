import { describe, expect, test } from 'vitest';
import { ledgerKey } from '../../src/ledger/ledger-view.js';
import { encodedEntry, ledgerRecord, UNREADABLE } from '../support/ledger-entries.js';
import { apply, READY, type Subject } from './ledger-view-subject.js';

export function scanTests(subject: Subject): void {
  describe('a scan', () => {
    test('shows every entry of the partition as it is, and how far the view was', async () => {
      const { view, scan } = subject();
      const entries = Array.from({ length: 1200 }, (_, i) => ledgerRecord(i, `run-${i % 7}`, `call-${i}`));
      await apply(view, 0, [
        ...entries,
        ledgerRecord(1200, 'run-x', 'unreadable', UNREADABLE),
        ledgerRecord(1201, 'run-0', 'call-0', null),
      ]);
      await apply(view, 0, [ledgerRecord(0, 'run-1', 'elsewhere', READY)], 1);
      const scanned = await scan(0);
      if (scanned === null || scanned === 'other-logs') throw new Error('there is nothing to scan');
      expect(scanned.position).toBe(1202);
      const found = new Map<string, Buffer>();
      for await (const { runId, toolCallId, value } of scanned.entries)
        found.set(ledgerKey(runId, toolCallId), value);
      expect(found.size).toBe(1200);
      expect(found.get('run-x/unreadable')).toEqual(UNREADABLE);
      expect(found.get('run-1/call-8')).toEqual(encodedEntry({ runId: 'run-1', toolCallId: 'call-8' }));
      expect(found.has('run-0/call-0')).toBe(false);
    });
  });
}
