import { setTimeout as pause } from 'node:timers/promises';
import { createKafkaClient, type KafkaConnection } from '../bus/kafka/client.js';
import { ProoflineError } from '../contracts/errors.js';

const LOOK_MS = 100;
const JOINED_MS = 60_000;

export interface GroupsToJoin {
  /** Their names in Kafka. */
  readonly groups: readonly string[];
  readonly members: number;
}

/**
 * Resolves when each group has so many members and has shared its partitions out: none of them moves any more. That
 * their lanes are open as well is proved by answers from all partitions.
 * @throws ProoflineError PL_TIMEOUT naming the groups that have not; the signal's reason
 */
export async function untilJoined(
  connection: KafkaConnection,
  { groups, members }: GroupsToJoin,
  signal: AbortSignal,
): Promise<void> {
  const admin = createKafkaClient(connection).admin();
  try {
    await admin.connect();
    const deadline = performance.now() + JOINED_MS;
    for (;;) {
      const { groups: found } = await admin.describeGroups([...groups]);
      const unsettled = found.filter((group) => group.state !== 'Stable' || group.members.length !== members);
      if (unsettled.length === 0) return;
      if (performance.now() > deadline) throw unjoined(unsettled.map(({ groupId }) => groupId));
      await pause(LOOK_MS, undefined, { signal });
    }
  } finally {
    await admin.disconnect();
  }
}

function unjoined(groups: readonly string[]): ProoflineError {
  const what = `all processes in the groups ${groups.join(', ')}`;
  return new ProoflineError('PL_TIMEOUT', { seconds: JOINED_MS / 1000, what });
}
