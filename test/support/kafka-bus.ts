import { randomUUID } from 'node:crypto';
import { openKafkaBus } from '../../src/bus/kafka/kafka-bus.js';
import { createKafkaClient } from '../../src/bus/kafka/client.js';
import type { Bus } from '../../src/bus/bus.js';
import type { BusUnderTest } from '../conformance/bus-subject.js';

/** Sessions and heartbeats for tests: short, but not so short that a busy machine ends them. */
export const TEST_TIMES = { sessionTimeoutMs: 10_000, heartbeatMs: 100, rebalanceTimeoutMs: 10_000 };

export interface KafkaBusUnderTest extends BusUnderTest {
  readonly prefix: string;
  /** Another bus on the same logs; closed with the first. */
  readonly openAnother: () => Promise<Bus>;
}

/** A bus on topics of its own. */
export async function makeKafkaBus(
  address: string,
  options: { readonly partitions: number; readonly idleCommitMs?: number },
): Promise<KafkaBusUnderTest> {
  const prefix = `test-${randomUUID().slice(0, 8)}.`;
  const open = (): Promise<Bus> =>
    openKafkaBus({ brokers: [address], prefix, replicationFactor: 1, times: TEST_TIMES, ...options });
  let bus = await open();
  const others: Bus[] = [];
  return {
    prefix,
    get bus() {
      return bus;
    },
    async reopen() {
      await bus.close();
      bus = await open();
      return bus;
    },
    async openAnother() {
      const other = await open();
      others.push(other);
      return other;
    },
    async empty(topic, partition) {
      const { end } = await bus.bounds(topic, partition);
      await withAdmin(address, async (admin) => {
        // Deleting alone knows no metadata.
        await admin.fetchTopicOffsets(prefix + topic);
        await admin.deleteTopicRecords({
          topic: prefix + topic,
          partitions: [{ partition, offset: String(end) }],
        });
      });
    },
    async dispose() {
      await Promise.all([bus, ...others].map((each) => each.close()));
      await deleteTopics(address, prefix);
    },
  };
}

type Admin = ReturnType<ReturnType<typeof createKafkaClient>['admin']>;

export async function withAdmin<T>(address: string, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = createKafkaClient({ brokers: [address] }).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

async function deleteTopics(address: string, prefix: string): Promise<void> {
  await withAdmin(address, async (admin) => {
    const topics = (await admin.listTopics()).filter((name) => name.startsWith(prefix));
    await admin.deleteTopics({ topics });
  });
}
