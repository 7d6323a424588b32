import type Database from 'better-sqlite3';
import type { BusReader } from '../bus/bus.js';
import { topicNumber } from '../bus/embedded/log.js';
import { topicNames, topics, type TopicName } from '../contracts/topics.js';
import { stationInputs, stationNames } from './station-names.js';

/** What the topics of a line hold, and how far each consumer is. */

export interface TopicRow {
  readonly name: TopicName;
  readonly key: string;
  readonly contract: 'frozen' | 'internal';
  readonly cleanup: 'delete' | 'compact';
  readonly retentionDays: number | null;
  /** Records that are kept; null where nobody counts them. */
  readonly records: number | null;
  /** The sum over the partitions of the first offsets that are kept, and of the next ones. */
  readonly low: number;
  readonly end: number;
  readonly groups: readonly GroupLag[];
}

export interface GroupLag {
  readonly group: string;
  /** Records that the group has not consumed yet, over all partitions. */
  readonly lag: number;
}

/** What a reader of the logs does not say. */
export interface TopicFacts {
  /** The groups that read the topic. */
  groupsOf(topic: TopicName): readonly string[];
  /** How many records of the topic are kept; null where nobody counts them. */
  kept(topic: TopicName): number | null;
}

/** Of a data folder: whoever ever committed an offset. */
export function embeddedFacts(db: Database.Database): TopicFacts {
  const kept = keptRecords(db);
  const groups = groupsOf(db);
  return {
    groupsOf: (topic) => groups.get(topicNumber(topic)) ?? [],
    kept: (topic) => kept.get(topicNumber(topic)) ?? 0,
  };
}

/** Of a line in Kafka: the stations. */
export const stationFacts: TopicFacts = {
  groupsOf: (topic) =>
    stationNames.filter((name) => (stationInputs[name] as readonly TopicName[]).includes(topic)),
  kept: () => null,
};

export async function topicTable(bus: BusReader, facts: TopicFacts): Promise<TopicRow[]> {
  const rows: TopicRow[] = [];
  for (const name of topicNames) {
    const { key, contract, cleanup, retentionDays } = topics[name];
    const consumers = facts.groupsOf(name);
    const lags = new Map(consumers.map((group) => [group, 0]));
    let [low, end] = [0, 0];
    for (let partition = 0; partition < bus.partitions; partition++) {
      const bounds = await bus.bounds(name, partition);
      low += bounds.low;
      end += bounds.end;
      for (const group of consumers) {
        const next = (await bus.committed(group, name, partition)) ?? 0;
        // Read one after the other, beside a line that runs: never less than nothing.
        const lag = Math.max(0, bounds.end - Math.max(next, bounds.low));
        lags.set(group, (lags.get(group) ?? 0) + lag);
      }
    }
    rows.push({
      name,
      key: KEYS[key],
      contract,
      cleanup,
      retentionDays,
      records: facts.kept(name),
      low,
      end,
      groups: [...lags].map(([group, lag]) => ({ group, lag })),
    });
  }
  return rows;
}

const KEYS = {
  run: 'run_id',
  'run/call': 'run_id/tool_call_id',
  origin: 'as it was',
  'dead-letter': 'dead letter',
} as const;

function keptRecords(db: Database.Database): Map<number, number> {
  const rows = db.prepare('SELECT topic, count(*) AS records FROM record GROUP BY topic').all();
  return new Map(
    (rows as { topic: number; records: number }[]).map(({ topic, records }) => [topic, records]),
  );
}

/** The groups that ever committed an offset of a topic, by the topic's number. */
function groupsOf(db: Database.Database): Map<number, string[]> {
  const rows = db.prepare('SELECT DISTINCT topic, consumer FROM consumed ORDER BY topic, consumer').all();
  const groups = new Map<number, string[]>();
  for (const { topic, consumer } of rows as { topic: number; consumer: string }[])
    groups.set(topic, [...(groups.get(topic) ?? []), consumer]);
  return groups;
}
