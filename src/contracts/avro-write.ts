import avro, { type Type } from 'avsc';
import { isJsonObject } from './json.js';

/**
 * Writes and checks a value in one pass. avsc takes three to be sure of one: is it of the type, are its texts
 * well-formed, and the writing. What is not plainly a value of the type is left to it, and to what it says of it.
 */

/** Appends the value's Avro binary: false, and half of it, where it is not plainly a value of the type. */
export type Write = (out: Output, value: unknown) => boolean;

/** Bytes that were written up to `at`; they grow, and are used again. */
export interface Output {
  bytes: Buffer;
  at: number;
}

export function createOutput(): Output {
  return { bytes: Buffer.alloc(64 * 1024), at: 0 };
}

export function createWrite(type: Type): Write {
  return writerOf(type, new Map());
}

/** A record may hold itself, so its writer is known by name before it is complete. */
function writerOf(type: Type, known: Map<Type, Write>): Write {
  const found = known.get(type);
  if (found !== undefined) return found;
  let write: Write = refuse;
  known.set(type, (out, value) => write(out, value));
  write = makeWriter(type, (inner) => writerOf(inner, known));
  known.set(type, write);
  return write;
}

const { types } = avro;

function makeWriter(type: Type, of: (inner: Type) => Write): Write {
  if (type instanceof types.RecordType)
    return record(type.fields.map((field) => ({ name: field.name, write: of(field.type) })));
  if (type instanceof types.ArrayType) return array(of(type.itemsType));
  if (type instanceof types.MapType) return map(of(type.valuesType as Type));
  if (type instanceof types.UnwrappedUnionType) return nullable(type.types, of);
  if (type instanceof types.EnumType) return symbol(type.symbols);
  return primitives[type.typeName] ?? refuse;
}

function refuse(): boolean {
  return false;
}

function record(fields: readonly { readonly name: string; readonly write: Write }[]): Write {
  return (out, value) => {
    if (typeof value !== 'object' || value === null) return false;
    for (const { name, write } of fields) {
      if (!write(out, (value as Record<string, unknown>)[name])) return false;
    }
    // No field is undefined, so as many keys are these keys.
    return Object.keys(value).length === fields.length;
  };
}

function array(item: Write): Write {
  return (out, value) => {
    if (!Array.isArray(value)) return false;
    if (value.length > 0) writeLong(out, value.length);
    for (const each of value) if (!item(out, each)) return false;
    writeLong(out, 0);
    return true;
  };
}

function map(item: Write): Write {
  return (out, value) => {
    if (!isJsonObject(value)) return false;
    const keys = Object.keys(value);
    if (keys.length > 0) writeLong(out, keys.length);
    for (const key of keys) if (!writeString(out, key) || !item(out, value[key])) return false;
    writeLong(out, 0);
    return true;
  };
}

/** The contracts know one kind of union: a type, or null. */
function nullable(branches: readonly Type[], of: (inner: Type) => Write): Write {
  const nothing = branches.findIndex((branch) => branch.typeName === 'null');
  const [type, ...others] = branches.filter((_, i) => i !== nothing);
  if (type === undefined || nothing < 0 || others.length > 0) return refuse;
  const write = of(type);
  return (out, value) => {
    writeLong(out, value === null ? nothing : 1 - nothing);
    return value === null || write(out, value);
  };
}

function symbol(symbols: readonly string[]): Write {
  const indices = new Map<unknown, number>(symbols.map((name, i) => [name, i]));
  return (out, value) => {
    const index = indices.get(value);
    if (index !== undefined) writeLong(out, index);
    return index !== undefined;
  };
}

/** Longs that avsc reads and writes exactly. */
const MAX_LONG = 2 ** 52;

const primitives: Readonly<Record<string, Write>> = {
  string: writeString,
  boolean(out, value) {
    if (typeof value !== 'boolean') return false;
    reserve(out, 1);
    out.bytes[out.at++] = value ? 1 : 0;
    return true;
  },
  int(out, value) {
    if (typeof value !== 'number' || value !== (value | 0)) return false;
    writeLong(out, value);
    return true;
  },
  long(out, value) {
    if (!Number.isInteger(value) || (value as number) < -MAX_LONG || (value as number) >= MAX_LONG)
      return false;
    writeLong(out, value as number);
    return true;
  },
  double(out, value) {
    if (typeof value !== 'number') return false;
    reserve(out, 8);
    out.at = out.bytes.writeDoubleLE(value, out.at);
    return true;
  },
  bytes(out, value) {
    if (!Buffer.isBuffer(value)) return false;
    writeLong(out, value.length);
    reserve(out, value.length);
    out.at += value.copy(out.bytes, out.at);
    return true;
  },
};

/** Ids and names are short and ASCII: calling the encoder for them takes longer than writing them. */
const SHORT = 63;

function writeString(out: Output, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  if (value.length <= SHORT && writeShort(out, value)) return true;
  if (!value.isWellFormed()) return false;
  const length = Buffer.byteLength(value);
  writeLong(out, length);
  reserve(out, length);
  out.at += out.bytes.write(value, out.at);
  return true;
}

/** False, and nothing written, where it is not ASCII. */
function writeShort(out: Output, value: string): boolean {
  const { length } = value;
  reserve(out, length + 1);
  const { bytes, at } = out;
  for (let i = 0; i < length; i++) {
    const unit = value.charCodeAt(i);
    if (unit >= 0x80) return false;
    bytes[at + 1 + i] = unit;
  }
  bytes[at] = length * 2;
  out.at = at + 1 + length;
  return true;
}

/** A zigzag varint of at most ten bytes. */
function writeLong(out: Output, value: number): void {
  reserve(out, 10);
  let rest = value < 0 ? -value * 2 - 1 : value * 2;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) out.bytes[out.at++] = (rest % 128) | 0x80;
  out.bytes[out.at++] = rest;
}

function reserve(out: Output, bytes: number): void {
  if (out.at + bytes <= out.bytes.length) return;
  const grown = Buffer.alloc(2 * (out.at + bytes));
  out.bytes.copy(grown, 0, 0, out.at);
  out.bytes = grown;
}
