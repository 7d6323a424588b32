import { describe, expect, test } from 'vitest';
import { decodeRecord, type RecordContext } from '../../src/bus/kafka/decode-record.js';
import { toStoredRecord } from '../../src/bus/kafka/records.js';
import { long } from '../support/avro-bytes.js';

const CONTEXT: RecordContext = {
  firstOffset: '1000',
  firstTimestamp: '1700000000000',
  maxTimestamp: '1700000009999',
  timestampType: 0,
  isControlBatch: false,
  producerId: '-1',
  inTransaction: false,
};

/** Numbers are zigzag varints, as Avro's. */
function bytes(value: Buffer | string | null): Buffer[] {
  return value === null ? [long(-1)] : [long(Buffer.byteLength(value)), Buffer.from(value)];
}

function record(headers: readonly (readonly [string, Buffer | string | null])[], value = 'value'): Buffer {
  const fields = [Buffer.from([0]), long(7), long(3), ...bytes('key'), ...bytes(value), long(headers.length)];
  return Buffer.concat([...fields, ...headers.flatMap(([name, text]) => [...bytes(name), ...bytes(text)])]);
}

const decode = (buffer: Buffer, context = CONTEXT): ReturnType<typeof toStoredRecord> =>
  toStoredRecord('raw-hits.v1', 0, decodeRecord({ buffer }, context));

describe('a record of a batch', () => {
  test('has its offset and time by those of its batch', () => {
    expect(decode(record([['name', 'text']]))).toEqual({
      ...{ topic: 'raw-hits.v1', partition: 0, offset: 1003, timestamp: 1_700_000_000_007 },
      ...{ key: Buffer.from('key'), value: Buffer.from('value'), headers: { name: 'text' } },
    });
    expect(decode(record([]), { ...CONTEXT, timestampType: 1 }).timestamp).toBe(1_700_000_009_999);
  });

  test('may have neither key nor value', () => {
    const buffer = Buffer.concat([Buffer.from([0]), long(0), long(0), long(-1), long(-1), long(0)]);
    expect(decode(buffer)).toMatchObject({ key: null, value: null, headers: {} });
  });

  test('given headers that are null, come twice, or have names that objects have, it keeps them', () => {
    const headers = decode(
      record([
        ['null', null],
        ['twice', 'first'],
        ['twice', 'last'],
        ['null twice', null],
        ['null twice', null],
        ['__proto__', 'p'],
        ['constructor', 'c'],
        ['', 'no name'],
      ]),
    ).headers;
    expect(Object.entries(headers)).toEqual([
      ['null', ''],
      ['twice', 'last'],
      ['null twice', ''],
      ['__proto__', 'p'],
      ['constructor', 'c'],
      ['', 'no name'],
    ]);
  });

  test.each<[string, (i: number) => string]>([
    ['different', (i) => `h${i}`],
    ['equal', () => 'h'],
  ])(
    'given 300,000 headers of %s names, they are read one after the other',
    (_, name) => {
      const many = record(Array.from({ length: 300_000 }, (__, i) => [name(i), 'v'] as const));
      // Copying what was read for each further one would take minutes, longer than a test may.
      expect(decode(many)).toBeDefined();
    },
    60_000,
  );

  test('given one cut off anywhere, it is an error', () => {
    const whole = record([['name', 'text']]);
    for (let length = 0; length < whole.length; length++)
      expect(() => decode(whole.subarray(0, length))).toThrow('ends in the middle');
  });

  test('given lengths that are negative, or endless numbers, it is an error', () => {
    const start = [Buffer.from([0]), long(0), long(0)];
    expect(() => decode(Buffer.concat([...start, long(-2)]))).toThrow('ends in the middle');
    expect(() => decode(Buffer.concat([...start, Buffer.alloc(20, 0xff)]))).toThrow('ten bytes');
    expect(() => decode(Buffer.concat([...start, long(-1), long(-1), long(2n ** 40n)]))).toThrow('middle');
  });
});
