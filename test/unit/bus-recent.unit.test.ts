import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredRecord } from '../../src/bus/bus.js';
import { createRecent } from '../../src/bus/embedded/recent.js';

const ALL = Number.MAX_SAFE_INTEGER;

function record(offset: number, bytes = 10, partition = 0): StoredRecord {
  const value = Buffer.alloc(bytes);
  return { topic: 'projected.v1', partition, offset, key: null, value, headers: {}, timestamp: 0 };
}

const offsets = (records: readonly StoredRecord[] | null): number[] | null =>
  records?.map(({ offset }) => offset) ?? null;

describe('the records that were committed last', () => {
  it('sends to the log who asks for a partition that has none, or for older ones', () => {
    const recent = createRecent(1000);
    recent.add([record(5), record(6)]);
    expect(recent.read('projected.v1', 1, 0, 10, ALL)).toBeNull();
    expect(recent.read('raw-hits.v1', 0, 5, 10, ALL)).toBeNull();
    expect(recent.read('projected.v1', 0, 4, 10, ALL)).toBeNull();
    expect(offsets(recent.read('projected.v1', 0, 5, 10, ALL))).toEqual([5, 6]);
  });

  it('has nothing for who has read them all, without a look into the log', () => {
    const recent = createRecent(1000);
    recent.add([record(0)]);
    expect(recent.read('projected.v1', 0, 1, 10, ALL)).toEqual([]);
  });

  it('gives at least one record, and stops at the limits of records and bytes', () => {
    const recent = createRecent(10_000);
    recent.add([record(0), record(1), record(2)]);
    expect(offsets(recent.read('projected.v1', 0, 0, 2, ALL))).toEqual([0, 1]);
    expect(offsets(recent.read('projected.v1', 0, 0, 10, 1))).toEqual([0]);
  });

  it('sends everybody to the log once records were removed from it', () => {
    const recent = createRecent(1000);
    recent.add([record(0), record(1)]);
    recent.clear();
    expect(recent.read('projected.v1', 0, 0, 10, ALL)).toBeNull();
    recent.add([record(2)]);
    expect(recent.read('projected.v1', 0, 0, 10, ALL)).toBeNull();
    expect(offsets(recent.read('projected.v1', 0, 2, 10, ALL))).toEqual([2]);
  });

  it('never gives other records than the log has from there on, whatever it has forgotten', () => {
    const sizes = fc.array(fc.nat({ max: 60 }), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, fc.nat({ max: 70 }), (all, from) => {
        const recent = createRecent(200);
        const log = all.map((bytes, offset) => record(offset, bytes));
        for (const each of log) recent.add([each]);
        const read = recent.read('projected.v1', 0, from, ALL, ALL);
        if (read !== null) expect(read).toEqual(log.slice(from));
        else expect(all.length === 0 || from < all.length).toBe(true);
      }),
    );
  });
});
