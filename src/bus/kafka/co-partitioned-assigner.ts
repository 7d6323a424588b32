import type { Assigner, PartitionAssigner } from 'kafkajs';
import { AssignerProtocol } from './load-kafkajs.js';

const { MemberAssignment, MemberMetadata } = AssignerProtocol;
const NONE = Buffer.alloc(0);

/**
 * Gives a member the same partition numbers of every topic. A run keeps its partition number along the whole line,
 * and a lane is one partition number: with kafkajs's own assigner the two topics of one station would lie in
 * different processes.
 */
export const coPartitionedAssigner: PartitionAssigner = ({ cluster }): Assigner => ({
  name: 'ProoflineCoPartitioned',
  version: 1,
  assign({ members, topics }) {
    const ids = members.map(({ memberId }) => memberId).toSorted();
    const mine = (topic: string, member: number): number[] =>
      cluster
        .findTopicPartitionMetadata(topic)
        .map(({ partitionId }) => partitionId)
        .filter((partition) => partition % ids.length === member);
    return Promise.resolve(
      ids.map((memberId, i) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({
          version: 1,
          assignment: Object.fromEntries(topics.map((topic) => [topic, mine(topic, i)])),
          userData: NONE,
        }),
      })),
    );
  },
  protocol({ topics }) {
    return { name: this.name, metadata: MemberMetadata.encode({ version: 1, topics, userData: NONE }) };
  },
});
