import { createRequire } from 'node:module';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compressions, isKnownCodec, kafkaCodecs } from '../../src/bus/kafka/compression.js';
import {
  createDecodeMessages,
  unreadableIn,
  type DecodeParts,
  type KafkaDecoder,
} from '../../src/bus/kafka/decode-batches.js';

/** They write here, and are no use for reading: a few hostile bytes make them run for ever. */
const require = createRequire(import.meta.url);
const snappy = require('snappyjs') as { compress(bytes: Buffer): Buffer };
const lz4 = require('lz4js') as { compress(bytes: Buffer): Uint8Array };

const LIMIT = 1024 * 1024;
const { 1: gzip, 2: snappyCodec, 3: lz4Codec, 4: zstdCodec } = compressions;

function uint32(value: number, endian: 'BE' | 'LE'): Buffer {
  const bytes = Buffer.alloc(4);
  if (endian === 'BE') bytes.writeUInt32BE(value);
  else bytes.writeUInt32LE(value);
  return bytes;
}

/** As the Java client frames it. */
function xerial(...blocks: Buffer[]): Buffer {
  const header = Buffer.concat([Buffer.from('82534e4150505900', 'hex'), uint32(1, 'BE'), uint32(1, 'BE')]);
  const framed = blocks.flatMap((block) => {
    const packed = snappy.compress(block);
    return [uint32(packed.length, 'BE'), packed];
  });
  return Buffer.concat([header, ...framed]);
}

type ZstdBlock = { raw: Buffer } | { byte: number; times: number };

/** A frame of blocks that are not packed, or repeat a byte. */
function zstd(blocks: readonly ZstdBlock[], windowLog = 21): Buffer {
  const parts = blocks.map((block, i) => {
    const [type, size] = 'raw' in block ? [0, block.raw.length] : [1, block.times];
    const header = uint32(((size << 3) | (type << 1) | (i === blocks.length - 1 ? 1 : 0)) >>> 0, 'LE');
    return [header.subarray(0, 3), 'raw' in block ? block.raw : Buffer.from([block.byte])];
  });
  const head = [uint32(0xfd2fb528, 'LE'), Buffer.from([0, (windowLog - 10) << 3])];
  return Buffer.concat([...head, ...parts.flat()]);
}

const packers: [string, number, (bytes: Buffer) => Buffer][] = [
  ['gzip', 1, (bytes) => zlib.gzipSync(bytes)],
  ['snappy', 2, (bytes) => snappy.compress(bytes)],
  ['snappy of Java', 2, (bytes) => xerial(bytes.subarray(0, 1000), bytes.subarray(1000))],
  ['lz4', 3, (bytes) => Buffer.from(lz4.compress(bytes))],
  ['zstd', 4, (bytes) => zstd([{ raw: bytes.subarray(0, 100_000) }, { raw: bytes.subarray(100_000) }])],
];

const unpack = (codec: number, packed: Buffer, limit = LIMIT): Promise<Buffer> =>
  kafkaCodecs(limit)[codec]!().decompress(packed);

/** Repetitive in parts, so that the packers find what to repeat, near and far. */
const texts = fc
  .array(
    fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom('abc', 'aaaaaaaaaaaaaaaa', 'long '.repeat(300))),
    {
      maxLength: 200,
    },
  )
  .map((parts) => Buffer.from(parts.join('')));

describe.each(packers)('%s', (_, codec, pack) => {
  test('unpacks what was packed', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (bytes) => {
        expect((await unpack(codec, pack(bytes))).equals(bytes)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('given one byte more than the limit, it is refused', async () => {
    const bytes = Buffer.alloc(120_000, 'ab');
    expect(await unpack(codec, pack(bytes), bytes.length)).toHaveLength(bytes.length);
    await expect(unpack(codec, pack(bytes), bytes.length - 1)).rejects.toThrow('it is over 119999 bytes');
  });

  test('given it cut off or changed anywhere, it ends soon, with an error or within the limit', async () => {
    const packed = pack(Buffer.from(`${'abcd'.repeat(500)}${'x'.repeat(3000)}end`));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(packed.length),
        fc.array(fc.tuple(fc.nat(packed.length - 1), fc.nat(255)), { maxLength: 4 }),
        async (length, changes) => {
          const spoiled = Buffer.from(packed);
          for (const [at, byte] of changes) spoiled[at] = byte;
          const [outcome] = await Promise.allSettled([unpack(codec, spoiled.subarray(0, length), 8192)]);
          if (outcome.status === 'fulfilled') expect(outcome.value.length).toBeLessThanOrEqual(8192);
          else expect((outcome.reason as Error).message).toContain('cannot be unpacked');
        },
      ),
      { numRuns: 500 },
    );
  });

  test('given nothing, or random bytes, it is no crash', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        await Promise.allSettled([unpack(codec, Buffer.from(bytes))]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a bomb', () => {
  const BIG = 64 * LIMIT;
  test.each<[string, number, Buffer]>([
    ['gzip', 1, zlib.gzipSync(Buffer.alloc(BIG))],
    ['snappy that claims it', 2, Buffer.concat([Buffer.from('ffffffff0f', 'hex'), Buffer.alloc(10)])],
    ['framed snappy', 2, xerial(...Array.from({ length: 64 }, () => Buffer.alloc(32_000)))],
    ['lz4', 3, Buffer.from(lz4.compress(Buffer.alloc(BIG)))],
    ['zstd', 4, zstd(Array.from({ length: 512 }, () => ({ byte: 0, times: 128 * 1024 })))],
  ])('%s is refused, and takes no time', async (_, codec, packed) => {
    const started = performance.now();
    await expect(unpack(codec, packed)).rejects.toThrow(`it is over ${LIMIT} bytes`);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test('a block of LZ4 may not hold more than its frame says, however large the limit', () => {
    const sequence = Buffer.concat([
      Buffer.from([0x1f, 0x61, 1, 0]),
      Buffer.alloc(10_000, 255),
      Buffer.from([0]),
    ]);
    const header = Buffer.from('04224d186040', 'hex');
    const frame = [header, Buffer.from([0x82]), uint32(sequence.length, 'LE'), sequence, uint32(0, 'LE')];
    expect(() => lz4Codec.unpack(Buffer.concat(frame), 100 * LIMIT)).toThrow('more than it may');
  });

  test('snappy whose literal would go backwards ends', () => {
    const packed = Buffer.from([100, 0, 65, 0xfc, 0xf8, 0xff, 0xff, 0xff, 65, 65, 65, 65]);
    expect(() => snappyCodec.unpack(packed, LIMIT)).toThrow('cut off');
  });

  test('a window of 2 GiB for a few bytes takes no such memory', () => {
    const before = process.memoryUsage().arrayBuffers;
    expect(zstdCodec.unpack(zstd([{ raw: Buffer.from('few') }], 31), LIMIT).toString()).toBe('few');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * LIMIT);
  });

  test('very many tiny blocks of Zstandard are refused before the work', () => {
    const blocks = Array.from({ length: 300_000 }, () => ({ raw: Buffer.from('x') }));
    expect(() => zstdCodec.unpack(zstd(blocks), LIMIT)).toThrow('blocks would take too long');
  });
});

test('nothing is compressed', async () => {
  for (const make of Object.values(kafkaCodecs()))
    await expect(make().compress(null)).rejects.toThrow('only read');
  expect(gzip.name).toBe('gzip');
  expect([0, 1, 2, 3, 4, 5, 6, 7].filter(isKnownCodec)).toEqual([0, 1, 2, 3, 4]);
});

describe('batches that cannot be read', () => {
  interface Batch {
    readonly first: number;
    readonly codec?: number;
    readonly records?: number;
    readonly length?: number;
    /** What decoding it throws. */
    readonly error?: Error;
    /** Bytes of its one record. */
    readonly bytes?: number;
  }

  function headerOf({ first, codec = 0, records = 1, length = 49 }: Batch): Buffer {
    const header = Buffer.alloc(61);
    header.writeBigInt64BE(BigInt(first), 0);
    header.writeInt32BE(length, 8);
    header.writeInt8(2, 16);
    header.writeInt16BE(codec, 21);
    header.writeInt32BE(9, 23);
    header.writeInt32BE(records, 57);
    return header;
  }

  async function decode(batches: readonly Batch[], cut = 0): Promise<{ offset: string }[]> {
    const whole = Buffer.concat(batches.map(headerOf));
    const buffer = whole.subarray(0, whole.length - cut);
    const decoder: KafkaDecoder = {
      buffer,
      offset: 0,
      readInt32: () => buffer.length,
      readBytes: () => buffer,
      canReadBytes: (size) => buffer.length - decoder.offset >= size,
    };
    const decodeRecordBatch: DecodeParts['decodeRecordBatch'] = () => {
      const { first, error, bytes = 1 } = batches[decoder.offset / 61]!;
      decoder.offset += 61;
      if (error !== undefined) return Promise.reject(error);
      const record = { offset: String(first + 9), key: null, value: Buffer.alloc(bytes) };
      return Promise.resolve({ firstOffset: String(first), lastOffsetDelta: 9, records: [record] });
    };
    const decodeMessages = createDecodeMessages({
      newDecoder: () => decoder,
      decodeMessageSet: () => [],
      decodeRecordBatch,
    });
    return (await decodeMessages(decoder)) as { offset: string }[];
  }

  const offsets = (records: readonly { offset: string }[]): string[] => records.map(({ offset }) => offset);

  test.each([5, 6, 7])(
    'given codec %d, which nobody has, it says so and is not taken for records',
    async (codec) => {
      const decoded = await decode([{ first: 20, codec }, { first: 30 }]);
      expect(decoded).toHaveLength(1);
      expect(unreadableIn(decoded)).toMatchObject({
        from: '20',
        offset: '29',
        unreadable: `it is compressed with codec ${codec}, which is none of Kafka's`,
      });
    },
  );

  test.each<[string, Partial<Batch>, string]>([
    ['that cannot be unpacked', { codec: 2, error: new Error('its snappy is cut off') }, 'snappy is cut off'],
    ['whose records are broken', { error: new RangeError('out of range') }, 'out of range'],
    ['that packs millions of records', { codec: 1, records: 5_000_000 }, '5000000 records'],
    ['whose length goes backwards', { length: -61 }, 'length'],
  ])('given one %s, what lies before it is handed out first', async (_, spoiled, problem) => {
    expect(offsets(await decode([{ first: 0 }, { first: 10, ...spoiled }, { first: 20 }]))).toEqual(['9']);
    const alone = unreadableIn(await decode([{ first: 10, ...spoiled }, { first: 20 }]));
    expect(alone).toMatchObject({ from: '10', offset: '19' });
    expect(alone?.unreadable).toContain(problem);
  });

  test('given a batch that the answer cut off, it is none of these', async () => {
    expect(offsets(await decode([{ first: 0 }, { first: 10, codec: 7 }], 1))).toEqual(['9']);
    expect(await decode([{ first: 0, codec: 7 }], 1)).toEqual([]);
  });

  test('given small batches that unpack to much, some are left for the next fetch', async () => {
    const bytes = 30 * LIMIT;
    const batches = Array.from({ length: 10 }, (_, i) => ({ first: 10 * i, codec: 4, bytes }));
    expect(offsets(await decode(batches))).toEqual(['9', '19', '29']);
  });
});
