import type Database from 'better-sqlite3';
import { ProoflineError } from '../../contracts/errors.js';
import { localSchemaId } from '../../contracts/schema-ids.js';
import { topicNames, topics, type TopicName } from '../../contracts/topics.js';
import { recordBytes } from '../record-size.js';
import type { Headers, NewRecord, NextOffsets, StoredRecord } from '../bus.js';

/** The logs and offsets in SQL. Everything here is synchronous and runs inside the caller's transaction. */
export interface Log {
  append(records: readonly NewRecord[], now: number): StoredRecord[];
  /** Up to `limit` records from `from` on, and not many more than `maxBytes` of values; at least one if there is one. */
  read(topic: TopicName, partition: number, from: number, limit: number, maxBytes?: number): StoredRecord[];
  bounds(topic: TopicName, partition: number): { low: number; end: number };
  committed(group: string, topic: TopicName, partition: number): number | null;
  mark(group: string, topic: TopicName, partition: number): string | null;
  /** The smallest next offset of all groups that read the partition; null when none does. */
  readByAll(topic: TopicName, partition: number): number | null;
  /** Puts a group's offset somewhere, wherever it is. */
  setOffset(group: string, topic: TopicName, partition: number, next: number): void;
  /** Moves offsets that are where the caller left them; anything else throws, to be rolled back. */
  moveOffsets(move: OffsetMove): void;
}

interface OffsetMove {
  readonly group: string;
  readonly partition: number;
  readonly from: NextOffsets;
  readonly to: NextOffsets;
  readonly mark?: string | undefined;
}

/** Numbers in the file stay the same when the table of topics is put in another order. */
export function topicNumber(topic: TopicName): number {
  return localSchemaId(topic) & 0xffff;
}
const topicOfNumber = new Map(topicNames.map((name) => [topicNumber(name), name] as const));

/** Bytes of values that one reading takes, about. */
export const PAGE_BYTES = 1024 * 1024;

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
  const takeOffsets = db
    .prepare(
      `INSERT INTO log (topic, partition, next) VALUES (?, ?, ?)
     ON CONFLICT (topic, partition) DO UPDATE SET next = next + excluded.next RETURNING next`,
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
  const put = db.prepare(
    `INSERT INTO consumed (consumer, topic, partition, next) VALUES (?, ?, ?, ?)
     ON CONFLICT (consumer, topic, partition) DO UPDATE SET next = excluded.next`,
  );
  const readMark = db.prepare('SELECT value FROM meta WHERE name = ?').pluck();
  const dropMark = db.prepare('DELETE FROM meta WHERE name = ?');
  const setMark = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)');
  const move = db.prepare(
    'UPDATE consumed SET next = ? WHERE consumer = ? AND topic = ? AND partition = ? AND next = ?',
  );

  /** The offsets of the records, taken once a partition: that is cheaper than once a record. */
  function offsetsFor(records: readonly NewRecord[]): number[] {
    const counts = new Map<string, { topic: TopicName; partition: number; count: number }>();
    const places = records.map(({ topic, partition }) => {
      const name = `${topic}/${partition}`;
      const taken = counts.get(name) ?? { topic, partition, count: 0 };
      counts.set(name, taken);
      return { name, place: taken.count++ };
    });
    const first = new Map<string, number>();
    for (const [name, { topic, partition, count }] of counts)
      first.set(name, (takeOffsets.get(topicNumber(topic), partition, count) as number) - count);
    return places.map(({ name, place }) => (first.get(name) ?? 0) + place);
  }

  function append(records: readonly NewRecord[], now: number): StoredRecord[] {
    for (const record of records) {
      refuseOversize(record);
      refuseStray(record, partitions);
    }
    const offsets = offsetsFor(records);
    return records.map((record, i) => {
      const { topic, partition, key, value, headers } = record;
      const offset = offsets[i] ?? 0;
      insert.run(topicNumber(topic), partition, offset, key, value, JSON.stringify(headers), now);
      return { ...record, offset, timestamp: now };
    });
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
    append,
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
    mark: (group, topic, partition) =>
      (readMark.get(markName(group, topic, partition)) as string | undefined) ?? null,
    setOffset: (group, topic, partition, next) => void put.run(group, topicNumber(topic), partition, next),
    moveOffsets({ group, partition, from, to, mark }) {
      for (const [topic, next] of Object.entries(to) as [TopicName, number][]) {
        moveOffset(group, topic, partition, from[topic] ?? 0, next);
        if (mark === undefined) dropMark.run(markName(group, topic, partition));
        else setMark.run(markName(group, topic, partition), mark);
      }
    },
  };
}

function markName(group: string, topic: TopicName, partition: number): string {
  return `mark/${group}/${topicNumber(topic)}/${partition}`;
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
