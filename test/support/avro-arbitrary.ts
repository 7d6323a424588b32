import fc, { type Arbitrary } from 'fast-check';
import type { TopicMessages, TopicName } from '../../src/contracts/topics.js';
import { avroSchemas } from '../../src/contracts/generated.js';
import { camelCase } from '../../src/contracts/names.js';

interface RecordSchema {
  readonly type: 'record';
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: AvroSchema }[];
}

type AvroSchema =
  | string
  | readonly AvroSchema[]
  | RecordSchema
  | { readonly type: 'enum'; readonly name: string; readonly symbols: readonly string[] }
  | { readonly type: 'array'; readonly items: AvroSchema }
  | { readonly type: 'map'; readonly values: AvroSchema }
  | { readonly type: string; readonly logicalType: string };

/** Well-formed text of all planes, with what is awkward in it. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }).map((s) => s.toWellFormed()),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', '\0', '问', '\uFEFF', '__proto__', 'x'.repeat(1000)),
);

/** `__proto__` is no key that an object can be made with by assignment, which is how maps are read. */
const mapKey = text.filter((key) => key !== '__proto__');

/** A long is exact from -2^52 on, and below 2^52. */
const long = fc.oneof(
  fc.maxSafeInteger().filter((n) => n >= -(2 ** 52) && n < 2 ** 52),
  fc.constantFrom(0, -1, 2 ** 52 - 1, -(2 ** 52), 2 ** 31, -(2 ** 31) - 1, 2 ** 28),
);

const primitives: Readonly<Record<string, Arbitrary<unknown>>> = {
  null: fc.constant(null),
  boolean: fc.boolean(),
  int: fc.integer(),
  long,
  double: fc.double(),
  string: text,
  bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
};

/** How the fields of a schema are called in its values. */
type Naming = (field: string) => string;

/** Any value of the schema, with its fields in camelCase, or as `naming` says. */
export function arbitraryOf(schema: unknown, naming: Naming = camelCase): Arbitrary<unknown> {
  return arbitrary(schema as AvroSchema, { naming, named: new Map() });
}

interface Context {
  readonly naming: Naming;
  /** Types that were declared before and are meant by their name. */
  readonly named: Map<string, Arbitrary<unknown>>;
}

/** Any message of the topic. */
export function arbitraryMessage<T extends TopicName>(topic: T): Arbitrary<TopicMessages[T]> {
  return arbitraryOf(avroSchemas[topic]) as Arbitrary<TopicMessages[T]>;
}

function arbitrary(schema: AvroSchema, context: Context): Arbitrary<unknown> {
  if (typeof schema === 'string') {
    const known = primitives[schema] ?? context.named.get(schema);
    if (known === undefined) throw new Error(`no type is called ${schema}`);
    return known;
  }
  if (Array.isArray(schema))
    return fc.oneof(...schema.map((branch: AvroSchema) => arbitrary(branch, context)));
  const made = complex(schema as Exclude<AvroSchema, string | readonly AvroSchema[]>, context);
  if ('name' in schema) context.named.set(schema.name, made);
  return made;
}

function complex(
  schema: Exclude<AvroSchema, string | readonly AvroSchema[]>,
  context: Context,
): Arbitrary<unknown> {
  if ('fields' in schema) {
    const fields = schema.fields.map(
      (field) => [context.naming(field.name), arbitrary(field.type, context)] as const,
    );
    return fc.record(Object.fromEntries(fields), { noNullPrototype: true });
  }
  if ('symbols' in schema) return fc.constantFrom(...schema.symbols);
  if ('items' in schema) return fc.array(arbitrary(schema.items, context), { maxLength: 3 });
  if ('values' in schema)
    return fc.dictionary(mapKey, arbitrary(schema.values, context), { maxKeys: 3, noNullPrototype: true });
  return arbitrary(schema.type, context);
}
