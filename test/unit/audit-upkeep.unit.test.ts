import { describe, expect, test } from 'vitest';
import type { AuditStore, DeleteOptions } from '../../src/audit/audit-store.js';
import { auditPlaceName } from '../../src/audit/open-audit.js';
import { lateAuditStore } from '../../src/audit/late-audit-store.js';
import { pruneAudit } from '../../src/audit/prune.js';
import { ProoflineError } from '../../src/contracts/errors.js';

const down = (): ProoflineError => new ProoflineError('PL_AUDIT_DOWN', { problem: 'locked' });

/** A store of which only deletion is asked: it does one of these at a time. */
function deleting(...turns: ((options: DeleteOptions) => number)[]): AuditStore {
  const deleteBefore = (_instant: number, options: DeleteOptions = {}): Promise<number> => {
    const turn = turns.shift();
    if (turn === undefined) return Promise.reject(down());
    return new Promise((resolve) => resolve(turn(options)));
  };
  return { deleteBefore } as Partial<AuditStore> as AuditStore;
}

describe('pruning', () => {
  const deletesThenFails =
    (rows: number) =>
    ({ onProgress }: DeleteOptions): number => {
      onProgress?.(rows);
      throw down();
    };

  test('given a lock that passes, then it goes on, and counts what came before it', async () => {
    const told: number[] = [];
    const finishes = ({ onProgress }: DeleteOptions): number => {
      onProgress?.(5);
      return 5;
    };
    const store = deleting(deletesThenFails(1_000), deletesThenFails(0), finishes);
    expect(await pruneAudit(store, 0, { onProgress: (rows) => told.push(rows) })).toBe(1_005);
    expect(told).toEqual([1_000, 1_000, 1_005]);
  });

  test('given one that does not pass, then it gives up', async () => {
    await expect(pruneAudit(deleting(), 0)).rejects.toMatchObject({ code: 'PL_AUDIT_DOWN' });
  });

  test('given another error, then it does not try again', async () => {
    let tries = 0;
    const fails = (): number => {
      tries++;
      throw new ProoflineError('PL_DISK_FULL');
    };
    await expect(pruneAudit(deleting(fails, fails), 0)).rejects.toMatchObject({ code: 'PL_DISK_FULL' });
    expect(tries).toBe(1);
  });

  test('given that it is stopped while it waits, then it ends', async () => {
    const stopping = new AbortController();
    const stops = (): number => {
      stopping.abort(new Error('stopped'));
      throw down();
    };
    await expect(pruneAudit(deleting(stops), 0, { signal: stopping.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

describe('a store that was down at the start', () => {
  const store = (closed: string[] = []): AuditStore =>
    ({
      countBefore: (instantMs: number) => Promise.resolve(instantMs + 1),
      close: () => Promise.resolve(void closed.push('closed')),
    }) as Partial<AuditStore> as AuditStore;

  test('is opened by the first call that finds it up, and once', async () => {
    const outcomes = [down(), new ProoflineError('PL_AUDIT_UNUSABLE', { problem: 'no tables' })];
    let opened = 0;
    const late = lateAuditStore(() => {
      const outcome = outcomes.shift();
      if (outcome !== undefined) return Promise.reject(outcome);
      opened++;
      return Promise.resolve(store());
    });
    await expect(late.trail('run-1')).rejects.toMatchObject({ code: 'PL_AUDIT_DOWN' });
    // The line has started already: it waits for whoever makes the tables.
    await expect(late.appendInvocations([])).rejects.toMatchObject({
      code: 'PL_AUDIT_DOWN',
      message: expect.stringContaining('no tables') as string,
    });
    expect(await Promise.all([late.countBefore(1), late.countBefore(2)])).toEqual([2, 3]);
    expect(opened).toBe(1);
  });

  test('is closed once it was opened, and answers nothing when it was closed before', async () => {
    const closed: string[] = [];
    const late = lateAuditStore(() => Promise.resolve(store(closed)));
    await late.countBefore(1);
    await late.close();
    expect(closed).toEqual(['closed']);
    const never = lateAuditStore(() => Promise.resolve(store(closed)));
    await never.close();
    await expect(never.countBefore(1)).rejects.toMatchObject({ code: 'PL_AUDIT_DOWN' });
    expect(closed).toEqual(['closed']);
  });
});

test('where the audit is, is said without user and password', () => {
  const auditUrl = 'postgres://mia:secret@db.example:5433/audit?sslmode=require';
  expect(auditPlaceName({ auditUrl, data: '/data' })).toBe('PostgreSQL at db.example:5433/audit');
  expect(auditPlaceName({ auditUrl: null, data: '/data' })).toBe('/data/audit.db');
});
