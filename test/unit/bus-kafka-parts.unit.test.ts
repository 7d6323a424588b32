import { describe, expect, test } from 'vitest';
import { isFenced } from '../../src/bus/kafka/kafka-errors.js';
import { createDecodeMessages, type KafkaDecoder } from '../../src/bus/kafka/decode-batches.js';
import { withoutAborted, type FetchedRecord } from '../../src/bus/kafka/read-committed.js';
import { configProblems, topicConfig } from '../../src/bus/kafka/topics.js';
import { topicNames } from '../../src/contracts/topics.js';

const ABORT = Buffer.from([0, 0, 0, 0]);
const COMMIT = Buffer.from([0, 0, 0, 1]);

function record(offset: number, producerId: string, more: Partial<FetchedRecord> = {}): FetchedRecord {
  return {
    offset: String(offset),
    key: Buffer.from('k'),
    value: Buffer.from('v'),
    headers: {},
    timestamp: '1',
    isControlRecord: false,
    batchContext: { producerId, inTransaction: true },
    ...more,
  };
}

const marker = (offset: number, producerId: string, key: Buffer): FetchedRecord =>
  record(offset, producerId, { key, isControlRecord: true });

function offsetsOf(records: readonly FetchedRecord[]): number[] {
  return records.filter((each) => !each.isControlRecord).map(({ offset }) => Number(offset));
}

describe('reading committed', () => {
  test('given aborted transactions that overlap, in any order of the answer, none of their records is left', () => {
    const records = [
      record(0, 'a'),
      record(1, 'b'),
      record(2, 'a'),
      marker(3, 'b', ABORT),
      marker(4, 'a', ABORT),
      record(5, 'c'),
    ];
    const aborted = [
      { producerId: 'b', firstOffset: '1' },
      { producerId: 'a', firstOffset: '0' },
    ];
    expect(offsetsOf(withoutAborted(records, aborted))).toEqual([5]);
    expect(offsetsOf(withoutAborted(records.slice(2), aborted))).toEqual([5]);
  });

  test('given a producer that aborted and then committed, only the aborted records are taken away', () => {
    const records = [record(0, 'a'), marker(1, 'a', ABORT), record(2, 'a'), marker(3, 'a', COMMIT)];
    expect(offsetsOf(withoutAborted(records, [{ producerId: 'a', firstOffset: '0' }]))).toEqual([2]);
  });

  test('given a record whose key looks like an abort marker, it ends no transaction', () => {
    const records = [record(0, 'a', { key: ABORT }), record(1, 'a'), marker(2, 'a', ABORT)];
    expect(offsetsOf(withoutAborted(records, [{ producerId: 'a', firstOffset: '0' }]))).toEqual([]);
  });

  test('given a record outside of transactions of the same producer id, it stays', () => {
    const outside = record(1, 'a', { batchContext: { producerId: 'a', inTransaction: false } });
    expect(
      offsetsOf(withoutAborted([record(0, 'a'), outside], [{ producerId: 'a', firstOffset: '0' }])),
    ).toEqual([1]);
  });
});

describe('decoding a fetched record set', () => {
  const decodeOf = (
    batches: { firstOffset: string; lastOffsetDelta: number; records: { offset: string }[] }[],
  ) => {
    let left = batches.length;
    const header = Buffer.alloc(61);
    header.writeInt32BE(49, 8);
    header.writeInt8(2, 16);
    const decoder: KafkaDecoder = {
      buffer: header,
      offset: 0,
      readInt32: () => header.length,
      readBytes: () => header,
      canReadBytes: () => left > 0,
    };
    return createDecodeMessages({
      newDecoder: () => decoder,
      decodeMessageSet: () => [],
      decodeRecordBatch: () => {
        const { records, ...batch } = batches[batches.length - left--]!;
        return Promise.resolve({
          ...batch,
          records: records.map((each) => ({ key: null, value: null, ...each })),
        });
      },
    })(decoder) as Promise<FetchedRecord[]>;
  };

  test('given a batch that compaction emptied, its last offset is known and nothing is handed out', async () => {
    const [holder, ...others] = await decodeOf([{ firstOffset: '10', lastOffsetDelta: 5, records: [] }]);
    expect(others).toEqual([]);
    expect(holder).toMatchObject({ offset: '15', isControlRecord: true, value: null });
  });

  test('given a batch whose last records compaction took, the position moves past them', async () => {
    const records = await decodeOf([{ firstOffset: '10', lastOffsetDelta: 5, records: [{ offset: '11' }] }]);
    expect(records.map(({ offset }) => offset)).toEqual(['11', '15']);
  });

  test('given more records than a call takes arguments, all are there', async () => {
    const many = Array.from({ length: 200_000 }, (_, i) => ({ offset: String(i) }));
    expect(await decodeOf([{ firstOffset: '0', lastOffsetDelta: 199_999, records: many }])).toHaveLength(
      200_000,
    );
  });
});

describe('errors', () => {
  test.each([45, 47, 49, 59])('code %i, also as a cause, says that another owner has taken over', (code) => {
    expect(isFenced(Object.assign(new Error('x'), { code }))).toBe(true);
    expect(isFenced(new Error('x', { cause: Object.assign(new Error('y'), { code }) }))).toBe(true);
  });

  test('so does code 90, which kafkajs does not know; other unknown ones do not', () => {
    expect(isFenced(Object.assign(new Error('Unknown error code 90'), { code: -99 }))).toBe(true);
    expect(isFenced(Object.assign(new Error('Unknown error code 91'), { code: -99 }))).toBe(false);
    expect(isFenced(Object.assign(new Error('x'), { code: 51 }))).toBe(false);
    expect(isFenced(null)).toBe(false);
  });
});

describe('settings of a topic that is there', () => {
  test.each(topicNames)('%s: those that we make are fine, and so are more generous ones', (topic) => {
    const made = topicConfig(topic);
    expect(configProblems(topic, (name) => made[name] ?? '')).toEqual([]);
    const generous: Record<string, string> = {
      ...made,
      'retention.ms': '-1',
      'max.message.bytes': '100000000',
    };
    expect(configProblems(topic, (name) => generous[name] ?? '')).toEqual([]);
  });

  test.each([
    ['ledger.v1', 'cleanup.policy', 'delete'],
    ['verdict.v1', 'retention.ms', '1000'],
    ['tool-invocation.v1', 'retention.ms', '604800000'],
    ['dead-letter.v1', 'max.message.bytes', '1048588'],
  ] as const)('%s with %s=%s is refused', (topic, name, value) => {
    const found: Record<string, string> = { ...topicConfig(topic), [name]: value };
    const problems = configProblems(topic, (each) => found[each] ?? '');
    expect(problems).toEqual([expect.stringContaining(`${name}=${value}`)]);
  });
});
