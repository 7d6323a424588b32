import { describe, expect, test } from 'vitest';
import { draftSubmitted } from '../../producers/drafts.js';
import { createCodec } from '../../src/contracts/codec.js';
import type { DeadLetter } from '../../src/contracts/generated.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { planReplay, type ReplayPlan } from '../../src/line/replay.js';
import { ATTEMPT_HEADER, REPLAY_HEADER } from '../../src/station/dead-letter.js';

const codec = createCodec();
const PARTITIONS = 12;
const value = codec.encode(
  'draft-submitted.v1',
  draftSubmitted({ runId: 'run-1', draftId: 'd', draftJson: '{}' }, 1_800_000_000_000),
);

function letterOf(changes: Partial<DeadLetter> = {}): DeadLetter {
  return {
    eventId: 'a'.repeat(32),
    causedBy: null,
    runId: 'run-1',
    occurredAt: 0,
    origin: { topic: 'draft-submitted.v1', partition: 3, offset: 7 },
    key: Buffer.from('run-1'),
    value,
    headers: [],
    station: 'guard',
    code: 'PL_PARTITION_WRONG',
    message: '',
    attempt: 1,
    ...changes,
  };
}

function planned(changes: Partial<DeadLetter> = {}): ReplayPlan {
  const plan = planReplay(letterOf(changes), codec, PARTITIONS);
  if (plan.kind === 'refused') throw new Error(plan.problem);
  return plan;
}

function problemOf(changes: Partial<DeadLetter>): string {
  const plan = planReplay(letterOf(changes), codec, PARTITIONS);
  return plan.kind === 'refused' ? plan.problem : 'it would be replayed';
}

describe('where a replayed record goes', () => {
  test('given a record that can be decoded, then to the partition of its run_id, whatever its key is', () => {
    const plan = planned({ key: Buffer.from('another') });

    expect(plan).toMatchObject({ partitionBy: 'run_id', fromPartition: 3 });
    expect(plan.record.partition).toBe(partitionOf('run-1', PARTITIONS));
    expect(plan.record.key.toString()).toBe('another');
  });

  test('given one that cannot, then to the partition of its key', () => {
    const plan = planned({ value: Buffer.from('junk'), key: Buffer.from('run-2') });

    expect(plan.partitionBy).toBe('key');
    expect(plan.record.partition).toBe(partitionOf('run-2', PARTITIONS));
  });

  test('given one that has no key either, then to where it lay', () => {
    const plan = planned({ value: Buffer.from('junk'), key: null });

    expect(plan.partitionBy).toBe('origin');
    expect(plan.record).toMatchObject({ partition: 3, key: Buffer.alloc(0) });
  });

  test('given headers, then they are kept byte for byte, and two say where it comes from', () => {
    const bytes = Buffer.from([0, 0x7f, 0x80, 0xff]);
    const headers = [
      { key: 'traceparent', value: bytes },
      { key: 'empty', value: null },
      { key: '__proto__', value: Buffer.from('x') },
      { key: ATTEMPT_HEADER, value: Buffer.from('1') },
    ];

    const plan = planned({ headers, attempt: 4 });

    expect(Object.entries(plan.record.headers)).toEqual([
      ['traceparent', bytes.toString('latin1')],
      ['empty', ''],
      ['__proto__', 'x'],
      [ATTEMPT_HEADER, '4'],
      [REPLAY_HEADER, 'a'.repeat(32)],
    ]);
  });
});

describe('what is not replayed', () => {
  test.each([
    ['ledger.v1', 'the first ledger entry of a lookup stands'],
    ['run-state.v1', 'newer state would be overwritten'],
    ['run-outcome.v1', 'newer state would be overwritten'],
    ['tool-invocation.v1', 'the audit only grows'],
    ['dead-letter.v1', 'no station reads'],
    ['dead-letter-done.v1', 'no station reads'],
    ['__proto__', 'there is no topic'],
    ['proofline.verdict.v1', 'there is no topic'],
  ])('given a record of %s, then it is refused: %s', (topic, reason) => {
    expect(problemOf({ origin: { topic, partition: 0, offset: 0 } })).toContain(reason);
  });

  test('given a record without a value, then it is refused', () => {
    expect(problemOf({ value: null })).toContain('no value');
  });

  test.each([PARTITIONS, 1e9, -1])(
    'given nothing but a partition %i that is not there, then it is refused',
    (partition) => {
      const origin = { topic: 'verdict.v1', partition, offset: 0 };

      expect(problemOf({ origin, value: Buffer.from('junk'), key: null })).toContain('has no partition');
    },
  );
});
