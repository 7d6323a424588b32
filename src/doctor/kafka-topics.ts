import { configProblems } from '../bus/kafka/topics.js';
import { topicNames, type TopicName } from '../contracts/topics.js';
import { failure, ok, type Check } from './check.js';
import type { KafkaSight, TopicSeen } from './kafka-sight.js';

/** The topics: all there, alike, and kept as the line needs it. */

export interface TopicsWanted {
  readonly prefix: string;
  /** PROOFLINE_PARTITIONS; null takes what the topics have. */
  readonly partitions: number | null;
}

type There = Extract<TopicSeen, { kind: 'there' }>;
/** By the name in Kafka. */
type Found = ReadonlyMap<string, There>;

/** @throws ProoflineError PL_BUS_DOWN. */
export async function checkTopics(sight: KafkaSight, wanted: TopicsWanted): Promise<readonly Check[]> {
  const seen = await Promise.all(topicNames.map(async (name) => [name, await sight.topic(name)] as const));
  const named = (kind: TopicSeen['kind']): string[] =>
    seen.filter(([, topic]) => topic.kind === kind).map(([name]) => wanted.prefix + name);
  const there = seen.flatMap(([name, topic]) => (topic.kind === 'there' ? [[name, topic] as const] : []));
  const found: Found = new Map(there.map(([name, topic]) => [wanted.prefix + name, topic]));
  const checks = [
    ...absent(named('missing'), named('refused')),
    ...countChecks(found, wanted.partitions),
    ...settingChecks(there, wanted.prefix),
    ...unwritableChecks(found),
  ];
  if (checks.length > 0) return checks;
  const partitions = there[0]?.[1].partitions.length ?? 0;
  return [ok('topics', `all ${there.length} are there, of ${partitions} partitions each`)];
}

function absent(missing: readonly string[], refused: readonly string[]): readonly Check[] {
  const checks: Check[] = [];
  const list = (names: readonly string[]): string => names.join(', ');
  if (missing.length > 0)
    checks.push(
      failure(
        'topics',
        `missing: ${list(missing)}`,
        '`proofline topics create` makes them; PROOFLINE_TOPIC_PREFIX says what their names begin with.',
      ),
    );
  if (refused.length > 0)
    checks.push(
      failure(
        'topics',
        `this user may not see: ${list(refused)}`,
        'Allow it Describe on all topics of the prefix.',
      ),
    );
  return checks;
}

function countChecks(found: Found, wanted: number | null): readonly Check[] {
  const counts = new Map<number, string[]>();
  for (const [name, { partitions }] of found)
    counts.set(partitions.length, [...(counts.get(partitions.length) ?? []), name]);
  const fix = 'All must have one number: a run keeps its partition. Make new topics under another prefix.';
  if (counts.size > 1) {
    const [usual = 0] = [...counts].sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
    const others = [...counts].filter(([count]) => count !== usual);
    const odd = others.flatMap(([count, names]) => names.map((name) => `${name} has ${count}`));
    return [failure('topics', `most have ${usual} partitions, but ${odd.join(', ')}`, fix)];
  }
  const [count] = [...counts.keys()];
  if (count === undefined || wanted === null || count === wanted) return [];
  return [
    failure(
      'topics',
      `they have ${count} partitions, but PROOFLINE_PARTITIONS is ${wanted}`,
      'Set PROOFLINE_PARTITIONS to what they have, or unset it.',
    ),
  ];
}

const UNSEEN_FIX =
  'Allow this user DescribeConfigs on all topics of the prefix: a line looks at them when it starts.';

/** What loses records or refuses them blocks; fewer safe copies than production should have is told. */
function settingChecks(there: readonly (readonly [TopicName, There])[], prefix: string): readonly Check[] {
  const unseen = there.filter(([, { settings }]) => settings === null).map(([name]) => prefix + name);
  const problems = there.flatMap(([name, { settings }]) =>
    settings === null
      ? []
      : configProblems(name, (each) => settings.get(each) ?? '').map((each) => `${prefix}${name} ${each}`),
  );
  return [
    ...(unseen.length === 0
      ? []
      : [failure('topics', `this user may not see the settings of: ${unseen.join(', ')}`, UNSEEN_FIX)]),
    ...problems.map((problem) =>
      failure(
        'topics',
        problem,
        'Set it right with kafka-configs --alter; no topic is ever changed silently.',
      ),
    ),
  ];
}

/** More copies that must be there than there can be: whatever is written is refused. */
function unwritableChecks(found: Found): readonly Check[] {
  return [...found].flatMap(([name, { partitions, settings }]) => {
    const needed = Number(settings?.get('min.insync.replicas') ?? 0);
    const most = Math.min(...partitions.map(({ replicas }) => replicas));
    if (needed <= most) return [];
    const finding = `${name} has min.insync.replicas=${needed}, and replicas: ${most}`;
    return [failure('topics', finding, 'Nothing can be written to it: lower the one, or raise the other.')];
  });
}
