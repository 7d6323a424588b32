import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCodec } from '../../src/contracts/codec.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { localSchemaId } from '../../src/contracts/schema-ids.js';
import { topicNames, type TopicName } from '../../src/contracts/topics.js';
import { arbitraryMessage } from '../support/avro-arbitrary.js';

const codec = createCodec();

/** How many random records are decoded in all. */
const FUZZ_RUNS = Math.min(200_000, Number(process.env['PROOFLINE_FUZZ_RUNS'] ?? 2000));
/** No record of these sizes takes a decoder near as long. */
const SLOWEST_MS = 2000;

describe.each(topicNames)('%s', (topic) => {
  const message = arbitraryMessage(topic);

  test('decodes what it encodes', () => {
    fc.assert(
      fc.property(message, (given) => {
        expect(codec.decode(topic, codec.encode(topic, given))).toEqual(given);
      }),
      { numRuns: 60 },
    );
  });

  test('refuses every message that is cut off, or goes on', () => {
    fc.assert(
      fc.property(message, fc.double({ min: 0, max: 1, noNaN: true }), (given, part) => {
        const whole = codec.encode(topic, given);
        const cut = whole.subarray(0, Math.floor(part * (whole.length - 1)));
        for (const value of [cut, Buffer.concat([whole, whole.subarray(0, 1)])])
          expect(() => codec.decode(topic, value)).toThrow(
            expect.objectContaining({ code: 'PL_RECORD_UNDECODABLE' }),
          );
      }),
      { numRuns: 30 },
    );
  });

  test(
    'eats any bytes: they are a message, or it says that they are none',
    () => {
      fc.assert(
        fc.property(anyBytes(topic), (bytes) => eat(topic, bytes)),
        { numRuns: Math.ceil(FUZZ_RUNS / topicNames.length) },
      );
    },
    30_000 + 10 * FUZZ_RUNS,
  );
});

/** Bytes at random, behind a good header, and good records with a few bytes changed, put in or left out. */
function anyBytes(topic: TopicName): Arbitrary<Buffer> {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(localSchemaId(topic), 1);
  const noise = fc.uint8Array({ maxLength: 300 });
  // Small numbers are what counts, lengths, branches and symbols are made of.
  const numbers = fc.array(fc.oneof(fc.nat(8), fc.constantFrom(0x80, 0xff, 0x7f, 0x81), fc.nat(255)), {
    maxLength: 300,
  });
  const edits = fc.array(
    fc.tuple(fc.nat(), fc.constantFrom('change', 'insert', 'remove'), fc.oneof(fc.nat(255), fc.nat(4))),
    { minLength: 1, maxLength: 8 },
  );
  return fc.oneof(
    noise.map((bytes) => Buffer.from(bytes)),
    noise.map((bytes) => Buffer.concat([header, bytes])),
    numbers.map((bytes) => Buffer.concat([header, Buffer.from(bytes)])),
    {
      arbitrary: fc.tuple(arbitraryMessage(topic), edits).map(([message, e]) => edited(topic, message, e)),
      weight: 5,
    },
  );
}

function edited<T extends TopicName>(
  topic: T,
  message: Parameters<typeof codec.encode<T>>[1],
  edits: readonly (readonly [number, string, number])[],
): Buffer {
  const bytes = [...codec.encode(topic, message)];
  for (const [where, how, byte] of edits) {
    const at = 5 + (where % Math.max(1, bytes.length - 5));
    if (how === 'change') bytes[at] = byte;
    else if (how === 'insert') bytes.splice(at, 0, byte);
    else bytes.splice(at, 1);
  }
  return Buffer.from(bytes);
}

/** Whatever is decoded can be encoded again: nothing comes in that could not go out. */
function eat(topic: TopicName, bytes: Buffer): void {
  const started = performance.now();
  try {
    const message = codec.decode(topic, bytes);
    expect(codec.decode(topic, codec.encode(topic, message))).toEqual(message);
  } catch (error) {
    if (!isProoflineError(error, 'PL_RECORD_UNDECODABLE', 'PL_SCHEMA_UNKNOWN')) throw error;
  }
  expect(performance.now() - started).toBeLessThan(SLOWEST_MS);
}
