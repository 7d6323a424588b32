import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coPartitionedAssigner, memoryIn } from '../../src/bus/kafka/co-partitioned-assigner.js';
import {
  decodeMemory,
  encodeMemory,
  joinMemories,
  ofPartitions,
  type GroupMemory,
} from '../../src/bus/kafka/group-memory.js';
import { AssignerProtocol } from '../../src/bus/kafka/load-kafkajs.js';

const memories = fc
  .dictionary(
    fc.tuple(fc.constantFrom('raw-hits.v1', 'ledger.v1'), fc.nat(9)).map(([topic, p]) => `${topic}/${p}`),
    fc.nat(),
  )
  .map((entries): GroupMemory => new Map(Object.entries(entries)));

describe('what a group remembers', () => {
  test('given any memory, when it is sent, then it arrives', () => {
    fc.assert(
      fc.property(memories, (memory) => {
        expect(new Map(decodeMemory(encodeMemory(memory)))).toEqual(new Map(memory));
      }),
    );
  });

  test('given several memories, when they are joined, then each log is as far as the furthest says', () => {
    fc.assert(
      fc.property(fc.array(memories), (all) => {
        const joined = joinMemories(all);
        const logs = new Set(all.flatMap((memory) => [...memory.keys()]));
        expect(new Set(joined.keys())).toEqual(logs);
        for (const log of logs)
          expect(joined.get(log)).toBe(Math.max(...all.map((memory) => memory.get(log) ?? 0)));
      }),
    );
  });

  test.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['null', 'null'],
    ['what is no offset', '{"a/0": -1, "a/1": 1.5, "a/2": "7", "a/3": null, "a/4": 1e300}'],
  ])('given a member that says %s, then nothing is known of it', (_, said) => {
    expect(new Map(decodeMemory(Buffer.from(said)))).toEqual(new Map());
  });

  test('given more than a megabyte, then none of it is read', () => {
    const said = Buffer.from(JSON.stringify({ 'a/0': 1, more: 'x'.repeat(1024 * 1024) }));
    expect(new Map(decodeMemory(said))).toEqual(new Map());
  });

  test('given partitions, then only what is about them is kept', () => {
    const memory = new Map([
      ['raw-hits.v1/0', 5],
      ['raw-hits.v1/12', 6],
    ]);
    expect([...ofPartitions(memory, (partition) => partition === 12)]).toEqual([['raw-hits.v1/12', 6]]);
  });
});

describe('the assignment', () => {
  const cluster = {
    findTopicPartitionMetadata: () => [0, 1, 2, 3].map((partitionId) => ({ partitionId })),
  };

  function memberThatKnows(memory: GroupMemory) {
    const make = coPartitionedAssigner({ told: () => memory });
    return make({ cluster: cluster as never, groupId: 'g', logger: undefined as never });
  }

  test('given members of which one knows how far the group is, when they are assigned, then each is told of its partitions', async () => {
    const old = memberThatKnows(new Map([0, 1, 2, 3].map((p) => [`raw-hits.v1/${p}`, 10 + p])));
    const fresh = memberThatKnows(new Map());
    const members = [old, fresh].map((member, i) => ({
      memberId: `member-${i}`,
      memberMetadata: member.protocol({ topics: ['raw-hits.v1'] }).metadata,
    }));
    const assigned = await fresh.assign({ members, topics: ['raw-hits.v1'] });
    expect(assigned.map(({ memberAssignment }) => [...memoryIn(memberAssignment)])).toEqual([
      [
        ['raw-hits.v1/0', 10],
        ['raw-hits.v1/2', 12],
      ],
      [
        ['raw-hits.v1/1', 11],
        ['raw-hits.v1/3', 13],
      ],
    ]);
  });

  test('given a member of a version that says nothing, when it is assigned, then it has its partitions', async () => {
    const { MemberMetadata, MemberAssignment } = AssignerProtocol;
    const memberMetadata = MemberMetadata.encode({
      version: 1,
      topics: ['raw-hits.v1'],
      userData: Buffer.alloc(0),
    });
    const assigner = memberThatKnows(new Map());
    const [only] = await assigner.assign({
      members: [{ memberId: 'm', memberMetadata }],
      topics: ['raw-hits.v1'],
    });
    expect(MemberAssignment.decode(only!.memberAssignment)?.assignment).toEqual({
      'raw-hits.v1': [0, 1, 2, 3],
    });
  });
});
