import type Database from 'better-sqlite3';
import { ProoflineError } from '../../contracts/errors.js';
import { localSchemaId } from '../../contracts/schema-ids.js';
import { topicNames, topics, type TopicName } from '../../contracts/topics.js';
import { recordBytes } from '../record-size.js';
import type { Headers, NewRecord, NextOffsets, StoredRecord } from '../bus.js';

/** The logs and offsets in SQL. Everything here is synchronous and runs inside the caller's transaction. */
export interface Log {
  append(records: readonly NewRecord[], now: number): number[];
  /** Up to `limit` records from `from` on, and not many more than `maxBytes` of values; at least one if there is one. */
  read(topic: TopicName, partition: number, from: number, limit: number, maxBytes?: number): StoredRecord[];
  bounds(topic: TopicName, partition: number): { low: number; end: number };
  committed(group: string, topic: TopicName, partition: number): number | null;
  /** The smallest next offset of all groups that read the partition; null when none does. */
  readByAll(topic: TopicName, partition: number): number | null;
  /** Moves offsets that are where the caller left them; anything else throws, to be rolled back. */
  moveOffsets(group: string, partition: number, from: NextOffsets, to: NextOffsets): void;
}

/** Numbers in the file stay the same when the table of topics is put in another order. */
export function topicNumber(topic: TopicName): number {
  return localSchemaId(topic) & 0xffff;
}
const topicOfNumber = new Map(topicNames.map((name) => [topicNumber(name), name] as const));

const PAGE_BYTES = 8 * 1024 * 1024;

interface Row {
  topic: number;
  partition: number;
  offset: number;
  key: Buffer | null;
  value: Buffer | null;
  headers: string;
  timestamp: number;
}

export function openLog(db: Database.Database, partitions: number): Log {
  const takeOffset = db
    .prepare(
      `INSERT INTO log (topic, partition, next) VALUES (?, ?, 1)
     ON CONFLICT (topic, partition) DO UPDATE SET next = next + 1 RETURNING next - 1`,
    )
    .pluck();
  const insert = db.prepare(
    'INSERT INTO record (topic, partition, offset, key, value, headers, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const select = db.prepare(
    'SELECT * FROM record WHERE topic = ? AND partition = ? AND offset >= ? ORDER BY offset LIMIT ?',
  );
  const end = db.prepare('SELECT next FROM log WHERE topic = ? AND partition = ?').pluck();
  const low = db.prepare('SELECT min(offset) FROM record WHERE topic = ? AND partition = ?').pluck();
  const slowest = db.prepare('SELECT min(next) FROM consumed WHERE topic = ? AND partition = ?').pluck();
  const committed = db
    .prepare('SELECT next FROM consumed WHERE consumer = ? AND topic = ? AND partition = ?')
    .pluck();
  const begin = db.prepare('INSERT INTO consumed (consumer, topic, partition, next) VALUES (?, ?, ?, ?)');
  const move = db.prepare(
    'UPDATE consumed SET next = ? WHERE consumer = ? AND topic = ? AND partition = ? AND next = ?',
  );

  function appendOne(record: NewRecord, now: number): number {
    refuseOversize(record);
    refuseStray(record, partitions);
    const topic = topicNumber(record.topic);
    const offset = takeOffset.get(topic, record.partition) as number;
    insert.run(
      topic,
      record.partition,
      offset,
      record.key,
      record.value,
      JSON.stringify(record.headers),
      now,
    );
    return offset;
  }

  function committedOffset(group: string, topic: TopicName, partition: number): number | null {
    return (committed.get(group, topicNumber(topic), partition) as number | undefined) ?? null;
  }

  function moveOffset(group: string, topic: TopicName, partition: number, from: number, to: number): void {
    const number = topicNumber(topic);
    const first = from === 0 && committedOffset(group, topic, partition) === null;
    const changed = first
      ? begin.run(group, number, partition, to).changes
      : move.run(to, group, number, partition, from).changes;
    if (changed !== 1)
      throw new Error(`${group} is not at ${topic}/${partition}@${from}: another worker moved it`);
  }

  return {
    append: (records, now) => records.map((record) => appendOne(record, now)),
    read(topic, partition, from, limit, maxBytes = PAGE_BYTES) {
      const records: StoredRecord[] = [];
      let bytes = 0;
      for (const row of select.iterate(topicNumber(topic), partition, from, limit) as Iterable<Row>) {
        records.push(toRecord(row));
        bytes += row.value?.length ?? 0;
        if (bytes >= maxBytes) break;
      }
      return records;
    },
    bounds(topic, partition) {
      const next = (end.get(topicNumber(topic), partition) as number | undefined) ?? 0;
      return { low: (low.get(topicNumber(topic), partition) as number | null) ?? next, end: next };
    },
    committed: committedOffset,
    readByAll: (topic, partition) => slowest.get(topicNumber(topic), partition) as number | null,
    moveOffsets(group, partition, from, to) {
      for (const [topic, next] of Object.entries(to) as [TopicName, number][]) {
        moveOffset(group, topic, partition, from[topic] ?? 0, next);
      }
    },
  };
}

function refuseOversize(record: NewRecord): void {
  const limit = topics[record.topic].maxBytes;
  const bytes = recordBytes(record);
  if (bytes > limit) throw new ProoflineError('PL_RECORD_TOO_LARGE', { bytes, limit });
}

/** Nobody reads beyond the last partition: a record there would be lost. */
function refuseStray({ topic, partition }: NewRecord, partitions: number): void {
  if (Number.isInteger(partition) && partition >= 0 && partition < partitions) return;
  throw new ProoflineError('PL_INVARIANT', { problem: `${topic} has no partition ${partition}` });
}

function toRecord(row: Row): StoredRecord {
  const topic = topicOfNumber.get(row.topic);
  if (topic === undefined) throw new Error(`no topic has number ${row.topic}`);
  return { ...row, topic, headers: JSON.parse(row.headers) as Headers };
}
