import type Database from 'better-sqlite3';
import { topicNames, topics, type TopicName } from '../../contracts/topics.js';
import type { Writer } from '../../sqlite/group-commit.js';
import { topicNumber, type Log } from './log.js';

const DAY_MS = 86_400_000;
/** Days that a tombstone is kept, for readers that are behind. */
const TOMBSTONE_DAYS = 30;
/** Offsets that one short transaction looks at, so that the line goes on beside it. */
const WINDOW = 500;

/**
 * What Kafka's cleanup policies do: removes records past their retention, and of compacted logs what a newer record
 * of the same key replaces, and tombstones that are old. Unlike Kafka it keeps what a group has begun to read and
 * not read yet: on one machine nobody is served by losing it. Answers with the number of records removed.
 */
export async function cleanUp(
  { writer, log, partitions }: { writer: Writer; log: Log; partitions: number },
  now: number,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const topic of topicNames) {
    for (let partition = 0; partition < partitions; partition++) {
      if (signal.aborted) return removed;
      const { low, end } = log.bounds(topic, partition);
      const readByAll = Math.min(end, log.readByAll(topic, partition) ?? end);
      removed += await cleanPartition(writer, topic, partition, { low, end: readByAll }, now, signal);
    }
  }
  return removed;
}

async function cleanPartition(
  writer: Writer,
  topic: TopicName,
  partition: number,
  { low, end }: { low: number; end: number },
  now: number,
  signal: AbortSignal,
): Promise<number> {
  const { cleanup, retentionDays } = topics[topic];
  if (cleanup === 'delete' && retentionDays === null) return 0;
  const compact = cleanup === 'compact';
  const condition = compact ? replacedOrGone(topicNumber(topic)) : 'timestamp < @before';
  const before = now - (retentionDays ?? TOMBSTONE_DAYS) * DAY_MS;
  let removed = 0;
  for (let from = low; from < end && !signal.aborted; from += WINDOW) {
    const window = { partition, from, to: Math.min(from + WINDOW, end), before };
    const count = await writer.write((db) => removeWindow(db, topicNumber(topic), condition, window));
    removed += count;
    // Logs are in the order of their timestamps: behind a window that keeps something, everything is kept.
    if (!compact && count < WINDOW) break;
  }
  return removed;
}

/** The newest record of a key stays, also when it is a tombstone: readers that begin at the start must see it. */
function replacedOrGone(topic: number): string {
  return `((value IS NULL AND timestamp < @before) OR EXISTS (
    SELECT 1 FROM record newer WHERE newer.topic = ${topic} AND newer.partition = record.partition
      AND newer.key = record.key AND newer.offset > record.offset))`;
}

function removeWindow(db: Database.Database, topic: number, condition: string, window: object): number {
  const where = `topic = ${topic} AND partition = @partition AND offset >= @from AND offset < @to`;
  return db.prepare(`DELETE FROM record WHERE ${where} AND ${condition}`).run(window).changes;
}
