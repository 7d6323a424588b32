import {
  createClients,
  passthroughKafka,
  type Client,
  type Clients,
  type Producer,
} from './passthrough-clients.js';
import { groupOf, type PassthroughTask } from './passthrough-task.js';
import { serveParent } from './serve-parent.js';

/** Every hop of the passthrough, in a process that may be one of several of the same groups. Started by `passthrough.ts`. */

const MAX_WAIT_MS = 100;
const MOST_A_TRANSACTION = 1000;

serveParent(async (task, fail) => {
  const { connection, partitions, topics } = task as PassthroughTask;
  const kafka = passthroughKafka(connection);
  const clients = createClients();
  const hops = topics.slice(0, -1).map((from, i) => ({ from, to: topics[i + 1] ?? '' }));
  const running = await Promise.all(hops.map((hop) => runHop({ kafka, clients, partitions, fail }, hop)));
  const first = running[0];
  return {
    commands: {
      hold: () => Promise.resolve(first?.hold()),
      release: () => first?.release() ?? Promise.resolve(),
    },
    stop: () => clients.close(),
  };
});

interface HopEnvironment {
  readonly kafka: Client;
  readonly clients: Clients;
  readonly partitions: number;
  readonly fail: (error: unknown) => void;
}

interface Hop {
  /** Fetches nothing from now on. */
  hold(): void;
  /** Goes on; resolves when the first batch is there. */
  release(): Promise<void>;
}

/** Everything that a fetch brought goes on in one transaction. */
async function runHop(
  { kafka, clients, partitions, fail }: HopEnvironment,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Hop> {
  const groupId = groupOf(from);
  const producers = new Map<number, Promise<Producer>>();
  let onBatch = (): void => undefined;

  function producerOf(partition: number): Promise<Producer> {
    const transactionalId = `${groupId}-${partition}`;
    const producer =
      producers.get(partition) ??
      clients.keep(kafka.producer({ transactionalId, maxInFlightRequests: 1, transactionTimeout: 15_000 }));
    producers.set(partition, producer);
    return producer;
  }

  const consumer = await clients.keep(kafka.consumer({ groupId, maxWaitTimeInMs: MAX_WAIT_MS }));
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!payload.restart) fail(payload.error);
  });
  await consumer.subscribe({ topics: [from], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: partitions,
    async eachBatch(payload) {
      onBatch();
      const { batch } = payload;
      const { partition } = batch;
      const producer = await producerOf(partition);
      for (let i = 0; i < batch.messages.length; i += MOST_A_TRANSACTION) {
        const messages = batch.messages.slice(i, i + MOST_A_TRANSACTION);
        const last = messages.at(-1)?.offset ?? batch.lastOffset();
        const transaction = await producer.transaction();
        await transaction.send({
          topic: to,
          messages: messages.map(({ key, value }) => ({ key, value, partition })),
        });
        const offset = String(Number(last) + 1);
        const offsets = [{ topic: from, partitions: [{ partition, offset }] }];
        await transaction.sendOffsets({ consumerGroupId: groupId, topics: offsets });
        await transaction.commit();
        payload.resolveOffset(last);
        await payload.heartbeat();
      }
    },
  });
  return {
    hold: () => consumer.pause([{ topic: from }]),
    release() {
      const began = new Promise<void>((resolve) => (onBatch = resolve));
      consumer.resume([{ topic: from }]);
      return began;
    },
  };
}
