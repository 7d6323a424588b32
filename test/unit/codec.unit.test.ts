import { describe, expect, test } from 'vitest';
import { createCodec, localSchemaIds, type SchemaIds } from '../../src/contracts/codec.js';
import { avroSchemas, type DeadLetter, type LedgerEntry } from '../../src/contracts/generated.js';
import { localSchemaId } from '../../src/contracts/schema-ids.js';
import { topicNames } from '../../src/contracts/topics.js';
import { header, long, NULL, string } from '../support/avro-bytes.js';
import { encodedEntry, ledgerEntry } from '../support/ledger-entries.js';
import { refusal } from '../support/refusal.js';

const codec = createCodec();
const LEDGER = 'ledger.v1';

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
      learn: () => Promise.resolve(),
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
