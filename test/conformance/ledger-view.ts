import { afterEach, beforeEach, describe } from 'vitest';
import { applyTests } from './ledger-view-apply.js';
import { readTests } from './ledger-view-read.js';
import { rebuildTests } from './ledger-view-rebuild.js';
import { scanTests } from './ledger-view-scan.js';
import type { LedgerViewUnderTest, MakeLedgerView, Subject } from './ledger-view-subject.js';

/** What every implementation of the ledger view MUST do. */
export function ledgerViewConformance(name: string, make: MakeLedgerView): void {
  describe(`${name} conforms to the LedgerView port`, () => {
    let made: LedgerViewUnderTest;
    beforeEach(async () => {
      made = await make();
    });
    afterEach(() => made.dispose());

    const subject: Subject = () => made;
    applyTests(subject);
    readTests(subject);
    rebuildTests(subject);
    scanTests(subject);
  });
}
