import { describe, expect, test } from 'vitest';
import { createCodec } from '../../src/contracts/codec.js';
import type { LedgerEntry } from '../../src/contracts/generated.js';
import { topics } from '../../src/contracts/topics.js';
import { header, long, NULL, string } from '../support/avro-bytes.js';
import { refusal } from '../support/refusal.js';

const codec = createCodec();
const LEDGER = 'ledger.v1';

function decoding(value: Buffer, topic: Parameters<typeof codec.decode>[0] = LEDGER): () => unknown {
  return () => codec.decode(topic, value);
}

/** A ledger entry up to where its blocks begin. */
const BEFORE_BLOCKS = Buffer.concat([
  header(5),
  string('event'),
  NULL,
  string('run-1'),
  long(1),
  string('call-1'),
  string('tool'),
  long(0),
  string('event'),
  string('sha'),
  long(1),
  NULL,
  NULL,
]);
const EMPTY = long(0);
const SIGNATURE = Buffer.concat([string('key'), string('value')]);
const BLOCK = Buffer.concat([string('d'), string('c')]);

/** A whole entry with these bytes where its blocks are. */
function entryWith(blocks: readonly Buffer[], ext: readonly Buffer[] = [EMPTY]): Buffer {
  return Buffer.concat([BEFORE_BLOCKS, ...blocks, EMPTY, EMPTY, NULL, NULL, long(9), SIGNATURE, ...ext]);
}

describe('decoding what is made to exhaust the reader', () => {
  test('given blocks as other writers write them, reads them', () => {
    const one = { documentId: 'd', content: 'c' };
    const blocksOf = (...blocks: Buffer[]): LedgerEntry['blocks'] =>
      codec.decode(LEDGER, entryWith(blocks)).blocks;
    expect(blocksOf(EMPTY)).toEqual([]);
    expect(blocksOf(long(1), BLOCK, long(2), BLOCK, BLOCK, EMPTY)).toEqual([one, one, one]);
    expect(blocksOf(long(-2), long(BLOCK.length * 2), BLOCK, BLOCK, EMPTY)).toEqual([one, one]);
    const ext = [long(-1), long(4), string('a'), string('b'), long(1), string('c'), string('d'), EMPTY];
    expect(codec.decode(LEDGER, entryWith([EMPTY], ext)).ext).toEqual({ a: 'b', c: 'd' });
  });

  const counts = [
    2 ** 20,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 32,
    2 ** 40,
    2 ** 53,
    2n ** 62n,
    -(2n ** 62n),
    -(2n ** 63n),
  ];
  test.each(counts)('given an array or a map of %d items in few bytes, refuses it at once', (count) => {
    const started = performance.now();
    for (const size of count < 0 ? [[long(0)], [long(BLOCK.length)], [long(-5)], [long(2n ** 61n)]] : [[]]) {
      const bombs = [
        entryWith([long(count), ...size, BLOCK]),
        Buffer.concat([BEFORE_BLOCKS, long(count), ...size]),
        entryWith([EMPTY], [long(count), ...size, string('a'), string('b')]),
        // Each of the items is there, but says that it holds as many bytes.
        entryWith([long(3), long(count), long(count), long(count)]),
      ];
      for (const bomb of bombs) expect(decoding(bomb)).toThrow(refusal('PL_RECORD_UNDECODABLE'));
    }
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test.each([-1, -2, 2 ** 31, 2 ** 32 + 5, 2n ** 62n, -(2n ** 63n)])(
    'given a text of %d bytes, refuses it',
    (length) => {
      expect(decoding(Buffer.concat([header(5), long(length), Buffer.alloc(100)]))).toThrow(
        refusal('PL_RECORD_UNDECODABLE'),
      );
    },
  );

  test('given a block that says another size than it has, refuses it', () => {
    expect(decoding(entryWith([long(-1), long(BLOCK.length + 1), BLOCK, EMPTY]))).toThrow(
      refusal('PL_RECORD_UNDECODABLE'),
    );
  });

  test('given a number that never ends, refuses it', () => {
    for (const length of [11, 1000, 1_000_000]) {
      expect(decoding(Buffer.concat([header(5), Buffer.alloc(length, 0xff)]))).toThrow(
        refusal('PL_RECORD_UNDECODABLE'),
      );
    }
  });

  test('given an int that is none, a branch or a symbol that there is not, refuses it', () => {
    const done = (partition: Buffer): Buffer =>
      Buffer.concat([
        header(16),
        string('e'),
        NULL,
        string('r'),
        long(1),
        string('d'),
        string('p'),
        string('t'),
        partition,
      ]);
    expect(codec.decode('dead-letter-done.v1', done(long(2 ** 31 - 1))).to.partition).toBe(2 ** 31 - 1);
    for (const wrong of [2 ** 31, -(2 ** 31) - 1, 2n ** 62n])
      expect(decoding(done(long(wrong)), 'dead-letter-done.v1')).toThrow(refusal('PL_RECORD_UNDECODABLE'));
    for (const branch of [2, -1, 2 ** 40])
      expect(decoding(Buffer.concat([header(5), string('e'), long(branch), Buffer.alloc(200)]))).toThrow(
        refusal('PL_RECORD_UNDECODABLE'),
      );
    const upToState = BEFORE_BLOCKS.indexOf(string('tool')) + 5;
    for (const symbol of [3, -1, 2 ** 40]) {
      const value = Buffer.concat([BEFORE_BLOCKS.subarray(0, upToState), long(symbol), Buffer.alloc(200)]);
      expect(decoding(value)).toThrow(refusal('PL_RECORD_UNDECODABLE', 'symbol'));
    }
  });

  test('given a long that is not exact as a number, refuses it', () => {
    for (const offset of [2n ** 52n, -(2n ** 52n) - 1n, 2n ** 53n, -(2n ** 53n), 2n ** 62n]) {
      const value = entryWith([EMPTY]);
      const at = BEFORE_BLOCKS.length - 3;
      const wrong = Buffer.concat([value.subarray(0, at), long(offset), value.subarray(at + 1)]);
      expect(decoding(wrong)).toThrow(refusal('PL_RECORD_UNDECODABLE', 'not exact'));
    }
  });

  test('given the largest record of the smallest items, takes a bounded multiple of its size', () => {
    const items = 2_000_000;
    const rest = [EMPTY, long(items), Buffer.alloc(2 * items), EMPTY, NULL, NULL, long(9), SIGNATURE, EMPTY];
    const value = Buffer.concat([BEFORE_BLOCKS, EMPTY, ...rest]);
    expect(value.length).toBeLessThan(topics[LEDGER].maxBytes);
    const before = process.memoryUsage().heapUsed;
    expect(codec.decode(LEDGER, value).cuts).toHaveLength(items);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * value.length);
  });

  test("given a map with the key __proto__, nobody's prototype changes", () => {
    const ext = [long(2), string('__proto__'), string('x'), string('a'), string('b'), EMPTY];
    const { ext: decoded } = codec.decode(LEDGER, entryWith([EMPTY], ext));
    expect(decoded).toEqual({ a: 'b' });
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
  });
});
