import { createCodec, type Codec } from './codec.js';
import { isProoflineError, ProoflineError } from './errors.js';
import { avroSchemas } from './generated.js';
import { isJsonObject } from './json.js';
import { camelCase } from './names.js';
import type { TopicMessages, TopicName } from './topics.js';

/**
 * The message that `recordToJson` wrote. Fields that the schema does not know are left out, as readers of Avro do; all
 * else has to fit, and comes back as a decoded record does.
 * @throws ProoflineError PL_INPUT_INVALID saying what does not fit.
 */
export function recordFromJson<T extends TopicName>(topic: T, json: unknown): TopicMessages[T] {
  const fromJson = readerOf(avroSchemas[topic], new Map());
  try {
    // The schema says what a message may be, and encoding holds it against the schema.
    return codec.decode(topic, codec.encode(topic, fromJson(json) as TopicMessages[T]));
  } catch (error) {
    const problem = isProoflineError(error) ? error.message : 'it is no such record';
    throw new ProoflineError(
      'PL_INPUT_INVALID',
      { problem: `a record of ${topic}: ${problem}` },
      { cause: error },
    );
  }
}

const codec: Codec = createCodec();

type Reader = (json: unknown) => unknown;

/** The parts of an Avro schema that decide about its JSON form. */
interface ComplexType {
  readonly type: unknown;
  readonly name?: string;
  readonly logicalType?: string;
  readonly fields?: readonly { readonly name: string; readonly type: unknown }[];
  readonly items?: unknown;
}

const asIs: Reader = (json) => json;

/** @param named the named types that were met on the way, which later ones refer to by name */
function readerOf(schema: unknown, named: Map<string, Reader>): Reader {
  if (typeof schema === 'string') return schema === 'bytes' ? bytes : (named.get(schema) ?? asIs);
  if (Array.isArray(schema)) return ofUnion(schema, named);
  const complex = schema as ComplexType;
  if (complex.logicalType === 'timestamp-millis') return instant;
  switch (complex.type) {
    case 'record':
      return ofRecord(complex, named);
    case 'array': {
      const item = readerOf(complex.items, named);
      return (json) => (Array.isArray(json) ? json.map(item) : json);
    }
    // Only texts stand in the contracts' maps.
    case 'map':
      return asIs;
    default:
      return readerOf(complex.type, named);
  }
}

function bytes(json: unknown): unknown {
  return typeof json === 'string' ? Buffer.from(json, 'base64') : json;
}

/** One beyond what a date can hold was written as a number. */
function instant(json: unknown): unknown {
  return typeof json === 'string' ? Date.parse(json) : json;
}

/** The contracts know one kind of union: a type, or null. */
function ofUnion(branches: readonly unknown[], named: Map<string, Reader>): Reader {
  const read = readerOf(
    branches.find((each) => each !== 'null'),
    named,
  );
  return (json) => (json === null || json === undefined ? null : read(json));
}

function ofRecord({ name = '', fields = [] }: ComplexType, named: Map<string, Reader>): Reader {
  const parts: { readonly json: string; readonly key: string; readonly read: Reader }[] = [];
  const reader: Reader = (json) => {
    if (!isJsonObject(json)) return json;
    return Object.fromEntries(parts.map(({ json: field, key, read }) => [key, read(json[field])]));
  };
  // Known before its fields are: a type may hold itself.
  named.set(name, reader);
  for (const field of fields)
    parts.push({ json: field.name, key: camelCase(field.name), read: readerOf(field.type, named) });
  return reader;
}
