import { readInt64 } from './bytes-writer.js';

/**
 * Reads the primitive types of Kafka's protocol one behind the other. What ends in the middle is a RangeError.
 */
export class BytesReader {
  offset = 0;

  constructor(readonly buffer: Buffer) {}

  readInt16(): number {
    const value = this.buffer.readInt16BE(this.offset);
    this.offset += 2;
    return value;
  }

  readInt32(): number {
    const value = this.buffer.readInt32BE(this.offset);
    this.offset += 4;
    return value;
  }

  peekInt32(): number {
    return this.buffer.readInt32BE(this.offset);
  }

  /** Beyond 2^53 it is not exact. */
  readInt64(): number {
    const value = readInt64(this.buffer, this.offset);
    this.offset += 8;
    return value;
  }

  readString(): string {
    const size = this.readInt16();
    return size < 0 ? '' : this.readBytes(size).toString('utf8');
  }

  readBytes(size: number): Buffer {
    if (size < 0 || !this.canReadBytes(size)) throw new RangeError('an answer ends in the middle');
    const bytes = this.buffer.subarray(this.offset, this.offset + size);
    this.offset += size;
    return bytes;
  }

  canReadBytes(size: number): boolean {
    return this.buffer.length - this.offset >= size;
  }

  /** A length of four bytes, and so many; null is none. */
  readArray<T>(read: () => T): T[] {
    const count = this.readInt32();
    const all: T[] = [];
    for (let i = 0; i < count; i++) all.push(read());
    return all;
  }
}
