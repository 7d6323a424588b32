import { createOutput, type Output } from './compression-output.js';

const MAGIC = 0x184d2204;
const VERSION_MASK = 0xc0;
const VERSION = 0x40;
const HAS_BLOCK_CHECKSUMS = 0x10;
const HAS_CONTENT_SIZE = 0x08;
const HAS_DICTIONARY = 0x01;
const IS_PLAIN = 0x80000000;
const CHECKSUM_BYTES = 4;
/** By the code in the frame's descriptor. */
const BLOCK_BYTES: Readonly<Record<number, number>> = {
  4: 64 * 1024,
  5: 256 * 1024,
  6: 1024 * 1024,
  7: 4 * 1024 * 1024,
};

/**
 * Unpacks a frame of LZ4. Its checksums are not looked at: the batch around it has one.
 * @throws Error where it is no such frame, or holds more than `limit` bytes.
 */
export function unpackLz4(packed: Buffer, limit: number): Buffer {
  const { from, hasBlockChecksums, blockBytes } = readHeader(packed);
  const output = createOutput(limit, 4 * packed.length);
  for (let at = from; ;) {
    const size = packed.readUInt32LE(at);
    at += 4;
    if (size === 0) return output.taken();
    const bytes = size >= IS_PLAIN ? size - IS_PLAIN : size;
    const end = at + bytes;
    if (end > packed.length) throw cutOff();
    if (size >= IS_PLAIN) output.append(packed, at, end);
    else unpackBlock(packed, at, end, output, output.size() + blockBytes);
    at = end + (hasBlockChecksums ? CHECKSUM_BYTES : 0);
  }
}

function readHeader(packed: Buffer): { from: number; hasBlockChecksums: boolean; blockBytes: number } {
  if (packed.readUInt32LE(0) !== MAGIC) throw new Error('it is no frame of LZ4');
  const flags = packed.readUInt8(4);
  const blockBytes = BLOCK_BYTES[(packed.readUInt8(5) >>> 4) & 7];
  if ((flags & VERSION_MASK) !== VERSION || blockBytes === undefined || (flags & HAS_DICTIONARY) !== 0)
    throw new Error('it is a frame of LZ4 of another kind');
  const from = 7 + ((flags & HAS_CONTENT_SIZE) === 0 ? 0 : 8);
  return { from, hasBlockChecksums: (flags & HAS_BLOCK_CHECKSUMS) !== 0, blockBytes };
}

/** Literals, then a repetition, again and again; the last literals have none behind them. */
function unpackBlock(packed: Buffer, from: number, end: number, output: Output, most: number): void {
  for (let at = from; at < end;) {
    const token = packed[at] ?? 0;
    const literals = readLength(packed, at + 1, end, token >>> 4);
    at = literals.next + literals.length;
    if (at > end) throw cutOff();
    output.append(packed, literals.next, at);
    if (at === end) break;
    if (at + 2 > end) throw cutOff();
    const repeated = readLength(packed, at + 2, end, token & 15);
    output.repeat(packed.readUInt16LE(at), repeated.length + SHORTEST_REPETITION);
    at = repeated.next;
    if (output.size() > most) throw new Error('a block of it holds more than it may');
  }
}

const SHORTEST_REPETITION = 4;
const GOES_ON = 15;

/** A length of 15 is followed by bytes to add, until one that is not 255. */
function readLength(
  packed: Buffer,
  from: number,
  end: number,
  code: number,
): { length: number; next: number } {
  if (code < GOES_ON) return { length: code, next: from };
  let length = code;
  for (let at = from; at < end; at++) {
    const more = packed[at] ?? 0;
    length += more;
    if (more < 255) return { length, next: at + 1 };
  }
  throw cutOff();
}

function cutOff(): Error {
  return new Error('it is cut off');
}
