/** Where a codec unpacks to: it grows as needed, up to a limit. */
export interface Output {
  /** Bytes so far. */
  size(): number;
  /** Appends `source[from..to)`. */
  append(source: Uint8Array, from: number, to: number): void;
  /** Appends `length` bytes from `distance` bytes back on, which may overlap what is being appended. */
  repeat(distance: number, length: number): void;
  taken(): Buffer;
}

const SMALLEST = 4096;

/** @throws Error from its methods when the limit is passed, or when what is repeated does not exist. */
export function createOutput(limit: number, expected: number): Output {
  let bytes = Buffer.allocUnsafe(Math.max(SMALLEST, Math.min(limit, expected)));
  let at = 0;

  function makeRoomFor(length: number): void {
    const needed = at + length;
    if (needed > limit) throw tooLarge(limit);
    if (needed <= bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(needed, 2 * bytes.length)));
    bytes.copy(larger, 0, 0, at);
    bytes = larger;
  }

  return {
    size: () => at,
    append(source, from, to) {
      makeRoomFor(to - from);
      bytes.set(source.subarray(from, to), at);
      at += to - from;
    },
    repeat(distance, length) {
      if (distance < 1 || distance > at) throw new Error(`it repeats from ${distance} bytes back, of ${at}`);
      makeRoomFor(length);
      const end = at + length;
      if (distance >= length) bytes.copyWithin(at, at - distance, end - distance);
      else for (let i = at; i < end; i++) bytes[i] = bytes[i - distance] ?? 0;
      at = end;
    },
    taken: () => bytes.subarray(0, at),
  };
}

export function tooLarge(limit: number): Error {
  return new Error(`unpacked, it is over ${limit} bytes`);
}
