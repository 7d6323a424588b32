import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeRecordBatch, type DecodedBatch } from '../../src/bus/kafka/decode-record-batch.js';
import { decodeRecords, type RecordContext } from '../../src/bus/kafka/decode-record.js';
import { toStoredRecord } from '../../src/bus/kafka/records.js';
import { createBytesWriter } from '../../src/bus/kafka/wire/bytes-writer.js';
import { writeProduce } from '../../src/bus/kafka/wire/produce-request.js';
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

const decode = (buffer: Buffer, context = CONTEXT): ReturnType<typeof toStoredRecord> => {
  const [decoded] = decodeRecords(Buffer.concat([long(buffer.length), buffer]), 0, 1, context);
  return toStoredRecord('raw-hits.v1', 0, decoded!);
};

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

  test('given header values that are no UTF-8, it keeps each byte; what is, stays as it is', () => {
    const { headers } = decode(
      record([
        ['bytes', Buffer.from([0xff, 0x41])],
        ['replaced', '\ufffd'],
        ['mark', '\ufeffx'],
        ['网关', '网关'],
      ]),
    );
    expect(headers).toEqual({ bytes: 'ÿA', replaced: '\ufffd', mark: '\ufeffx', 网关: '网关' });
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

describe('a batch', () => {
  const NOW = 1_700_000_000_007;
  const messages = ['a', 'b'].map((value) => ({ key: 'k', value, headers: { name: value } }));

  function written(transactionalId: string | null): Buffer {
    const body = createBytesWriter();
    const topicData = [{ topic: 't', partitions: [{ partition: 0, messages }] }];
    writeProduce(body, { acks: -1, transactionalId, producerId: '77', topicData }, NOW);
    const bytes = body.done();
    return bytes.subarray(bytes.length - bytes.readInt32BE(bytes.indexOf('t') + 9));
  }

  async function decodeAll(batches: Buffer): Promise<DecodedBatch[]> {
    const cursor = { buffer: batches, offset: 0 };
    const decoded: DecodedBatch[] = [];
    while (cursor.offset < batches.length) decoded.push(await decodeRecordBatch(cursor));
    return decoded;
  }

  /** The same batch with its records packed by gzip, and the bits set in its attributes. */
  function changed(batch: Buffer, bits: number, pack = (records: Buffer): Buffer => records): Buffer {
    const whole = Buffer.concat([batch.subarray(0, 61), pack(batch.subarray(61))]);
    whole.writeBigInt64BE(1000n, 0);
    whole.writeInt32BE(whole.length - 12, 8);
    whole.writeInt16BE(whole.readInt16BE(21) | bits, 21);
    return whole;
  }

  const stored = ({ records }: DecodedBatch): unknown[] =>
    records.map((each) => toStoredRecord('raw-hits.v1', 0, each));

  test('that is written is read again, one behind the other', async () => {
    const [first, second] = await decodeAll(Buffer.concat([written(null), changed(written('lane'), 0)]));
    expect(stored(first!)).toMatchObject([
      { offset: 0, timestamp: NOW, headers: { name: 'a' }, value: Buffer.from('a') },
      { offset: 1, timestamp: NOW, headers: { name: 'b' }, value: Buffer.from('b') },
    ]);
    expect(first).toMatchObject({ producerId: '77', inTransaction: false, lastOffsetDelta: 1 });
    expect(second).toMatchObject({ firstOffset: '1000', inTransaction: true, isControlBatch: false });
    expect(stored(second!)).toMatchObject([{ offset: 1000 }, { offset: 1001 }]);
  });

  test('that is packed is unpacked, and one of markers says so', async () => {
    const [packed, markers] = await decodeAll(
      Buffer.concat([changed(written(null), 1, gzipSync), changed(written('lane'), 32 | 8)]),
    );
    expect(stored(packed!)).toMatchObject([{ value: Buffer.from('a') }, { value: Buffer.from('b') }]);
    expect(markers).toMatchObject({ isControlBatch: true, timestampType: 1 });
    expect(markers!.records.every(({ isControlRecord }) => isControlRecord)).toBe(true);
  });

  test('that says it has more records than it holds is an error', () => {
    const batch = written(null);
    batch.writeInt32BE(2 ** 31 - 1, 57);
    expect(() => decodeRecordBatch({ buffer: batch, offset: 0 })).toThrow('ends in the middle');
  });
});
