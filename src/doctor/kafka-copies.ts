import { topicNames } from '../contracts/topics.js';
import { failure, ok, warning, type Check } from './check.js';
import type { KafkaSight, PartitionSeen, Settings, TopicSeen } from './kafka-sight.js';

type There = Extract<TopicSeen, { kind: 'there' }>;

/** How many copies there are of what is acknowledged. What brokers that are gone cause passes, and is waited for. */
export async function checkCopies(sight: KafkaSight, prefix: string): Promise<readonly Check[]> {
  const seen = await Promise.all(
    topicNames.map(async (name) => [prefix + name, await sight.topic(name)] as const),
  );
  const found = seen.flatMap(([name, topic]) => (topic.kind === 'there' ? [[name, topic] as const] : []));
  const where = (test: (partition: PartitionSeen, needed: number) => boolean): string[] =>
    found.filter(([, topic]) => some(topic, test)).map(([name]) => name);
  const told = (names: readonly string[], rest: string): string => `${someOf(names, found.length)} ${rest}`;
  const checks: Check[] = [];
  const single = where(({ replicas }) => replicas === 1);
  if (single.length > 0)
    checks.push(
      warning(
        'copies',
        told(single, 'one replica: a disk that is lost takes all with it'),
        'Production keeps 3 replicas, 2 of them in sync: PROOFLINE_KAFKA_REPLICATION, for topics that are made.',
      ),
    );
  const lax = where(({ replicas }, needed) => replicas > 1 && needed === 1);
  if (lax.length > 0)
    checks.push(
      warning(
        'copies',
        told(lax, 'replicas that nobody waits for: min.insync.replicas is 1'),
        'Set min.insync.replicas=2, so that what is acknowledged lies on two disks.',
      ),
    );
  const stuck = where(({ inSync }, needed) => inSync < needed);
  const behind = where(({ inSync, replicas }) => inSync < replicas);
  if (stuck.length > 0)
    checks.push(
      failure(
        'copies',
        told(stuck, 'fewer replicas in sync than min.insync.replicas: nothing can be written there'),
        'Bring the brokers back; the line waits meanwhile, and loses nothing.',
      ),
    );
  else if (behind.length > 0)
    checks.push(
      warning('copies', told(behind, 'replicas that are behind'), 'Look at the brokers that have them.'),
    );
  return checks.length > 0 ? checks : [ok('copies', 'every topic has several, and enough of them in sync')];
}

function some(
  { partitions, settings }: There,
  test: (partition: PartitionSeen, needed: number) => boolean,
): boolean {
  const needed = neededOf(settings);
  return partitions.some((partition) => test(partition, needed));
}

function neededOf(settings: Settings | null): number {
  return Number(settings?.get('min.insync.replicas') ?? NaN);
}

function someOf(names: readonly string[], all: number): string {
  if (names.length === all) return 'all topics have';
  const [first = '', ...more] = names;
  return more.length === 0 ? `${first} has` : `${first} and ${more.length} more topics have`;
}
