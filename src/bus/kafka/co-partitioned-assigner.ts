import type { Assigner, PartitionAssigner } from 'kafkajs';
import { decodeMemory, encodeMemory, joinMemories, ofPartitions, type SharedMemory } from './group-memory.js';
import { AssignerProtocol } from './load-kafkajs.js';

const { MemberAssignment, MemberMetadata } = AssignerProtocol;

/**
 * Gives a member the same partition numbers of every topic. A run keeps its partition number along the whole line,
 * and a lane is one partition number: with kafkajs's own assigner the two topics of one station would lie in
 * different processes. What members remember of the group comes with the partitions.
 */
export function coPartitionedAssigner(memory: Pick<SharedMemory, 'told'>): PartitionAssigner {
  return ({ cluster }): Assigner => ({
    name: 'ProoflineCoPartitioned',
    version: 1,
    assign({ members, topics }) {
      const ids = members.map(({ memberId }) => memberId).toSorted();
      const all = joinMemories(
        members.map(({ memberMetadata }) => decodeMemory(MemberMetadata.decode(memberMetadata)?.userData)),
      );
      const isOf = (member: number) => (partition: number) => partition % ids.length === member;
      const mine = (topic: string, member: number): number[] =>
        cluster
          .findTopicPartitionMetadata(topic)
          .map(({ partitionId }) => partitionId)
          .filter(isOf(member));
      return Promise.resolve(
        ids.map((memberId, i) => ({
          memberId,
          memberAssignment: MemberAssignment.encode({
            version: 1,
            assignment: Object.fromEntries(topics.map((topic) => [topic, mine(topic, i)])),
            userData: encodeMemory(ofPartitions(all, isOf(i))),
          }),
        })),
      );
    },
    protocol({ topics }) {
      const userData = encodeMemory(memory.told());
      return { name: this.name, metadata: MemberMetadata.encode({ version: 1, topics, userData }) };
    },
  });
}

/** What came with an assignment. */
export function memoryIn(memberAssignment: Buffer): ReturnType<typeof decodeMemory> {
  return decodeMemory(MemberAssignment.decode(memberAssignment)?.userData);
}
