import { Decompress } from 'fzstd';
import { tooLarge } from './compression-output.js';

const MAGIC = 0xfd2fb528;
const MOST_BLOCK_BYTES = 128 * 1024;
/** For every block the window is moved in memory: this many bytes take a second or two. */
const MOST_MOVED_BYTES = 16 * 1024 ** 3;
const RAW = 0;
const RLE = 1;

/**
 * Unpacks one frame of Zstandard.
 * @throws Error where it is not that, or holds more than `limit` bytes.
 */
export function unpackZstd(packed: Buffer, limit: number): Buffer {
  const frame = withSmallWindow(packed, limit);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const unpacking = new Decompress((chunk) => {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge(limit);
    // The window it hands out is written over by the next block.
    chunks.push(Buffer.from(chunk));
  });
  unpacking.push(frame, true);
  return Buffer.concat(chunks);
}

/**
 * The frame, with no larger a window than what it holds can fill. Strong compression asks for 128 MiB however
 * little there is, and the unpacking would take that memory, and move it for every block.
 */
function withSmallWindow(packed: Buffer, limit: number): Buffer {
  const header = readHeader(packed);
  const { blocks, mostBytes } = walkBlocks(packed, header.from);
  if (header.contentBytes !== null && header.contentBytes > limit) throw tooLarge(limit);
  const needed = Math.max(MOST_BLOCK_BYTES, Math.min(header.windowBytes, mostBytes, limit));
  if (blocks * needed > MOST_MOVED_BYTES) throw new Error(`its ${blocks} blocks would take too long`);
  if (header.windowAt === null || needed >= header.windowBytes) return packed;
  const smaller = Buffer.from(packed);
  smaller[header.windowAt] = windowCode(needed);
  return smaller;
}

interface Header {
  /** Where the blocks begin. */
  readonly from: number;
  /** Where the size of the window stands; null where it is the content's. */
  readonly windowAt: number | null;
  readonly windowBytes: number;
  /** Null where it is not said. */
  readonly contentBytes: number | null;
}

function readHeader(packed: Buffer): Header {
  if (packed.readUInt32LE(0) !== MAGIC) throw new Error('it is no frame of Zstandard');
  const flags = packed.readUInt8(4);
  const isSingle = (flags & 0x20) !== 0;
  const windowAt = isSingle ? null : 5;
  const sizeAt = (isSingle ? 5 : 6) + ([0, 1, 2, 4][flags & 3] ?? 0);
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][flags >>> 6] ?? 0;
  const contentBytes = readContentBytes(packed, sizeAt, sizeBytes);
  const windowBytes = windowAt === null ? (contentBytes ?? 0) : windowOf(packed.readUInt8(windowAt));
  return { from: sizeAt + sizeBytes, windowAt, windowBytes, contentBytes };
}

function readContentBytes(packed: Buffer, at: number, bytes: number): number | null {
  if (bytes === 0) return null;
  if (bytes === 8) return Number(packed.readBigUInt64LE(at));
  return packed.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
}

function windowOf(code: number): number {
  const base = 2 ** (10 + (code >>> 3));
  return base + (base / 8) * (code & 7);
}

/** The smallest power of two that has room for so many bytes. */
function windowCode(bytes: number): number {
  return (Math.ceil(Math.log2(bytes)) - 10) << 3;
}

/** How many blocks there are, and the most that they can hold. */
function walkBlocks(packed: Buffer, from: number): { blocks: number; mostBytes: number } {
  let mostBytes = 0;
  for (let at = from, blocks = 1; ; blocks++) {
    const header = packed.readUIntLE(at, 3);
    const [isLast, type, size] = [(header & 1) === 1, (header >>> 1) & 3, header >>> 3];
    if (size > MOST_BLOCK_BYTES) throw new Error(`a block of it has ${size} bytes`);
    mostBytes += type === RAW || type === RLE ? size : MOST_BLOCK_BYTES;
    at += 3 + (type === RLE ? 1 : size);
    if (at > packed.length) throw new Error('it is cut off');
    if (isLast) return { blocks, mostBytes };
  }
}
