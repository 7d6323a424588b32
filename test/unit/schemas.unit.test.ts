import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { avroType } from '../../src/contracts/codec.js';
import { avroSchemas, type SchemaName } from '../../src/contracts/generated.js';
import { camelCase, snakeCase } from '../../src/contracts/names.js';
import { localSchemaId, localSchemaName } from '../../src/contracts/schema-ids.js';
import { isTopicName, topicNames, topics } from '../../src/contracts/topics.js';
import { readSchemas, render, TARGET } from '../../scripts/generate-types.js';

interface Field {
  readonly name: string;
  readonly type: unknown;
  readonly doc?: string;
  readonly default?: unknown;
}

interface NamedType {
  readonly name: string;
  readonly namespace?: string;
  readonly doc?: string;
  readonly fields?: readonly Field[];
  readonly symbols?: readonly string[];
}

const schemas = [...readSchemas()] as unknown as (readonly [SchemaName, NamedType])[];

/** Every record and enum that a schema declares, itself first. */
function namedTypes(schema: unknown): NamedType[] {
  if (Array.isArray(schema)) return schema.flatMap(namedTypes);
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, items, values, fields } = schema as {
    type: unknown;
    items?: unknown;
    values?: unknown;
    fields?: Field[];
  };
  const inside = [type, items, values, ...(fields ?? []).map((field) => field.type)].flatMap(namedTypes);
  return 'name' in schema ? [schema as NamedType, ...inside] : inside;
}

/**
 * The type as text, with the names of other types in place of what they are. Defaults are left out: the agent
 * view and the draft have none, since all their fields must be there.
 */
function shapeOf(type: NamedType): string {
  return JSON.stringify(type, (attribute, value: unknown) => {
    if (attribute === 'default') return undefined;
    return value !== type && isNamed(value) ? value.name : value;
  });
}

function isNamed(value: unknown): value is NamedType {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    ('fields' in value || 'symbols' in value)
  );
}

function fieldsOf(schema: unknown): Field[] {
  return namedTypes(schema).flatMap((type) => type.fields ?? []);
}

describe.each(schemas)('schemas/%s.avsc', (name, schema) => {
  test('is documented, every type and every field of it', () => {
    for (const type of namedTypes(schema)) {
      expect(type.doc?.trim(), type.name).toBeTruthy();
      for (const field of type.fields ?? [])
        expect(field.doc?.trim(), `${type.name}.${field.name}`).toBeTruthy();
    }
  });

  test('has names that are snake_case in JSON and go to camelCase and back', () => {
    for (const { name: field } of fieldsOf(schema)) {
      expect(field).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
      expect(snakeCase(camelCase(field))).toBe(field);
    }
    for (const type of namedTypes(schema)) expect(type.name).toMatch(/^[A-Z][A-Za-z0-9]*$/);
    expect(schema.namespace).toBe('dev.proofline.v1');
  });

  test('makes a type, and what it has for defaults are values', () => {
    expect(avroType(name).typeName).toBe('record');
    for (const field of fieldsOf(schema)) {
      // A record's default would have to be spelled as its fields are.
      expect([undefined, null, '{}', '[]', 'false', '0']).toContain(
        field.default === undefined || field.default === null ? field.default : JSON.stringify(field.default),
      );
      if (Array.isArray(field.type) && field.type.includes('null')) expect(field.type[0]).toBe('null');
    }
  });

  test('has no list of what takes no bytes', () => {
    expect(JSON.stringify(schema)).not.toMatch(/"(items|values)":"null"/);
    for (const type of namedTypes(schema)) expect(type.fields ?? type.symbols).not.toEqual([]);
  });
});

describe('the schemas of topics', () => {
  test('are one for each topic; the only others are the agent view and the draft', () => {
    const others = schemas.map(([name]) => name).filter((name) => !isTopicName(name));
    expect(others).toEqual(['agent-view.v1', 'draft.v1']);
    expect(topicNames.every((topic) => schemas.some(([name]) => name === topic))).toBe(true);
  });

  test.each(topicNames)('%s begins with the envelope', (topic) => {
    const [, schema] = schemas.find(([name]) => name === topic)!;
    const envelope = schema.fields!.slice(0, 4).map(({ name, type }) => [name, JSON.stringify(type)]);
    expect(envelope).toEqual([
      ['event_id', '"string"'],
      ['caused_by', '["null","string"]'],
      ['run_id', '"string"'],
      ['occurred_at', '{"type":"long","logicalType":"timestamp-millis"}'],
    ]);
  });

  test.each(topicNames.filter((topic) => topics[topic].contract === 'frozen'))(
    '%s, which is frozen, ends with room for what nobody foresaw',
    (topic) => {
      const [, schema] = schemas.find(([name]) => name === topic)!;
      expect(schema.fields!.at(-1)).toMatchObject({
        name: 'ext',
        type: { type: 'map', values: 'string' },
        default: {},
      });
    },
  );
});

describe('all schemas together', () => {
  test('mean one thing by one name', () => {
    const shapes = new Map<string, { shape: string; where: string }>();
    for (const [where, schema] of schemas) {
      for (const type of namedTypes(schema)) {
        const shape = shapeOf({ ...type, namespace: 'dev.proofline.v1' });
        const before = shapes.get(type.name) ?? { shape, where };
        shapes.set(type.name, before);
        expect(JSON.parse(shape), `${type.name} in ${where} and in ${before.where}`).toEqual(
          JSON.parse(before.shape),
        );
      }
    }
    expect(shapes.size).toBeGreaterThan(schemas.length);
  });

  test('have local ids that no two share', () => {
    const names = Object.keys(avroSchemas) as SchemaName[];
    const ids = names.map(localSchemaId);
    expect(new Set(ids).size).toBe(names.length);
    expect(ids.map(localSchemaName)).toEqual(names);
    expect(ids.every((id) => id > 0x7f000000 && id < 0x7f010000)).toBe(true);
    expect(localSchemaName(0x7f000000)).toBeUndefined();
  });

  test('are those that the generated types were made of', async () => {
    const stale = `${TARGET} is stale: run npm run generate`;
    expect(readFileSync(TARGET, 'utf8') === (await render()), stale).toBe(true);
  });
});
