import type { AddPartitionsRequest, Broker, Cluster, CoordinatorQuery } from './kafkajs-internals.js';

/** Partitions of topics, by their names in Kafka. */
export type TopicPartitions = ReadonlyMap<string, ReadonlySet<number>>;

const TRANSACTION_COORDINATOR = 1;

/**
 * kafkajs tells the coordinator of a transaction's partitions send by send. Whoever knows them all beforehand says so
 * to the function that this answers with, before each transaction: then they are told at once, a round trip less for
 * each further send.
 */
export function tellPartitionsAtOnce(cluster: Cluster): (partitions: TopicPartitions) => void {
  const find = cluster.findGroupCoordinator.bind(cluster);
  let announced: TopicPartitions = new Map();
  let told: TopicPartitions | null = null;

  async function addPartitions(broker: Broker, request: AddPartitionsRequest): Promise<unknown> {
    if (told !== null && request.topics.every((each) => holds(told, each))) return {};
    const all = union(announced, request.topics);
    const topics = [...all].map(([topic, partitions]) => ({ topic, partitions: [...partitions] }));
    const answer = await broker.addPartitionsToTxn({ ...request, topics });
    told = all;
    return answer;
  }

  cluster.findGroupCoordinator = async (query: CoordinatorQuery) => {
    const broker = await find(query);
    if (query.coordinatorType !== TRANSACTION_COORDINATOR) return broker;
    return Object.create(broker, {
      addPartitionsToTxn: { value: (request: AddPartitionsRequest) => addPartitions(broker, request) },
    }) as Broker;
  };

  return (partitions) => {
    announced = partitions;
    told = null;
  };
}

type Asked = AddPartitionsRequest['topics'][number];

function holds(all: TopicPartitions | null, { topic, partitions }: Asked): boolean {
  const known = all?.get(topic);
  return partitions.every((partition) => known?.has(partition) === true);
}

function union(announced: TopicPartitions, asked: readonly Asked[]): Map<string, Set<number>> {
  const all = new Map([...announced].map(([topic, partitions]) => [topic, new Set(partitions)]));
  for (const { topic, partitions } of asked) {
    const known = all.get(topic) ?? new Set();
    all.set(topic, known);
    for (const partition of partitions) known.add(partition);
  }
  return all;
}
