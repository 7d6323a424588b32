import { topicNames, topics, type TopicName } from '../contracts/topics.js';
import { stationInputs, stationNames } from '../line/station-names.js';
import { failure, ok, type Check } from './check.js';
import type { KafkaSight } from './kafka-sight.js';

/** What stations read and write, this user must be allowed to: brokers are asked, and nothing is written. */
export async function checkRights(sight: KafkaSight): Promise<readonly Check[]> {
  const read = new Set<TopicName>([...Object.values(stationInputs).flat(), ...ANSWERS]);
  const [unread, unwritten] = await Promise.all([
    refused([...read], (name) => sight.mayRead(name)),
    refused(topicNames.filter(isWritten), (name) => sight.mayWrite(name)),
  ]);
  const checks = [...checksOf('Read', unread), ...checksOf('Write', unwritten)];
  return checks.length > 0 ? checks : [ok('rights', 'this user may read and write what stations do')];
}

/** Read by whoever waits for answers, and by the commands. */
const ANSWERS: readonly TopicName[] = ['projected.v1', 'verdict.v1', 'reviewed.v1', 'verified.v1'];

function isWritten(name: TopicName): boolean {
  const stations: readonly string[] = ['stations', ...stationNames];
  return topics[name].writers.some((writer) => stations.includes(writer));
}

async function refused(
  names: readonly TopicName[],
  may: (name: TopicName) => Promise<boolean>,
): Promise<readonly TopicName[]> {
  const answers = await Promise.all(names.map(async (name) => [name, await may(name)] as const));
  return answers.filter(([, allowed]) => !allowed).map(([name]) => name);
}

function checksOf(right: 'Read' | 'Write', names: readonly TopicName[]): readonly Check[] {
  if (names.length === 0) return [];
  const finding = `this user may not ${right.toLowerCase()} ${names.join(', ')}`;
  const fix = `Allow it ${right} on all topics of the prefix, or run each station as a user who may.`;
  return [failure('rights', finding, fix)];
}
