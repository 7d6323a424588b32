import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { unpackLz4 } from './compression-lz4.js';
import { tooLarge } from './compression-output.js';
import { unpackSnappy } from './compression-snappy.js';
import { unpackZstd } from './compression-zstd.js';

/** A codec as kafkajs calls it. */
export interface KafkaCodec {
  compress(encoder: unknown): Promise<Buffer>;
  decompress(packed: Buffer): Promise<Buffer>;
}

/**
 * Most bytes that the records of one batch may be: four times the largest record of any topic. Without a limit, a
 * megabyte in a topic could be gigabytes in memory.
 */
export const MOST_BATCH_BYTES = 32 * 1024 * 1024;

/** By the number that stands in a batch's attributes. */
export const compressions = {
  1: { name: 'gzip', unpack: unpackGzip },
  2: { name: 'snappy', unpack: unpackSnappy },
  3: { name: 'lz4', unpack: unpackLz4 },
  4: { name: 'zstd', unpack: unpackZstd },
} as const satisfies Record<
  number,
  { readonly name: string; unpack(packed: Buffer, limit: number): Buffer | Promise<Buffer> }
>;

/** True for a codec of the table, and for none. */
export function isKnownCodec(codec: number): boolean {
  return codec === 0 || Object.hasOwn(compressions, codec);
}

/** The table in the form in which kafkajs has it. For reading only: nothing of ours is compressed. */
export function kafkaCodecs(limit = MOST_BATCH_BYTES): Record<number, () => KafkaCodec> {
  return Object.fromEntries(
    Object.entries(compressions).map(([number, { name, unpack }]) => {
      const codec: KafkaCodec = {
        compress: () => Promise.reject(new Error(`${name} is only read`)),
        async decompress(packed) {
          try {
            return await unpack(packed, limit);
          } catch (error) {
            const problem = error instanceof Error ? error.message : String(error);
            throw new Error(`its ${name} cannot be unpacked: ${problem}`, { cause: error });
          }
        },
      };
      return [number, () => codec];
    }),
  );
}

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);

async function unpackGzip(packed: Buffer, limit: number): Promise<Buffer> {
  try {
    return await gunzip(packed, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw error;
  }
}
