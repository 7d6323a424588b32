import { setTimeout as pause } from 'node:timers/promises';
import { topicNames, type TopicName } from '../contracts/topics.js';
import { keepsPositionOf, stationInputs, stationNames } from '../line/station-names.js';
import { failure, ok, warning, type Check } from './check.js';
import type { KafkaSight, LogSeen } from './kafka-sight.js';

/** What the logs hold: transactions that were left open, offsets that were lost, records from the future. */

const SECOND = 1000;
/** Between two looks: a transaction of a station lasts milliseconds. */
const SECOND_LOOK_MS = 2000;
/** As long as the brokers let a transaction of a station last, twice. */
const HANGS_MS = 30 * SECOND;

export interface Looking {
  readonly sight: KafkaSight;
  readonly now: () => number;
  /** Between two looks; for tests. */
  readonly secondLookMs?: number;
}

/**
 * An open transaction hides what lies behind it from every reader. Two looks tell one that hangs from those that come
 * and go; how long it has been open is told by the date of its first record.
 */
export async function checkOpenTransactions(looking: Looking): Promise<readonly Check[]> {
  const { sight, now, secondLookMs = SECOND_LOOK_MS } = looking;
  const first = (await sight.logs(topicNames)).filter(isOpen);
  if (first.length === 0) return [ok('open', 'no transaction is open')];
  await pause(secondLookMs);
  const before = new Map(first.map((log) => [nameOf(log), log.stable]));
  const second = await sight.logs(topicNames);
  const still = second.filter((log) => isOpen(log) && before.get(nameOf(log)) === log.stable);
  if (still.length === 0) return [ok('open', 'transactions come and go')];
  return Promise.all(still.map((log) => openCheck(sight, log, now(), secondLookMs)));
}

async function openCheck(sight: KafkaSight, log: LogSeen, now: number, lookedForMs: number): Promise<Check> {
  const { topic, partition, stable, end } = log;
  const written = await sight.writtenAt({ topic, partition, offset: stable });
  const openMs = Math.max(lookedForMs, now - (written ?? now));
  const finding = `a transaction on ${topic}/${partition} is open for at least ${Math.floor(openMs / SECOND)} s: ${end - stable} offsets from ${stable} on are hidden`;
  const fix =
    'Find its writer and stop it. `kafka-transactions.sh find-hanging` and `abort` end one that nobody owns; only stations may write to the topics of the line.';
  return openMs >= HANGS_MS
    ? failure('open', finding, fix)
    : warning('open', finding, `Look again in half a minute. ${fix}`);
}

function isOpen({ stable, end }: LogSeen): boolean {
  return stable < end;
}

function nameOf({ topic, partition }: Pick<LogSeen, 'topic' | 'partition'>): string {
  return `${topic}/${partition}`;
}

/** Where each station goes on must be there, but for topics in which it keeps its own position. */
export async function checkOffsets({ sight }: Pick<Looking, 'sight'>): Promise<readonly Check[]> {
  const logs = await sight.logs(topicNames);
  const checks = (
    await Promise.all(stationNames.map((station) => offsetChecks(sight, station, logs)))
  ).flat();
  return checks.length > 0 ? checks : [ok('offsets', 'every station goes on where records are kept')];
}

async function offsetChecks(
  sight: KafkaSight,
  station: (typeof stationNames)[number],
  logs: readonly LogSeen[],
): Promise<readonly Check[]> {
  const inputs = (stationInputs[station] as readonly TopicName[]).filter(
    (topic) => !keepsPositionOf(station, topic),
  );
  if (inputs.length === 0) return [];
  const read = logs.filter(({ topic }) => inputs.includes(topic));
  const committed = await sight.committed(station, read);
  if (committed === null)
    return [
      failure(
        'offsets',
        `this user may not see the offsets of the group of ${station}`,
        'Allow it Read on all groups of the prefix.',
      ),
    ];
  return committed.flatMap(({ topic, partition, offset }) => {
    const log = read.find((each) => each.topic === topic && each.partition === partition);
    if (log === undefined || (offset >= log.low && offset <= log.end)) return [];
    const finding = `${station} is to read ${topic}/${partition} from ${offset}, but the log holds ${log.low} to ${log.end}`;
    const fix =
      "It waits there. Find out what was deleted; then set the group's offset with kafka-consumer-groups --reset-offsets.";
    return [failure('offsets', finding, fix)];
  });
}

const TOLERANCE_MS = 60 * SECOND;

/** Evidence expires by the clocks of those who write. */
export async function checkDates({ sight, now }: Looking): Promise<Check> {
  const partitions = await sight.datedFrom(topicNames, now() + TOLERANCE_MS);
  if (partitions === 0) return ok('clock', 'no record is from the future');
  const finding = `${partitions} partitions have records from the future: a clock is wrong, here or where they were written`;
  return warning('clock', finding, 'Set the clocks right; evidence expires by them.');
}
