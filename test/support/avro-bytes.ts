/** Avro binary by hand, for bytes that no encoder writes. */

/** A long as zigzag varint. */
export function long(value: number | bigint): Buffer {
  const n = BigInt(value);
  let zigzag = BigInt.asUintN(64, (n << 1n) ^ (n >> 63n));
  const bytes: number[] = [];
  while (zigzag > 0x7fn) {
    bytes.push(Number(zigzag & 0x7fn) | 0x80);
    zigzag >>= 7n;
  }
  return Buffer.from([...bytes, Number(zigzag)]);
}

export function string(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([long(bytes.length), bytes]);
}

/** The first branch of a union, null in all our schemas. */
export const NULL = long(0);

/** Magic byte and the local schema id of this number. */
export function header(schemaNumber: number): Buffer {
  return Buffer.from([0, 0x7f, 0, 0, schemaNumber]);
}
