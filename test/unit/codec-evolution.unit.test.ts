import { describe, expect, test } from 'vitest';
import { createCodec, localSchemaIds, parseSchema } from '../../src/contracts/codec.js';
import { avroSchemas } from '../../src/contracts/generated.js';
import { long, NULL, string } from '../support/avro-bytes.js';
import { refusal } from '../support/refusal.js';

const EMPTY = long(0);

describe('a writer with another schema', () => {
  interface Field {
    name: string;
    type: unknown;
    default?: unknown;
    aliases?: string[];
  }
  interface Schema {
    type: string;
    name: string;
    namespace: string;
    fields: Field[];
  }
  const DONE = 'dead-letter-done.v1';
  const WRITTEN = [string('e'), NULL, string('r'), long(1), string('d'), string('p'), string('t'), long(3)];

  function evolved(change: (schema: Schema) => void): Schema {
    const schema = structuredClone(avroSchemas[DONE]) as unknown as Schema;
    change(schema);
    return schema;
  }

  function codecFor(schema: unknown): ReturnType<typeof createCodec> {
    return createCodec({
      ...localSchemaIds,
      schemaOf: (id) => (id === 9 ? { key: 'id 9', schema } : undefined),
    });
  }

  function decodeAs(schema: unknown, parts: readonly Buffer[]): unknown {
    return codecFor(schema).decode(DONE, Buffer.concat([Buffer.from([0, 0, 0, 0, 9]), ...parts]));
  }

  const expected = {
    eventId: 'e',
    causedBy: null,
    runId: 'r',
    occurredAt: 1,
    deadLetterEventId: 'd',
    replayedBy: 'p',
    to: { topic: 't', partition: 3 },
  };

  test('given fields that we do not know, passes over them', () => {
    const schema = evolved((s) =>
      s.fields.push(
        { name: 'note', type: ['null', 'string'] },
        { name: 'tags', type: { type: 'array', items: 'string' } },
        { name: 'more', type: { type: 'map', values: { type: 'fixed', name: 'Two', size: 2 } } },
      ),
    );
    const more = [
      long(1),
      string('n'),
      long(-1),
      long(2),
      string('a'),
      EMPTY,
      long(1),
      string('k'),
      Buffer.from([1, 2]),
      EMPTY,
    ];
    expect(decodeAs(schema, [...WRITTEN, ...more])).toEqual(expected);
  });

  test('given that it writes in another order, without what has a default, or narrower numbers, reads it', () => {
    const reordered = evolved((s) => {
      s.fields = [s.fields.at(-1)!, ...s.fields.slice(0, 1), ...s.fields.slice(2, -1)];
      s.fields.find((field) => field.name === 'occurred_at')!.type = 'int';
    });
    const parts = [string('t'), long(3), string('e'), string('r'), long(1), string('d'), string('p')];
    expect(decodeAs(reordered, parts)).toEqual(expected);
  });

  test('given the name that a field had before, reads it where the new one has it for an alias', () => {
    const renamed = evolved((s) => {
      Object.assign(
        s.fields.find((field) => field.name === 'replayed_by')!,
        {
          name: 'sent_again_by',
          aliases: ['replayed_by'],
        },
      );
    });
    const [now, before] = [parseSchema(renamed), parseSchema(avroSchemas[DONE])];
    const read = now.fromBuffer(Buffer.concat(WRITTEN), now.createResolver(before)) as unknown;
    expect(read).toMatchObject({ sentAgainBy: 'p', deadLetterEventId: 'd' });
  });

  test('given lists of what it alone knows, they cannot exhaust the reader either', () => {
    const schema = evolved((s) => s.fields.push({ name: 'tags', type: { type: 'array', items: 'null' } }));
    for (const bomb of [[long(2n ** 40n)], [long(-5), long(-1000)], [long(-5), long(2n ** 40n)]])
      expect(() => decodeAs(schema, [...WRITTEN, ...bomb, EMPTY])).toThrow(refusal('PL_RECORD_UNDECODABLE'));
  });

  test('given a schema that holds itself, a value of endless depth is refused', () => {
    const schema = evolved((s) =>
      s.fields.push({
        name: 'chain',
        type: ['null', { type: 'record', name: 'Link', fields: [{ name: 'next', type: ['null', 'Link'] }] }],
      }),
    );
    expect(decodeAs(schema, [...WRITTEN, long(1), long(1), NULL])).toEqual(expected);
    expect(() => decodeAs(schema, [...WRITTEN, Buffer.alloc(3_000_000, 2), NULL])).toThrow(
      refusal('PL_RECORD_UNDECODABLE'),
    );
  });

  test.each<[string, (schema: Schema) => void]>([
    [
      'lacks a field that we need',
      (s) => (s.fields = s.fields.filter((field) => field.name !== 'replayed_by')),
    ],
    ['has another type for one', (s) => (s.fields.find((field) => field.name === 'run_id')!.type = 'long')],
    ['has another name', (s) => (s.name = 'Other')],
    ['is no schema', (s) => (s.type = 'nonsense')],
  ])('given that its schema %s, its records are undecodable', (_, change) => {
    for (let i = 0; i < 2; i++)
      expect(() => decodeAs(evolved(change), WRITTEN)).toThrow(
        refusal('PL_RECORD_UNDECODABLE', 'id 9 cannot be read'),
      );
  });

  test.each([null, 5, {}, [], 'string'])('given %j for its schema, its records are undecodable', (schema) => {
    expect(() => decodeAs(schema, WRITTEN)).toThrow(refusal('PL_RECORD_UNDECODABLE'));
  });
});
