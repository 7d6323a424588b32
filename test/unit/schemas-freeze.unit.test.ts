import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCodec, localSchemaIds } from '../../src/contracts/codec.js';
import { avroSchemas } from '../../src/contracts/generated.js';
import { topics, type TopicName } from '../../src/contracts/topics.js';
import {
  avroTypeOf,
  brokenPromises,
  currentLock,
  lockEntry,
  mergedLock,
  readLock,
  unlocked,
  type InternalSchema,
  type Lock,
} from '../../scripts/freeze-schemas.js';
import { arbitraryOf } from '../support/avro-arbitrary.js';

const lock = readLock();

describe('the freeze lock', () => {
  test('is kept: no frozen schema has moved, and no internal one forgot how to read its records', () => {
    expect(brokenPromises(lock, currentLock())).toEqual([]);
  });

  test('has every schema (if not: npx tsx scripts/freeze-schemas.ts)', () => {
    expect(unlocked(lock, currentLock())).toEqual([]);
  });

  test('gives no local id twice', () => {
    const ids = Object.values(lock.avro).map((entry) => entry.local_id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  const internal = Object.entries(lock.avro).filter(
    (entry): entry is [TopicName, InternalSchema] => entry[1].contract === 'internal' && entry[0] in topics,
  );
  test.each(internal)('%s: records written with the locked schema are read', (topic, { schema }) => {
    const written = avroTypeOf(schema);
    const codec = createCodec({ ...localSchemaIds, schemaOf: () => ({ key: 'locked', schema }) });
    const header = Buffer.from([0, 0, 0, 0, 1]);
    fc.assert(
      fc.property(
        arbitraryOf(schema, (name) => name),
        (message) => {
          const decoded = codec.decode(topic, Buffer.concat([header, written.toBuffer(message)]));
          expect(codec.encode(topic, decoded).length).toBeGreaterThan(header.length);
        },
      ),
      { numRuns: 20 },
    );
  });
});

interface Schema {
  doc?: string;
  name: string;
  fields: { name: string; type: unknown; doc?: string; default?: unknown; aliases?: string[] }[];
}

/** The lock of one schema, and of the same schema changed. */
function change(name: TopicName, edit: (schema: Schema) => void): { before: Lock; after: Lock } {
  const schema = structuredClone(avroSchemas[name]) as unknown as Schema;
  const before: Lock = { avro: { [name]: lockEntry(name, structuredClone(schema)) }, json: {} };
  edit(schema);
  return { before, after: { avro: { [name]: lockEntry(name, schema) }, json: {} } };
}

function problems(name: TopicName, edit: (schema: Schema) => void): string[] {
  const { before, after } = change(name, edit);
  return brokenPromises(before, after);
}

function field(schema: Schema, name: string): Schema['fields'][number] {
  return schema.fields.find((each) => each.name === name)!;
}

describe('a frozen schema', () => {
  test('may be documented better', () => {
    expect(
      problems('ledger.v1', (s) => {
        s.doc = 'Other words.';
        field(s, 'state').doc = 'Other words.';
        (field(s, 'state').type as { doc: string }).doc = 'Other words.';
      }),
    ).toEqual([]);
  });

  test('may be written in another order of attributes', () => {
    expect(
      problems('ledger.v1', (s) => {
        s.fields = s.fields.map(({ type, ...rest }) => ({ ...rest, type }));
      }),
    ).toEqual([]);
  });

  const canonical = /^ledger\.v1 is frozen, but its canonical form and an attribute other than doc moved/;
  test.each<[string, (s: Schema) => void]>([
    ['a new field with a default', (s) => s.fields.push({ name: 'more', type: 'string', default: '' })],
    ['one field less', (s) => s.fields.pop()],
    ['another name of a field', (s) => (field(s, 'expires_at').name = 'expiry')],
    ['another order of fields', (s) => s.fields.reverse()],
    ['another type', (s) => (field(s, 'request_offset').type = 'int')],
    ['one symbol more', (s) => (field(s, 'state').type as { symbols: string[] }).symbols.push('LOST')],
  ])('may not have %s, and it is said how to change', (_, edit) => {
    const [problem, ...more] = problems('ledger.v1', edit);
    expect(more).toEqual([]);
    expect(problem).toMatch(canonical);
    expect(problem).toContain('schemas/ledger.v2.avsc');
  });

  test.each<[string, (s: Schema) => void]>([
    ['another default', (s) => (field(s, 'ext').default = { a: 'b' })],
    ['another default with a doc inside', (s) => (field(s, 'ext').default = { doc: 'x' })],
    [
      'another logical type',
      (s) => (field(s, 'expires_at').type = { type: 'long', logicalType: 'timestamp-micros' }),
    ],
    ['an alias', (s) => (field(s, 'expires_at').aliases = ['expiry'])],
  ])('may not have %s, which its canonical form does not show', (_, edit) => {
    expect(problems('ledger.v1', edit)).toEqual([
      expect.stringMatching(/^ledger\.v1 is frozen, but an attribute other than doc moved/),
    ]);
  });

  test('may not go, become internal, or get another id', () => {
    const { before } = change('ledger.v1', () => undefined);
    expect(brokenPromises(before, { avro: {}, json: {} })).toEqual([expect.stringContaining('is gone')]);
    const internal: Lock = {
      avro: {
        'ledger.v1': { contract: 'internal', local_id: before.avro['ledger.v1']!.local_id, schema: {} },
      },
      json: {},
    };
    expect(brokenPromises(before, internal)).toEqual([expect.stringContaining('cannot become internal')]);
    const renumbered = { avro: { 'ledger.v1': { ...before.avro['ledger.v1']!, local_id: 1 } }, json: {} };
    expect(brokenPromises(before, renumbered)).toEqual([expect.stringContaining('never given anew')]);
  });
});

describe('an internal schema', () => {
  test.each<[string, (s: Schema) => void]>([
    ['a new field with a default', (s) => s.fields.push({ name: 'more', type: 'string', default: '' })],
    ['one field less', (s) => s.fields.pop()],
    ['another order of fields', (s) => s.fields.reverse()],
    ['a wider type', (s) => (field(s, 'top_k').type = 'long')],
    [
      'a new name, with the old one as its alias',
      (s) => Object.assign(field(s, 'top_k'), { name: 'k', aliases: ['top_k'] }),
    ],
  ])('may have %s', (_, edit) => {
    expect(problems('raw-hits.v1', edit)).toEqual([]);
  });

  test.each<[string, (s: Schema) => void]>([
    ['a new field without a default', (s) => s.fields.push({ name: 'more', type: 'string' })],
    ['another name of a field', (s) => (field(s, 'top_k').name = 'k')],
    ['a type that the old one does not fit', (s) => (field(s, 'top_k').type = 'string')],
    ['a symbol less', (s) => (field(s, 'outcome').type as { symbols: string[] }).symbols.pop()],
    ['another name of its own', (s) => (s.name = 'Hits')],
  ])('may not have %s', (_, edit) => {
    expect(problems('raw-hits.v1', edit)).toEqual([
      expect.stringMatching(/^raw-hits\.v1 can no longer read what was written with it before/),
    ]);
  });
});

describe('a JSON Schema', () => {
  const before: Lock = { avro: {}, json: { 'draft.v1.schema.json': 'a' } };

  test('may not change or go', () => {
    for (const json of [{ 'draft.v1.schema.json': 'b' }, {}])
      expect(brokenPromises(before, { avro: {}, json })).toEqual([
        expect.stringMatching(/^draft\.v1\.schema\.json has changed or is gone.*draft\.v2/),
      ]);
  });
});

describe('writing the lock', () => {
  test('adds what is new, brings internal schemas up to date, and keeps what is gone', () => {
    const { before, after } = change('raw-hits.v1', (s) =>
      s.fields.push({ name: 'more', type: 'string', default: '' }),
    );
    const gone = change('ledger.v1', () => undefined).before;
    const current: Lock = { ...after, json: { 'new.schema.json': 'x' } };
    expect(unlocked(before, current)).toEqual(['new.schema.json']);
    expect(unlocked({ avro: {}, json: {} }, current)).toEqual(['raw-hits.v1', 'new.schema.json']);
    expect(mergedLock({ avro: { ...before.avro, ...gone.avro }, json: {} }, current)).toEqual({
      avro: { ...gone.avro, ...after.avro },
      json: current.json,
    });
  });
});
