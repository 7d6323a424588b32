import avro, { type Type } from 'avsc';

/**
 * Walks over an encoded value without making anything of it. avsc believes every count and length that it
 * reads: six hostile bytes can have it fill the memory, or step backwards for ever. What has been walked over
 * can be decoded in time and space that are bounded by its size.
 */

/** Answers where the value that begins at `from` ends. @throws Error when it is no value of the type. */
export type Walk = (bytes: Uint8Array, from: number) => number;

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
  /** Items of arrays and maps that may still come: no more than there are bytes, since each has at least one. */
  itemsLeft: number;
}

type Step = (cursor: Cursor) => void;

export function createWalk(type: Type): Walk {
  const step = stepOver(type, new Map());
  return (bytes, from) => {
    const cursor = { bytes, at: from, itemsLeft: bytes.length - from };
    step(cursor);
    return cursor.at;
  };
}

/** A record may hold itself, so its step is known by name before it is complete. */
function stepOver(type: Type, known: Map<Type, Step>): Step {
  const found = known.get(type);
  if (found !== undefined) return found;
  let step: Step = (cursor) => step(cursor);
  known.set(type, (cursor) => step(cursor));
  step = makeStep(type, (inner) => stepOver(inner, known));
  known.set(type, step);
  return step;
}

const { types } = avro;

function makeStep(type: Type, of: (inner: Type) => Step): Step {
  if (type instanceof types.RecordType) return inOrder(type.fields.map((field) => of(field.type)));
  if (type instanceof types.ArrayType) return blocks(of(type.itemsType));
  if (type instanceof types.MapType) return blocks(inOrder([lengthAndBytes, of(type.valuesType as Type)]));
  if (type instanceof types.UnwrappedUnionType || type instanceof types.WrappedUnionType)
    return branch(type.types.map((each) => of(each)));
  if (type instanceof types.LogicalType) return of(type.underlyingType);
  if (type instanceof types.EnumType) return symbol(type.symbols.length);
  if (type instanceof types.FixedType) return skip(type.size);
  return primitive(type.typeName);
}

function primitive(name: string): Step {
  switch (name) {
    case 'null':
      return () => undefined;
    case 'boolean':
      return skip(1);
    case 'int':
      return int;
    case 'long':
      return exactLong;
    case 'float':
      return skip(4);
    case 'double':
      return skip(8);
    case 'string':
    case 'bytes':
      return lengthAndBytes;
    default:
      throw new Error(`the type ${name} is not known`);
  }
}

function inOrder(steps: readonly Step[]): Step {
  return (cursor) => {
    for (const step of steps) step(cursor);
  };
}

function branch(steps: readonly Step[]): Step {
  return (cursor) => {
    const index = readLong(cursor);
    const step = steps[index];
    if (step === undefined) throw new Error(`there is no branch ${index} of ${steps.length}`);
    step(cursor);
  };
}

function symbol(count: number): Step {
  return (cursor) => {
    const index = readLong(cursor);
    if (index < 0 || index >= count) throw new Error(`there is no symbol ${index} of ${count}`);
  };
}

/** Items come in blocks; a negative count is followed by the block's size in bytes. */
function blocks(item: Step): Step {
  return (cursor) => {
    for (let count = readLong(cursor); count !== 0; count = readLong(cursor)) {
      const size = count < 0 ? readLong(cursor) : null;
      const start = cursor.at;
      const items = Math.abs(count);
      if (items > cursor.itemsLeft) throw new Error(`${items} items are more than there are bytes`);
      cursor.itemsLeft -= items;
      for (let i = 0; i < items; i++) item(cursor);
      // Who skips the block goes by its size, who reads it by its items.
      if (size !== null && size !== cursor.at - start) throw new Error(`a block of ${size} bytes has others`);
    }
  };
}

function skip(bytes: number): Step {
  return (cursor) => advance(cursor, bytes);
}

function lengthAndBytes(cursor: Cursor): void {
  const length = readLong(cursor);
  if (length < 0) throw new Error(`a length is ${length}`);
  advance(cursor, length);
}

function advance(cursor: Cursor, bytes: number): void {
  if (bytes > cursor.bytes.length - cursor.at) throw new Error('it ends in the middle of the message');
  cursor.at += bytes;
}

function int(cursor: Cursor): void {
  const value = readLong(cursor);
  if (value !== (value | 0)) throw new Error(`${value} is no 32-bit integer`);
}

/** avsc gives a long below -2^52 another value and says nothing, writing and reading. */
function exactLong(cursor: Cursor): void {
  if (readVarint(cursor) >= 2 ** 53) throw new Error('a long beyond 2^52 is not exact');
}

/** A zigzag varint. Beyond 2^52 it is not exact, which is no matter for counts and lengths. */
function readLong(cursor: Cursor): number {
  const value = readVarint(cursor);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

const LONGEST_VARINT = 10;

function readVarint(cursor: Cursor): number {
  let value = 0;
  let scale = 1;
  for (let i = 0; i < LONGEST_VARINT; i++) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) throw new Error('it ends in the middle of the message');
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
    scale *= 128;
  }
  throw new Error('a number is longer than ten bytes');
}
