import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import type { RecordToEncode } from '../../src/bus/kafka/encode-record.js';
import { createBytesWriter } from '../../src/bus/kafka/wire/bytes-writer.js';
import { crc32c } from '../../src/bus/kafka/wire/crc32c.js';
import { writeProduce, type ProduceRequest } from '../../src/bus/kafka/wire/produce-request.js';

// In this file nothing else loads kafkajs, so this is its own encoder.
const kafkajsProduce = createRequire(import.meta.url)('kafkajs/src/protocol/requests/produce/v7/request') as (
  request: ProduceRequest,
) => { encode(): Promise<{ readonly buffer: Buffer }> };

const NOW = 1_700_000_000_007;

afterEach(() => void vi.restoreAllMocks());

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const headerName = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((name) => name !== '__proto__');
const headerValue = fc.oneof(
  bytes,
  fc.string({ unit: 'grapheme', maxLength: 80 }).map((text) => text.toWellFormed()),
);
const record: fc.Arbitrary<RecordToEncode> = fc.record({
  key: fc.option(bytes),
  value: fc.option(bytes),
  headers: fc.dictionary(headerName, fc.oneof(headerValue, fc.array(headerValue, { maxLength: 3 })), {
    maxKeys: 6,
  }),
});
const request: fc.Arbitrary<ProduceRequest> = fc.record<ProduceRequest & { transactionalId: string | null }>({
  acks: fc.constant(-1),
  transactionalId: fc.option(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((id) => id.toWellFormed()),
  ),
  producerId: fc.maxSafeNat().map(String),
  producerEpoch: fc.nat(2 ** 15 - 1),
  topicData: fc.array(
    fc.record({
      topic: fc.string({ unit: 'grapheme', maxLength: 20 }).map((name) => name.toWellFormed()),
      partitions: fc.array(
        fc.record({
          partition: fc.nat(100),
          firstSequence: fc.nat(2 ** 31 - 1),
          messages: fc.array(record, { minLength: 1, maxLength: 5 }),
        }),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 3 },
  ),
});

async function expectSame(each: ProduceRequest): Promise<void> {
  vi.spyOn(Date, 'now').mockReturnValue(NOW);
  const theirs = (await kafkajsProduce({ timeout: 30_000, ...each }).encode()).buffer;
  const body = createBytesWriter(1);
  writeProduce(body, each, NOW);
  expect(body.done().equals(theirs)).toBe(true);
}

it('given any records, when they are written, then the bytes are those that kafkajs writes', async () => {
  await fc.assert(fc.asyncProperty(request, expectSame));
});

it.each<[string, RecordToEncode[]]>([
  ['a record without headers', [{ key: 'run-1', value: null }]],
  [
    'a record of a megabyte',
    [{ key: Buffer.from('k'), value: Buffer.alloc(1 << 20, 7), headers: { a: 'b' } }],
  ],
  [
    'texts whose bytes are around 64, where a length takes two bytes',
    [20, 21, 22].map((n) => ({
      key: '网'.repeat(n),
      value: null,
      headers: { ['关'.repeat(n)]: '网'.repeat(n) },
    })),
  ],
  ['more records than a byte counts', Array.from({ length: 300 }, () => ({ key: 'k', value: 'v' }))],
])('given %s, when it is written, then the bytes are those that kafkajs writes', async (_, messages) => {
  const topicData = [{ topic: 't', partitions: [{ partition: 0, firstSequence: 0, messages }] }];
  await expectSame({ acks: -1, producerId: '7', topicData });
});

it('sums up as CRC-32C is defined, whatever the length and the place', () => {
  expect(crc32c(Buffer.from('123456789'), 0, 9)).toBe(0xe3069283);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (array, from) => {
      const start = Math.min(from, array.length);
      expect(crc32c(array, start, array.length)).toBe(bitByBit(array.subarray(start)));
    }),
  );
});

function bitByBit(array: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of array) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}
