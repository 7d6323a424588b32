import type { TopicName } from '../../contracts/topics.js';
import type { StoredRecord } from '../bus.js';
import { PAGE_BYTES, type Log } from './log.js';

/**
 * The records that were committed last, as they were appended: on a busy line every record is read a moment
 * after it was written, and most are read several times.
 */
export interface Recent {
  /** Takes records that are durable; those of one partition in the order of their offsets, none left out. */
  add(records: readonly StoredRecord[]): void;
  /** What `Log.read` answers; null when that has to be looked up in the log. */
  read(
    topic: TopicName,
    partition: number,
    from: number,
    limit: number,
    maxBytes: number,
  ): StoredRecord[] | null;
  /** Forgets everything: records were removed from the log. */
  clear(): void;
}

/** The log as lanes read it: what is recent is not looked up. */
export function readingRecentFirst(log: Log, recent: Recent): Log {
  return {
    ...log,
    read: (topic, partition, from, limit, maxBytes = PAGE_BYTES) =>
      recent.read(topic, partition, from, limit, maxBytes) ??
      log.read(topic, partition, from, limit, maxBytes),
  };
}

/** Records of one partition whose offsets follow each other. */
type Run = StoredRecord[];

/** `maxBytes` of values, about; older ones are forgotten first. */
export function createRecent(maxBytes: number): Recent {
  // Two generations: the older one is forgotten whole when the younger one is full.
  let young = new Map<string, Run>();
  let old = new Map<string, Run>();
  let bytes = 0;

  function next(older: Map<string, Run>): void {
    old = older;
    young = new Map();
    bytes = 0;
  }

  function addOne(record: StoredRecord): void {
    if (bytes > maxBytes / 2) next(young);
    const name = `${record.topic}/${record.partition}`;
    const run = young.get(name);
    if (run === undefined) young.set(name, [record]);
    else run.push(record);
    bytes += record.value?.length ?? 0;
  }

  return {
    clear: () => next(new Map()),
    add: (records) => {
      for (const record of records) addOne(record);
    },
    read(topic, partition, from, limit, maxRead) {
      const name = `${topic}/${partition}`;
      const runs = [old.get(name), young.get(name)].filter((run) => run !== undefined);
      const [first, last] = [runs[0]?.[0], runs.at(-1)?.at(-1)];
      if (first === undefined || last === undefined || from < first.offset) return null;
      const found: StoredRecord[] = [];
      let read = 0;
      for (let at = from; at <= last.offset && found.length < limit && read < maxRead; at++) {
        const record = recordAt(runs, at);
        found.push(record);
        read += record.value?.length ?? 0;
      }
      return found;
    },
  };
}

function recordAt(runs: readonly Run[], offset: number): StoredRecord {
  for (const run of runs) {
    const record = run[offset - (run[0]?.offset ?? 0)];
    if (record !== undefined) return record;
  }
  throw new Error(`the recent records have a gap at ${offset}`);
}
