import { describe, expect, test } from 'vitest';
import { createCodec, localSchemaIds, parseSchema, type SchemaIds } from '../../src/contracts/codec.js';
import { avroSchemas, type DeadLetter, type LedgerEntry } from '../../src/contracts/generated.js';
import { localSchemaId } from '../../src/contracts/schema-ids.js';
import { topicNames, topics } from '../../src/contracts/topics.js';
import { header, long, NULL, string } from '../support/avro-bytes.js';
import { encodedEntry, ledgerEntry } from '../support/ledger-entries.js';

const codec = createCodec();
const LEDGER = 'ledger.v1';

function refusal(code: string, problem = ''): Error {
  return expect.objectContaining({
    name: 'ProoflineError',
    code,
    message: expect.stringContaining(problem) as string,
  }) as Error;
}

function decoding(value: Buffer, topic: Parameters<typeof codec.decode>[0] = LEDGER): () => unknown {
  return () => codec.decode(topic, value);
}

describe('the wire format', () => {
  test('is a zero byte, the schema id, and the Avro binary', () => {
    const bytes = codec.encode('dead-letter-done.v1', {
      eventId: 'e',
      causedBy: null,
      runId: 'r',
      occurredAt: 1,
      deadLetterEventId: 'd',
      replayedBy: 'p',
      to: { topic: 't', partition: 3 },
    });
    expect(bytes.toString('hex')).toBe(
      Buffer.concat([
        header(16),
        string('e'),
        NULL,
        string('r'),
        long(1),
        string('d'),
        string('p'),
        string('t'),
        long(3),
      ]).toString('hex'),
    );
  });

  test.each(topicNames)('writes the local id of %s', (topic) => {
    expect(localSchemaIds.idOf(topic)).toBe(localSchemaId(topic));
    expect(localSchemaIds.schemaOf(localSchemaId(topic))).toEqual({ key: topic, schema: avroSchemas[topic] });
  });

  test('writes the id that a registry gave, and reads it as well as the local one', () => {
    const ids: SchemaIds = {
      idOf: () => 0x01020304,
      schemaOf: (id) =>
        id === 0x01020304 ? { key: 'id 16909060', schema: avroSchemas[LEDGER] } : localSchemaIds.schemaOf(id),
    };
    const registered = createCodec(ids);
    const bytes = registered.encode(LEDGER, ledgerEntry());
    expect([...bytes.subarray(0, 5)]).toEqual([0, 1, 2, 3, 4]);
    expect(registered.decode(LEDGER, bytes)).toEqual(ledgerEntry());
    expect(registered.decode(LEDGER, encodedEntry())).toEqual(ledgerEntry());
    expect(decoding(bytes)).toThrow(refusal('PL_SCHEMA_UNKNOWN', '16909060'));
  });

  test('given messages of any size, each gets bytes of its own', () => {
    const small = codec.encode(LEDGER, ledgerEntry({ agentView: 'small' }));
    const before = Buffer.from(small);
    const large = [60_000, 65_400, 65_536, 70_000, 3_000_000, 10].map((size) =>
      ledgerEntry({ agentView: '问'.repeat(size) }),
    );
    const encoded = large.map((entry) => codec.encode(LEDGER, entry));
    expect(small).toEqual(before);
    encoded.forEach((bytes, i) => expect(codec.decode(LEDGER, bytes)).toEqual(large[i]));
  });

  test('keeps bytes apart from the buffer that they came in', () => {
    const letter: DeadLetter = {
      eventId: 'e',
      causedBy: null,
      runId: '',
      occurredAt: 0,
      origin: { topic: 't', partition: 0, offset: 0 },
      key: Buffer.from([0, 255]),
      value: Buffer.alloc(0),
      headers: [{ key: 'k', value: Buffer.from([1]) }],
      station: 's',
      code: 'c',
      message: 'm',
      attempt: 1,
    };
    const bytes = codec.encode('dead-letter.v1', letter);
    const decoded = codec.decode('dead-letter.v1', bytes);
    bytes.fill(7);
    expect(decoded).toEqual(letter);
  });
});

describe('decoding what is no message', () => {
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['one byte', Buffer.from([0])],
    ['four bytes', Buffer.from([0, 0x7f, 0, 0])],
    ['only the header', header(5)],
    ['JSON', Buffer.from(JSON.stringify(ledgerEntry()))],
    ['another magic byte', Buffer.concat([Buffer.from([1]), encodedEntry().subarray(1)])],
    ['a byte too many', Buffer.concat([encodedEntry(), Buffer.from([0])])],
    ['a second message behind it', Buffer.concat([encodedEntry(), encodedEntry()])],
  ])('given %s, refuses it', (_, value) => {
    expect(decoding(value)).toThrow(refusal('PL_RECORD_UNDECODABLE'));
  });

  test('given a message cut off anywhere, refuses it', () => {
    const whole = encodedEntry({
      blocks: [{ documentId: 'd', content: 'c' }],
      dropped: [{ evidenceKey: 'k', documentId: 'd', originalRank: 3, reason: 'BLANK' }],
      ext: { a: 'b' },
    });
    for (let length = 0; length < whole.length; length++) {
      expect(decoding(whole.subarray(0, length)), `${length} bytes`).toThrow(
        refusal('PL_RECORD_UNDECODABLE'),
      );
    }
  });

  test.each([0, 1, 0x7effffff, 0x7f000000, 0x7f000013, 0xffffffff])(
    'given schema id %i, does not know it',
    (id) => {
      const value = encodedEntry();
      value.writeUInt32BE(id, 1);
      expect(decoding(value)).toThrow(refusal('PL_SCHEMA_UNKNOWN', String(id)));
    },
  );

  test.each(topicNames.filter((topic) => topic !== LEDGER))(
    'given a message of %s on another topic, refuses it',
    (topic) => {
      const value = encodedEntry();
      value.writeUInt32BE(localSchemaId(topic), 1);
      for (let i = 0; i < 2; i++)
        expect(decoding(value)).toThrow(
          refusal('PL_RECORD_UNDECODABLE', `${topic} cannot be read as ${LEDGER}`),
        );
    },
  );
});

/** A ledger entry up to where its blocks begin. */
const BEFORE_BLOCKS = Buffer.concat([
  header(5),
  string('event'),
  NULL,
  string('run-1'),
  long(1),
  string('call-1'),
  string('tool'),
  long(0),
  string('event'),
  string('sha'),
  long(1),
  NULL,
  NULL,
]);
const EMPTY = long(0);
const SIGNATURE = Buffer.concat([string('key'), string('value')]);
const BLOCK = Buffer.concat([string('d'), string('c')]);

/** A whole entry with these bytes where its blocks are. */
function entryWith(blocks: readonly Buffer[], ext: readonly Buffer[] = [EMPTY]): Buffer {
  return Buffer.concat([BEFORE_BLOCKS, ...blocks, EMPTY, EMPTY, NULL, NULL, long(9), SIGNATURE, ...ext]);
}

describe('decoding what is made to exhaust the reader', () => {
  test('given blocks as other writers write them, reads them', () => {
    const one = { documentId: 'd', content: 'c' };
    const blocksOf = (...blocks: Buffer[]): LedgerEntry['blocks'] =>
      codec.decode(LEDGER, entryWith(blocks)).blocks;
    expect(blocksOf(EMPTY)).toEqual([]);
    expect(blocksOf(long(1), BLOCK, long(2), BLOCK, BLOCK, EMPTY)).toEqual([one, one, one]);
    expect(blocksOf(long(-2), long(BLOCK.length * 2), BLOCK, BLOCK, EMPTY)).toEqual([one, one]);
    const ext = [long(-1), long(4), string('a'), string('b'), long(1), string('c'), string('d'), EMPTY];
    expect(codec.decode(LEDGER, entryWith([EMPTY], ext)).ext).toEqual({ a: 'b', c: 'd' });
  });

  const counts = [
    2 ** 20,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 32,
    2 ** 40,
    2 ** 53,
    2n ** 62n,
    -(2n ** 62n),
    -(2n ** 63n),
  ];
  test.each(counts)('given an array or a map of %d items in few bytes, refuses it at once', (count) => {
    const started = performance.now();
    for (const size of count < 0 ? [[long(0)], [long(BLOCK.length)], [long(-5)], [long(2n ** 61n)]] : [[]]) {
      const bombs = [
        entryWith([long(count), ...size, BLOCK]),
        Buffer.concat([BEFORE_BLOCKS, long(count), ...size]),
        entryWith([EMPTY], [long(count), ...size, string('a'), string('b')]),
        // Each of the items is there, but says that it holds as many bytes.
        entryWith([long(3), long(count), long(count), long(count)]),
      ];
      for (const bomb of bombs) expect(decoding(bomb)).toThrow(refusal('PL_RECORD_UNDECODABLE'));
    }
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test.each([-1, -2, 2 ** 31, 2 ** 32 + 5, 2n ** 62n, -(2n ** 63n)])(
    'given a text of %d bytes, refuses it',
    (length) => {
      expect(decoding(Buffer.concat([header(5), long(length), Buffer.alloc(100)]))).toThrow(
        refusal('PL_RECORD_UNDECODABLE'),
      );
    },
  );

  test('given a block that says another size than it has, refuses it', () => {
    expect(decoding(entryWith([long(-1), long(BLOCK.length + 1), BLOCK, EMPTY]))).toThrow(
      refusal('PL_RECORD_UNDECODABLE'),
    );
  });

  test('given a number that never ends, refuses it', () => {
    for (const length of [11, 1000, 1_000_000]) {
      expect(decoding(Buffer.concat([header(5), Buffer.alloc(length, 0xff)]))).toThrow(
        refusal('PL_RECORD_UNDECODABLE'),
      );
    }
  });

  test('given an int that is none, a branch or a symbol that there is not, refuses it', () => {
    const done = (partition: Buffer): Buffer =>
      Buffer.concat([
        header(16),
        string('e'),
        NULL,
        string('r'),
        long(1),
        string('d'),
        string('p'),
        string('t'),
        partition,
      ]);
    expect(codec.decode('dead-letter-done.v1', done(long(2 ** 31 - 1))).to.partition).toBe(2 ** 31 - 1);
    for (const wrong of [2 ** 31, -(2 ** 31) - 1, 2n ** 62n])
      expect(decoding(done(long(wrong)), 'dead-letter-done.v1')).toThrow(refusal('PL_RECORD_UNDECODABLE'));
    for (const branch of [2, -1, 2 ** 40])
      expect(decoding(Buffer.concat([header(5), string('e'), long(branch), Buffer.alloc(200)]))).toThrow(
        refusal('PL_RECORD_UNDECODABLE'),
      );
    const upToState = BEFORE_BLOCKS.indexOf(string('tool')) + 5;
    for (const symbol of [3, -1, 2 ** 40]) {
      const value = Buffer.concat([BEFORE_BLOCKS.subarray(0, upToState), long(symbol), Buffer.alloc(200)]);
      expect(decoding(value)).toThrow(refusal('PL_RECORD_UNDECODABLE', 'symbol'));
    }
  });

  test('given a long that is not exact as a number, refuses it', () => {
    for (const offset of [2n ** 52n, -(2n ** 52n) - 1n, 2n ** 53n, -(2n ** 53n), 2n ** 62n]) {
      const value = entryWith([EMPTY]);
      const at = BEFORE_BLOCKS.length - 3;
      const wrong = Buffer.concat([value.subarray(0, at), long(offset), value.subarray(at + 1)]);
      expect(decoding(wrong)).toThrow(refusal('PL_RECORD_UNDECODABLE', 'not exact'));
    }
  });

  test('given the largest record of the smallest items, takes a bounded multiple of its size', () => {
    const items = 2_000_000;
    const rest = [EMPTY, long(items), Buffer.alloc(2 * items), EMPTY, NULL, NULL, long(9), SIGNATURE, EMPTY];
    const value = Buffer.concat([BEFORE_BLOCKS, EMPTY, ...rest]);
    expect(value.length).toBeLessThan(topics[LEDGER].maxBytes);
    const before = process.memoryUsage().heapUsed;
    expect(codec.decode(LEDGER, value).cuts).toHaveLength(items);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * value.length);
  });

  test("given a map with the key __proto__, nobody's prototype changes", () => {
    const ext = [long(2), string('__proto__'), string('x'), string('a'), string('b'), EMPTY];
    const { ext: decoded } = codec.decode(LEDGER, entryWith([EMPTY], ext));
    expect(decoded).toEqual({ a: 'b' });
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
  });
});

describe('encoding', () => {
  const wrong = (more: object): (() => Buffer) => {
    const message = { ...ledgerEntry(), ...more };
    return () => codec.encode(LEDGER, message);
  };

  test.each([
    ['a text', { agentView: 'a\ud800b' }],
    ['a long text', { agentView: `${'x'.repeat(100)}\udc00` }],
    ['a text deep inside', { blocks: [{ documentId: 'd', content: '\udfff' }] }],
    ['a value of a map', { ext: { a: '\ud800' } }],
    ['a key of a map', { ext: { '\ud800': 'a' } }],
  ])('given a lone surrogate in %s, refuses it', (_, more) => {
    expect(wrong(more)).toThrow(refusal('PL_INVARIANT', 'malformed text'));
  });

  test.each([
    ['a field that is not declared', { more: 1 }, ''],
    ['one deep inside', { signature: { keyId: 'k', value: 'v', more: 1 } }, 'signature'],
    ['a text for a number', { occurredAt: '2026-01-01' }, 'occurredAt'],
    ['a fraction', { requestOffset: 1.5 }, 'requestOffset'],
    ['not a number', { requestOffset: Number.NaN }, 'requestOffset'],
    ['a long that is not exact', { requestOffset: 2 ** 53 }, 'requestOffset'],
    ['one that avsc would change', { requestOffset: -(2 ** 52) - 1 }, 'not exact'],
    ['the first of those', { requestOffset: 2 ** 52 }, 'not exact'],
    [
      'an int beyond 32 bits',
      { dropped: [{ evidenceKey: '', documentId: '', originalRank: 2 ** 31, reason: '' }] },
      'dropped',
    ],
    ['a symbol that there is not', { state: 'DONE' }, 'state'],
    ['nothing for a field without default', { runId: undefined }, 'runId'],
    ['null where it must be', { runId: null }, 'runId'],
    ['an object for a list', { blocks: {} }, 'blocks'],
    ['a list for a map', { ext: [] }, 'ext'],
  ])('given %s, refuses it and says where', (_, more, where) => {
    expect(wrong(more)).toThrow(refusal('PL_INVARIANT', where));
  });

  test.each([null, undefined, 1, 'text', []])('given %j, refuses it', (message) => {
    expect(() => codec.encode(LEDGER, message as unknown as LedgerEntry)).toThrow(refusal('PL_INVARIANT'));
  });
});

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
