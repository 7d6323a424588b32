import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredRecord } from '../../src/bus/bus.js';
import { createCodec } from '../../src/contracts/codec.js';
import { planReplay } from '../../src/line/replay.js';
import { ATTEMPT_HEADER, deadLetterRecord, REPLAY_HEADER } from '../../src/station/dead-letter.js';
import type { Emitter } from '../../src/station/envelope.js';

const codec = createCodec();
const PARTITIONS = 7;
const emitter: Emitter = {
  station: 'guard',
  codec,
  partitions: PARTITIONS,
  prefix: 'proofline.',
  now: () => 0,
};

const bytes = fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array));
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => text.isWellFormed());
const latin1 = bytes.map((buffer) => buffer.toString('latin1'));
const records = fc.record({
  key: fc.option(bytes),
  value: bytes,
  headers: fc.dictionary(name, latin1, { maxKeys: 5, noNullPrototype: true }),
  partition: fc.nat(PARTITIONS - 1),
  offset: fc.nat(1000),
});

test('whatever a record is made of, giving it up and replaying it brings back the same bytes and headers', () => {
  fc.assert(
    fc.property(records, (made) => {
      const record: StoredRecord = { ...made, topic: 'draft-submitted.v1', timestamp: 5 };
      const reason = { code: 'PL_RECORD_UNDECODABLE', params: { problem: 'x' } } as const;
      const letter = codec.decode('dead-letter.v1', deadLetterRecord(emitter, record, null, reason).value!);

      const plan = planReplay(letter, codec, PARTITIONS);

      if (plan.kind === 'refused') throw new Error(plan.problem);
      const { [REPLAY_HEADER]: from, [ATTEMPT_HEADER]: attempt, ...own } = plan.record.headers;
      const { [REPLAY_HEADER]: _from, [ATTEMPT_HEADER]: before, ...original } = made.headers;
      expect(own).toEqual(original);
      expect(from).toBe(letter.eventId);
      expect(Number(attempt)).toBe(letter.attempt);
      if (before === undefined) expect(letter.attempt).toBe(1);
      expect(plan.record.value).toEqual(made.value);
      expect(plan.record.key).toEqual(made.key ?? Buffer.alloc(0));
      expect(plan.record.partition).toBeGreaterThanOrEqual(0);
      expect(plan.record.partition).toBeLessThan(PARTITIONS);
    }),
  );
});
