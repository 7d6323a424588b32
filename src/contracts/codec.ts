import avro, { type Type } from 'avsc';
import { createWalk, type Walk } from './avro-walk.js';
import { createOutput, createWrite, type Write } from './avro-write.js';
import { isProoflineError, ProoflineError } from './errors.js';
import { avroSchemas, type SchemaName } from './generated.js';
import { isJsonObject } from './json.js';
import { camelCase } from './names.js';
import { localSchemaId, localSchemaName } from './schema-ids.js';
import type { TopicMessages, TopicName } from './topics.js';

/**
 * The wire format of every value: 0x00, a four-byte schema id (big-endian), the Avro binary. The same bytes
 * on the embedded bus and on Kafka.
 */

const MAGIC = 0;
const HEADER_BYTES = 5;

/** What a value was written with. The same key is always the same schema. */
export interface WriterSchema {
  readonly key: string;
  readonly schema: unknown;
}

/**
 * Which schema an id stands for. The local one knows the ids that are pinned in the freeze lock; one with a
 * registry behind it adds those that the registry gave.
 */
export interface SchemaIds {
  /** The id to write for a schema. */
  idOf(name: SchemaName): number;
  /**
   * The writer's schema of an id; undefined when nobody knows it.
   * @throws ProoflineError PL_REGISTRY_DOWN while that is not known yet, PL_RECORD_UNDECODABLE for one that is no schema.
   */
  schemaOf(id: number): WriterSchema | undefined;
  /**
   * Asks about those of the ids that are not known yet.
   * @throws ProoflineError PL_REGISTRY_DOWN when nobody answers.
   */
  learn(ids: ReadonlySet<number>): Promise<void>;
}

export const localSchemaIds: SchemaIds = {
  idOf: localSchemaId,
  schemaOf(id) {
    const name = localSchemaName(id);
    return name === undefined ? undefined : { key: name, schema: avroSchemas[name] };
  },
  learn: () => Promise.resolve(),
};

/** Messages are values: whoever encodes or decodes one MUST NOT change it afterwards. */
export interface Codec {
  /** @throws ProoflineError PL_INVARIANT when the message does not fit its schema, or holds malformed text or a long beyond 2^52. */
  encode<T extends TopicName>(topic: T, message: TopicMessages[T]): Buffer;
  /**
   * @throws ProoflineError PL_RECORD_UNDECODABLE or PL_SCHEMA_UNKNOWN. Of values that were not learned before also
   * PL_REGISTRY_DOWN: their schema is being fetched.
   */
  decode<T extends TopicName>(topic: T, value: Buffer): TopicMessages[T];
  /**
   * Fetches what decoding these values needs.
   * @throws ProoflineError PL_REGISTRY_DOWN, retryable: the values wait.
   */
  learn(values: readonly (Buffer | null)[]): Promise<void>;
}

/** The Avro type of a schema with its field names in camelCase: names are no part of the binary. */
export function avroType(name: SchemaName): Type {
  let type = types.get(name);
  if (type === undefined) {
    type = parseSchema(avroSchemas[name]);
    types.set(name, type);
  }
  return type;
}

const types = new Map<SchemaName, Type>();

/** The same of any schema, for instance a writer's of another version. @throws Error when it is none. */
export function parseSchema(schema: unknown): Type {
  return avro.Type.forSchema(withCamelCaseFields(schema) as avro.Schema, { wrapUnions: 'never' });
}

function withCamelCaseFields(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withCamelCaseFields);
  if (!isJsonObject(schema)) return schema;
  const copy: Record<string, unknown> = { ...schema };
  for (const part of ['type', 'items', 'values']) {
    if (part in copy) copy[part] = withCamelCaseFields(copy[part]);
  }
  if (Array.isArray(copy['fields'])) copy['fields'] = copy['fields'].map(camelCaseField);
  return copy;
}

function camelCaseField(field: unknown): unknown {
  const { name, type, aliases, ...rest } = field as { name: string; type: unknown; aliases?: string[] };
  const spelled = { ...rest, name: camelCase(name), type: withCamelCaseFields(type) };
  return aliases === undefined ? spelled : { ...spelled, aliases: aliases.map(camelCase) };
}

/** How values of one writer's schema are read as a topic's messages. */
interface Reader {
  readonly type: Type;
  /** Undefined where the writer's schema is the topic's own. */
  readonly resolver: unknown;
  readonly walk: Walk;
}

export function createCodec(ids: SchemaIds = localSchemaIds): Codec {
  const readers = new Map<string, Reader | ProoflineError>();
  // On one machine most values are decoded by the process that has just encoded them.
  const encoded = new WeakMap<Buffer, { readonly topic: TopicName; readonly message: unknown }>();
  const out = createOutput();

  function encode<T extends TopicName>(topic: T, message: TopicMessages[T]): Buffer {
    out.at = HEADER_BYTES;
    const value = ownWrite(topic)(out, message)
      ? Buffer.from(out.bytes.subarray(0, out.at))
      : encodeCarefully(topic, message);
    value.writeUInt8(MAGIC, 0);
    value.writeUInt32BE(ids.idOf(topic), 1);
    encoded.set(value, { topic, message });
    return value;
  }

  function decode<T extends TopicName>(topic: T, value: Buffer): TopicMessages[T] {
    const known = encoded.get(value);
    if (known?.topic === topic) return known.message as TopicMessages[T];
    if (value.length < HEADER_BYTES) throw undecodable(`${value.length} bytes are too few`);
    if (value[0] !== MAGIC) throw undecodable(`it begins with byte ${value[0] ?? ''}, not with 0`);
    return decodeBody(readerOf(topic, value.readUInt32BE(1)), value) as TopicMessages[T];
  }

  function readerOf(topic: TopicName, id: number): Reader {
    const writer = ids.schemaOf(id);
    if (writer === undefined) throw new ProoflineError('PL_SCHEMA_UNKNOWN', { id });
    const key = `${topic} ${writer.key}`;
    const reader = readers.get(key) ?? makeReader(topic, writer);
    readers.set(key, reader);
    if (isProoflineError(reader)) throw reader;
    return reader;
  }

  return { encode, decode, learn: (values) => ids.learn(schemaIdsIn(values)) };
}

/** The schema ids that these values name. */
function schemaIdsIn(values: readonly (Buffer | null)[]): Set<number> {
  const found = new Set<number>();
  for (const value of values) {
    if (value !== null && value.length >= HEADER_BYTES && value[0] === MAGIC)
      found.add(value.readUInt32BE(1));
  }
  return found;
}

function ownWalk(topic: TopicName): Walk {
  const walk = walks.get(topic) ?? createWalk(avroType(topic));
  walks.set(topic, walk);
  return walk;
}

const walks = new Map<TopicName, Walk>();

/** The reader of a pair of schemas; where they do not go together, the error that each such record gets. */
function makeReader(topic: TopicName, writer: { key: string; schema: unknown }): Reader | ProoflineError {
  const type = avroType(topic);
  if (writer.key === topic) return { type, resolver: undefined, walk: ownWalk(topic) };
  try {
    const written = parseSchema(writer.schema);
    return { type, resolver: type.createResolver(written), walk: createWalk(written) };
  } catch (error) {
    return undecodable(`its schema ${writer.key} cannot be read as ${topic}: ${messageOf(error)}`);
  }
}

function decodeBody({ type, resolver, walk }: Reader, value: Buffer): unknown {
  try {
    const end = walk(value, HEADER_BYTES);
    if (end < value.length) throw new Error(`${value.length - end} bytes too many at its end`);
    return type.decode(value, HEADER_BYTES, resolver as never).value;
  } catch (error) {
    throw undecodable(messageOf(error));
  }
}

function ownWrite(topic: TopicName): Write {
  const write = writes.get(topic) ?? createWrite(avroType(topic));
  writes.set(topic, write);
  return write;
}

const writes = new Map<TopicName, Write>();

/** What our own writer leaves alone: mostly to say what is wrong with it. The header's bytes are left free. */
function encodeCarefully(topic: TopicName, message: unknown): Buffer {
  const type = avroType(topic);
  refuseInvalid(topic, type, message);
  const value = Buffer.concat([Buffer.alloc(HEADER_BYTES), type.toBuffer(message)]);
  refuseUnreadable(topic, value);
  return value;
}

function refuseInvalid(topic: TopicName, type: Type, message: unknown): void {
  const problems: string[] = [];
  const errorHook = (path: string[]): void => void problems.push(path.join('.'));
  if (!type.isValid(message, { noUndeclaredFields: true, errorHook })) {
    throw new ProoflineError('PL_INVARIANT', { problem: `${topic}: wrong at ${problems.join(', ')}` });
  }
  // A lone surrogate would be written as bytes that are no UTF-8.
  if (!isWellFormedDeep(message))
    throw new ProoflineError('PL_INVARIANT', { problem: `${topic}: malformed text` });
}

/** What would be refused when it is read is not written. */
function refuseUnreadable(topic: TopicName, value: Buffer): void {
  try {
    ownWalk(topic)(value, HEADER_BYTES);
  } catch (error) {
    throw new ProoflineError('PL_INVARIANT', { problem: `${topic}: ${messageOf(error)}` });
  }
}

/** True when no string inside holds a lone surrogate. */
function isWellFormedDeep(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormedDeep);
  if (!isJsonObject(value) || Buffer.isBuffer(value)) return true;
  for (const key in value) {
    if (!isWellFormedDeep(value[key]) || !key.isWellFormed()) return false;
  }
  return true;
}

function undecodable(problem: string): ProoflineError {
  return new ProoflineError('PL_RECORD_UNDECODABLE', { problem });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : String(error);
}
