import { BATCH_OVERHEAD_BYTES } from '../bus/kafka/topics.js';
import { isProoflineError } from '../contracts/errors.js';
import { topicNames, topics } from '../contracts/topics.js';
import { stationInputs } from '../line/station-names.js';
import { failure, ok, warning, type Check } from './check.js';
import type { BrokerSeen, KafkaSight } from './kafka-sight.js';

/** The brokers themselves: how old they are, how they are set, and whether they take transactions. */

/** Of Kafka 2.5: from there on a station that was fenced, or whose id expired, gets its id back. */
const OLDEST_INIT_PRODUCER_ID = 3;

export async function checkBrokers(sight: KafkaSight): Promise<readonly Check[]> {
  const brokers = await sight.brokers();
  const old = brokers.filter(({ initProducerId }) => initProducerId < OLDEST_INIT_PRODUCER_ID);
  if (old.length > 0)
    return [
      failure(
        'kafka',
        `older than Kafka 2.5: ${old.map(nameOf).join(', ')}`,
        'Bring the brokers to 2.5 or later: the transactions of older ones cannot be taken over safely.',
      ),
    ];
  const how = brokers.length === 1 ? 'one broker answers' : `${brokers.length} brokers answer`;
  return [ok('kafka', `${how}, of Kafka 2.5 or later: ${brokers.map(nameOf).join(', ')}`)];
}

function nameOf({ nodeId, address }: BrokerSeen): string {
  return `${address} (${nodeId})`;
}

const MINUTES_A_DAY = 1440;

/** How long offsets are kept while a station is not there, and what replicas may fetch. */
export async function checkBrokerSettings(sight: KafkaSight): Promise<readonly Check[]> {
  const brokers = await sight.brokers();
  const seen = brokers.flatMap(({ settings }) => (settings === null ? [] : [settings]));
  if (seen.length < brokers.length)
    return [
      warning(
        'brokers',
        "this user may not see the brokers' settings, so nobody has looked at offsets.retention.minutes",
        'Allow it DescribeConfigs on the cluster, or look yourself: offsets must be kept for 30 days.',
      ),
    ];
  const least = (name: string): number =>
    Math.min(...seen.map((settings) => Number(settings.get(name) ?? Infinity)));
  const checks: Check[] = [];
  const needed = longestInputDays() * MINUTES_A_DAY;
  const minutes = least('offsets.retention.minutes');
  if (minutes < needed)
    checks.push(
      warning(
        'brokers',
        `offsets.retention.minutes is ${minutes}, but drafts are kept for ${needed} minutes`,
        `Set offsets.retention.minutes to ${needed} or more: a station that stands still for longer than its offsets are kept reads its topics from the beginning.`,
      ),
    );
  const largest = Math.max(...topicNames.map((name) => topics[name].maxBytes)) + BATCH_OVERHEAD_BYTES;
  const fetched = least('replica.fetch.max.bytes');
  if (brokers.length > 1 && fetched < largest)
    checks.push(
      warning(
        'brokers',
        `replica.fetch.max.bytes is ${fetched}, but a batch may have ${largest} bytes`,
        `Set replica.fetch.max.bytes to ${largest} or more, so that replicas keep up with large records.`,
      ),
    );
  return checks.length > 0 ? checks : [ok('brokers', `offsets are kept for ${minutes} minutes`)];
}

/** Of what stations read, the longest that is not kept for good. */
function longestInputDays(): number {
  const inputs = Object.values(stationInputs).flat();
  return Math.max(...inputs.map((name) => topics[name].retentionDays ?? 0));
}

const REFUSED_FIX =
  'Allow Write and Describe on the transactional ids, the groups and the topics that begin with the prefix.';

/** An empty transaction, begun and ended as a station does. Nothing is written. */
export async function checkTransactions(sight: KafkaSight, prefix: string): Promise<readonly Check[]> {
  try {
    await sight.tryTransaction();
    return [ok('writing', 'the brokers take transactions')];
  } catch (error) {
    if (isProoflineError(error, 'PL_BUS_REFUSED')) {
      const finding = `the brokers refuse a transaction of ${prefix}doctor: ${String(error.params['problem'])}`;
      return [failure('writing', finding, REFUSED_FIX)];
    }
    const never = await cannotCoordinate(sight);
    if (never.length > 0) return never;
    throw error;
  }
}

/** The topics that Kafka keeps transactions and offsets in, with the settings that they are made after. */
const INTERNAL = [
  ['__transaction_state', 'transaction.state.log.replication.factor'],
  ['__consumer_offsets', 'offsets.topic.replication.factor'],
] as const;

/** A coordinator that is not there yet comes; one whose topic cannot be made on so few brokers never does. */
async function cannotCoordinate(sight: KafkaSight): Promise<readonly Check[]> {
  const brokers = await sight.brokers();
  const settings = brokers[0]?.settings ?? null;
  const checks: Check[] = [];
  for (const [topic, setting] of INTERNAL) {
    const wanted = Number(settings?.get(setting) ?? 0);
    if (wanted <= brokers.length || (await sight.internalReplicas(topic)) !== null) continue;
    const finding = `the brokers cannot make ${topic}: ${setting} is ${wanted}, and there are ${brokers.length} of them`;
    checks.push(failure('writing', finding, `Start more brokers, or set ${setting} to ${brokers.length}.`));
  }
  return checks;
}
