import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { murmur2, partitionOf } from '../../src/contracts/partition.js';

describe('murmur2', () => {
  // The vectors of Kafka's own tests.
  test.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('of %s is that of the Java client', (text, hash) => {
    expect(murmur2(Buffer.from(text))).toBe(hash);
  });

  test('takes bytes as unsigned, also in the rest', () => {
    expect(murmur2(new Uint8Array())).toBe(275646681);
    expect(murmur2(Uint8Array.of(0xff, 0x80, 0xfe, 0x81, 0xfd, 0x90, 0xa0))).toBe(-65041970);
  });
});

describe('the partition of a run', () => {
  test.each([
    ['run-1', 12, 1],
    ['abc', 12, 3],
    ['foobar', 12, 6],
    ['a-little-bit-longer-string', 12, 11],
    ['a-little-bit-long-string', 3, 2],
    ['运行-1', 12, 1],
  ])('of %s among %i is %i: UTF-8, and the sign bit cleared', (runId, partitions, partition) => {
    expect(partitionOf(runId, partitions)).toBe(partition);
  });

  test('is one that there is, always the same, and all of them are used', () => {
    const seen = new Set<number>();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 1000 }), (runId, partitions) => {
        const partition = partitionOf(runId, partitions);
        expect(Number.isInteger(partition) && partition >= 0 && partition < partitions).toBe(true);
        expect(partitionOf(runId, partitions)).toBe(partition);
      }),
    );
    for (let i = 0; i < 500; i++) seen.add(partitionOf(`run-${i}`, 12));
    expect(seen.size).toBe(12);
  });
});
