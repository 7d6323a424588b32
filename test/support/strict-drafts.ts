import fc from 'fast-check';
import type { JsonObject } from '../../src/contracts/json.js';

/** Lists are within the limits that the schema can only say in words. */
const LONGEST_LIST = 4;

/**
 * Values that a schema of the strict subset lets a model write: every field is there, and what may be null is null as
 * often as not. Ids of analyses are not blank, which the schema says in words.
 */
export function valuesOf(schema: JsonObject, name = ''): fc.Arbitrary<unknown> {
  const { anyOf, enum: values, items, properties } = schema;
  if (Array.isArray(anyOf)) return fc.oneof(...(anyOf as JsonObject[]).map((each) => valuesOf(each, name)));
  if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]));
  const types = [schema['type'] ?? []].flat() as string[];
  return fc.oneof(...types.map((type) => valuesOfType(type, { items, properties, name })));
}

function valuesOfType(
  type: string,
  { items, properties, name }: { items: unknown; properties: unknown; name: string },
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'string':
      return name === 'id'
        ? fc.string({ minLength: 1 }).map((text) => `a${text}`)
        : fc.string({ unit: 'binary' });
    case 'array':
      return fc.array(valuesOf(items as JsonObject), { maxLength: LONGEST_LIST });
    case 'object': {
      const fields = Object.entries(properties as Record<string, JsonObject>);
      return fc.record(Object.fromEntries(fields.map(([field, schema]) => [field, valuesOf(schema, field)])));
    }
    default:
      throw new Error(`no values of type ${type}`);
  }
}
