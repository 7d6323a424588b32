import { setTimeout as sleep } from 'node:timers/promises';
import { ProoflineError } from '../../contracts/errors.js';
import type { TopicName } from '../../contracts/topics.js';
import type { StoredRecord } from '../bus.js';
import { isOffsetOutOfRange, isStaleMetadata, isTimeout } from './kafka-errors.js';
import type { Fetched, LogReader, Position } from './log-reader.js';

/** How long a page may wait for a transaction to end that hides what was appended. */
const HIDDEN_MS = 20_000;
const LOOK_MS = 200;

/**
 * Up to `limit` records from `from` on: at least one, if there is one that was appended before the call and is
 * committed. So it waits where an open transaction hides what lies behind it.
 * @throws ProoflineError PL_BUS_DOWN when that transaction does not end, PL_BATCH_UNREADABLE.
 */
export async function readPage(
  reader: LogReader,
  position: Position,
  limit: number,
): Promise<StoredRecord[]> {
  const { topic, partition } = position;
  const { low, end } = await reader.bounds(topic, partition);
  const deadline = performance.now() + HIDDEN_MS;
  let at = Math.max(position.offset, low);
  while (at < end) {
    const fetched = await fetchOne(reader, { topic, partition, offset: at });
    // Retention took the beginning meanwhile.
    if (fetched === null) return readPage(reader, position, limit);
    if (fetched.records.length > 0) return fetched.records.slice(0, limit);
    if (fetched.next === at) {
      if (performance.now() > deadline) throw hidden(topic, partition, at);
      await sleep(2);
    }
    at = fetched.next;
  }
  return [];
}

/** Null where the offset is out of the log's range. */
async function fetchOne(reader: LogReader, position: Position): Promise<Fetched | null> {
  const { topic, partition, offset } = position;
  const nothing = { topic, partition, records: [], next: offset };
  try {
    const [fetched] = await reader.fetch(reader.leaderOf(topic, partition), [position], LOOK_MS);
    if (fetched?.unreadable !== undefined) throw fetched.unreadable;
    return fetched ?? nothing;
  } catch (error) {
    if (isOffsetOutOfRange(error)) return null;
    if (isTimeout(error) || isStaleMetadata(error)) return nothing;
    throw error;
  }
}

function hidden(topic: TopicName, partition: number, offset: number): ProoflineError {
  const problem = `a transaction that does not end hides what lies behind ${topic}/${partition}@${offset}`;
  return new ProoflineError('PL_BUS_DOWN', { problem });
}
