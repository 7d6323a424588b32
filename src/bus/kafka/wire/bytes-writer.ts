/** Writes the primitive types of Kafka's protocol one behind the other into a buffer that grows. */
export interface BytesWriter {
  int8(value: number): void;
  int16(value: number): void;
  int32(value: number): void;
  /** A whole number of up to 53 bits. */
  int64(value: number): void;
  /** Its length, two bytes, and UTF-8; null is the length −1. */
  string(value: string | null): void;
  /** Puts a number over what was written at the place. */
  int32At(at: number, value: number): void;
  /** How much was written. */
  readonly size: number;
  /** What is behind the bytes so far is written by somebody else: up to `bytes`, who answers with the end of it. */
  fill(bytes: number, write: (buffer: Buffer, at: number) => number): void;
  done(): Buffer;
}

const FOUR_BYTES = 2 ** 32;
const LONGEST_UTF8 = 3;

export function createBytesWriter(capacity = 256): BytesWriter {
  let buffer = Buffer.allocUnsafe(capacity);
  let at = 0;

  function haveRoom(bytes: number): void {
    if (at + bytes <= buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * buffer.length, at + bytes));
    buffer.copy(grown, 0, 0, at);
    buffer = grown;
  }

  return {
    int8(value) {
      haveRoom(1);
      at = buffer.writeInt8(value, at);
    },
    int16(value) {
      haveRoom(2);
      at = buffer.writeInt16BE(value, at);
    },
    int32(value) {
      haveRoom(4);
      at = buffer.writeInt32BE(value, at);
    },
    int64(value) {
      haveRoom(8);
      at = writeInt64(buffer, at, value);
    },
    string(value) {
      if (value === null) {
        this.int16(-1);
        return;
      }
      haveRoom(2 + LONGEST_UTF8 * value.length);
      const bytes = buffer.write(value, at + 2);
      buffer.writeInt16BE(bytes, at);
      at += 2 + bytes;
    },
    int32At: (place, value) => void buffer.writeInt32BE(value, place),
    get size() {
      return at;
    },
    fill(bytes, write) {
      haveRoom(bytes);
      at = write(buffer, at);
    },
    done: () => buffer.subarray(0, at),
  };
}

/** Answers with the place behind it. Without BigInt, which would be made for each. */
export function writeInt64(buffer: Buffer, at: number, value: number): number {
  const high = Math.floor(value / FOUR_BYTES);
  buffer.writeInt32BE(high, at);
  return buffer.writeUInt32BE(value - high * FOUR_BYTES, at + 4);
}

export function readInt64(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at) * FOUR_BYTES + buffer.readUInt32BE(at + 4);
}
