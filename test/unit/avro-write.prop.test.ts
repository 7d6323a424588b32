import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createOutput, createWrite, type Write } from '../../src/contracts/avro-write.js';
import { avroType, createCodec } from '../../src/contracts/codec.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { topicNames, type TopicName } from '../../src/contracts/topics.js';
import { arbitraryMessage } from '../support/avro-arbitrary.js';

/** What the writer makes of a value, behind some bytes that are not its own; null where it leaves it alone. */
function written(topic: TopicName, value: unknown): Buffer | null {
  const write = writes.get(topic) ?? createWrite(avroType(topic));
  writes.set(topic, write);
  const out = createOutput();
  out.at = 3;
  return write(out, value) ? out.bytes.subarray(3, out.at) : null;
}

const writes = new Map<TopicName, Write>();

const codec = createCodec();

function isRefused(topic: TopicName, value: unknown): boolean {
  try {
    codec.encode(topic, value as never);
    return false;
  } catch (error) {
    if (!isProoflineError(error, 'PL_INVARIANT')) throw error;
    return true;
  }
}

/** Values that are no good somewhere, and some that are. */
const misfits = fc.constantFrom<unknown>(
  ...[
    undefined,
    null,
    '',
    'x',
    '\ud800',
    'x'.repeat(70) + '\udc00',
    0,
    -0,
    1.5,
    NaN,
    2 ** 31,
    2 ** 52,
    -(2 ** 52),
  ],
  ...[
    true,
    [],
    {},
    { x: 1 },
    [undefined],
    [null],
    { a: '\ud800' },
    { '\ud800': 'a' },
    Buffer.from('x'),
    new Map(),
  ],
);

describe.each(topicNames)('%s', (topic) => {
  const message = arbitraryMessage(topic);

  test('writes the bytes that avsc writes', () => {
    fc.assert(
      fc.property(message, (given) => {
        expect(written(topic, given)).toEqual(avroType(topic).toBuffer(given));
      }),
      { numRuns: 60 },
    );
  });

  test('writes nothing that avsc would refuse or write in another way, whatever stands in a field', () => {
    fc.assert(
      fc.property(message, fc.nat(), misfits, (given, which, misfit) => {
        const names = [...Object.keys(given), 'undeclared'];
        const damaged = { ...given, [names[which % names.length] ?? '']: misfit };
        const bytes = written(topic, damaged);
        if (bytes === null) return;
        expect(avroType(topic).isValid(damaged, { noUndeclaredFields: true })).toBe(true);
        expect(bytes).toEqual(avroType(topic).toBuffer(damaged));
        expect(JSON.stringify(damaged)).not.toMatch(/\\ud[89a-f]/);
        expect(isRefused(topic, damaged)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test('a field too many and a field too few are refused', () => {
    fc.assert(
      fc.property(message, fc.nat(), (given, which) => {
        const names = Object.keys(given);
        const { [names[which % names.length] ?? '']: _left, ...fewer } = { ...given } as Record<
          string,
          unknown
        >;
        expect(written(topic, fewer)).toBeNull();
        expect(written(topic, { ...fewer, undeclared: null })).toBeNull();
        expect(isRefused(topic, { ...given, undeclared: 'x' })).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});

describe('what the writer must take', () => {
  const projected = fc.sample(arbitraryMessage('projected.v1'), { numRuns: 1, seed: 7 })[0];

  test.each([
    ['with the first character of two bytes', 'x\u0080'],
    ['of 63 characters', 'x'.repeat(63)],
    ['of 64 characters', 'x'.repeat(64)],
    ['of 63 that are longer in bytes', '网'.repeat(63)],
    ['longer than its room', '网a'.repeat(100_000)],
    ['with a pair of surrogates at its end', 'x'.repeat(62) + '😀'],
  ])('a text %s', (_name, agentView) => {
    const given = { ...projected, agentView };
    expect(written('projected.v1', given)?.equals(avroType('projected.v1').toBuffer(given))).toBe(true);
  });

  test('longs as far as they are exact, and none beyond', () => {
    for (const occurredAt of [2 ** 52 - 1, -(2 ** 52), -0, 2 ** 31, -(2 ** 30) - 1]) {
      const given = { ...projected, occurredAt };
      expect(written('projected.v1', given)).toEqual(avroType('projected.v1').toBuffer(given));
    }
    for (const occurredAt of [2 ** 52, -(2 ** 52) - 1, 0.5, NaN, Infinity]) {
      expect(written('projected.v1', { ...projected, occurredAt })).toBeNull();
      expect(isRefused('projected.v1', { ...projected, occurredAt })).toBe(true);
    }
  });
});
