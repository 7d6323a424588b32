import { createOutput, tooLarge, type Output } from './compression-output.js';

/** How Java frames it: a magic, two versions, then blocks with their lengths before them. */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER = 16;

/**
 * Unpacks snappy, as Java frames it or plain.
 * @throws Error where it is not that, or holds more than `limit` bytes.
 */
export function unpackSnappy(packed: Buffer, limit: number): Buffer {
  const isFramed = packed.length >= XERIAL_HEADER && packed.subarray(0, XERIAL.length).equals(XERIAL);
  if (!isFramed) return unpackBlock(packed, limit);
  const blocks: Buffer[] = [];
  let left = limit;
  for (let at = XERIAL_HEADER; at < packed.length;) {
    const end = at + 4 + packed.readUInt32BE(at);
    if (end > packed.length) throw cutOff();
    const block = unpackBlock(packed.subarray(at + 4, end), left, limit);
    blocks.push(block);
    left -= block.length;
    at = end;
  }
  return Buffer.concat(blocks);
}

/** `left` is what the blocks before it have left of the limit. */
function unpackBlock(packed: Buffer, left: number, limit = left): Buffer {
  const { size, from } = readSize(packed);
  if (size > left) throw tooLarge(limit);
  const output = createOutput(size, size);
  for (let at = from; at < packed.length;) at = unpackElement(packed, at, output);
  if (output.size() < size) throw cutOff();
  return output.taken();
}

/** A little-endian base-128 number of at most 32 bits. */
function readSize(packed: Buffer): { size: number; from: number } {
  let size = 0;
  for (let i = 0; i < 5; i++) {
    const byte = packed[i];
    if (byte === undefined) throw cutOff();
    size += (byte & 0x7f) * 128 ** i;
    if (byte < 0x80) return { size, from: i + 1 };
  }
  throw new Error('its size is no 32-bit number');
}

/** Answers where the next element begins. */
function unpackElement(packed: Buffer, at: number, output: Output): number {
  const tag = packed[at] ?? 0;
  switch (tag & 3) {
    case 0:
      return unpackLiteral(packed, at + 1, tag >>> 2, output);
    case 1:
      output.repeat(((tag >>> 5) << 8) | packed.readUInt8(at + 1), 4 + ((tag >>> 2) & 7));
      return at + 2;
    case 2:
      output.repeat(packed.readUInt16LE(at + 1), 1 + (tag >>> 2));
      return at + 3;
    default:
      output.repeat(packed.readUInt32LE(at + 1), 1 + (tag >>> 2));
      return at + 5;
  }
}

const LONGEST_SHORT = 60;

/** From 60 on, the code says how many bytes the length has. */
function unpackLiteral(packed: Buffer, at: number, code: number, output: Output): number {
  const bytes = Math.max(0, code - LONGEST_SHORT + 1);
  const from = at + bytes;
  const length = 1 + (bytes === 0 ? code : packed.readUIntLE(at, bytes));
  if (from + length > packed.length) throw cutOff();
  output.append(packed, from, from + length);
  return from + length;
}

function cutOff(): Error {
  return new Error('it is cut off');
}
