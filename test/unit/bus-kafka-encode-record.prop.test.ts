import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeRecord, type RecordToEncode } from '../../src/bus/kafka/encode-record.js';

// In this file nothing else loads kafkajs, so this is its own encoder.
const kafkajsRecord = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/record/v0') as (
  record: RecordToEncode,
) => { readonly buffer: Buffer };

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const headerName = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((name) => name !== '__proto__');
const headerValue = fc.oneof(
  bytes,
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.toWellFormed()),
);
const record: fc.Arbitrary<RecordToEncode> = fc.record({
  offsetDelta: fc.oneof(fc.nat(600), fc.nat(2 ** 28)),
  timestampDelta: fc.oneof(
    fc.integer({ min: -500, max: 500 }),
    fc.maxSafeNat().map((n) => Math.floor(n / 4)),
  ),
  key: fc.option(bytes),
  value: fc.option(bytes),
  headers: fc.dictionary(headerName, fc.oneof(headerValue, fc.array(headerValue, { maxLength: 3 })), {
    maxKeys: 6,
  }),
});

it('given any record, when it is encoded, then its bytes are those that kafkajs writes', () => {
  fc.assert(
    fc.property(record, (each) => {
      expect(encodeRecord(each).toString('hex')).toBe(kafkajsRecord(each).buffer.toString('hex'));
    }),
  );
});

it('given a record without headers and deltas, when it is encoded, then they are taken for none and 0', () => {
  const bare = { key: 'run-1', value: null };
  expect(encodeRecord(bare)).toEqual(kafkajsRecord(bare).buffer);
});

it('given a record of a megabyte, when it is encoded, then its bytes are those that kafkajs writes', () => {
  const large = { key: Buffer.from('k'), value: Buffer.alloc(1 << 20, 7), headers: { a: 'b' } };
  expect(encodeRecord(large).equals(kafkajsRecord(large).buffer)).toBe(true);
});
