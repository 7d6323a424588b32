import type { TopicName } from '../../src/contracts/topics.js';

/** Values that no topic carries, by what is wrong with them. `good` is one that it carries. */
export function malformedValues(good: Buffer): readonly (readonly [name: string, value: Buffer | null])[] {
  const withHeader = (magic: number, id: number, body: Buffer): Buffer => {
    const header = Buffer.alloc(5);
    header.writeUInt8(magic, 0);
    header.writeUInt32BE(id, 1);
    return Buffer.concat([header, body]);
  };
  const id = good.readUInt32BE(1);
  const body = good.subarray(5);
  return [
    ['no value', null],
    ['empty', Buffer.alloc(0)],
    ...[1, 2, 3, 4].map((bytes) => [`${bytes} bytes`, good.subarray(0, bytes)] as const),
    ['a header alone', good.subarray(0, 5)],
    ['a wrong magic byte', withHeader(1, id, body)],
    ['JSON', Buffer.from('{"run_id":"run-1"}')],
    ['an unknown schema', withHeader(0, 77, body)],
    ["another topic's schema", withHeader(0, id + 1, body)],
    ['truncated in the middle', good.subarray(0, Math.floor(good.length / 2))],
    ['truncated by a byte', good.subarray(0, -1)],
    ['a trailing byte', Buffer.concat([good, Buffer.from([0])])],
    ['a text of 2^62 bytes', withHeader(0, id, varint(2n ** 62n))],
    ['a text of a negative length', withHeader(0, id, varint(-8n))],
    ['a number that never ends', withHeader(0, id, Buffer.alloc(64, 0xff))],
    // The map of `ext` stands at the end: an array or map of very many items that take no bytes.
    ['a huge count of items', Buffer.concat([good.subarray(0, -1), varint(2n ** 40n)])],
    [
      'a huge count of items of no bytes',
      Buffer.concat([good.subarray(0, -1), varint(2n ** 40n), Buffer.alloc(64)]),
    ],
  ];
}

/** Avro's long. */
function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)); ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

/** A station that reads a topic; the audit-sink reads some of them beside another. */
export const READERS: Readonly<Partial<Record<TopicName, readonly string[]>>> = {
  'lookup-requested.v1': ['retrieve'],
  'raw-hits.v1': ['postprocess'],
  'postprocessed.v1': ['project'],
  'draft-submitted.v1': ['guard'],
  'verdict.v1': ['review', 'audit-sink'],
  'review-decision.v1': ['review'],
  'tool-invocation.v1': ['audit-sink'],
  'projected.v1': ['audit-sink'],
  'reviewed.v1': ['audit-sink'],
  'repair-requested.v1': ['audit-sink'],
  'verified.v1': ['audit-sink'],
};
