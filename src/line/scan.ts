import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BusReader, StoredRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { isProoflineError, type ProoflineError } from '../contracts/errors.js';
import type { TopicMessages, TopicName } from '../contracts/topics.js';

/** Reading logs from one end to the other, for people: beside a running line, and without holding it up. */

const PAGE = 500;

/** The records of a partition from `from` (or what is kept) up to what was there at the call, in order. */
export async function* scanPartition(
  bus: BusReader,
  topic: TopicName,
  partition: number,
  from = 0,
): AsyncGenerator<StoredRecord> {
  const { low, end } = await bus.bounds(topic, partition);
  for (let next = Math.max(from, low); next < end;) {
    const page = await bus.read(topic, partition, next, PAGE);
    for (const record of page) {
      if (record.offset >= end) return;
      yield record;
    }
    // Compaction leaves gaps, also at the end.
    const last = page.at(-1);
    if (last === undefined) return;
    next = last.offset + 1;
    // A bus in this process answers at once: signals and timers come in between.
    await nextTurn();
  }
}

/** `scanPartition` of every partition, one after the other. */
export async function* scanTopic(bus: BusReader, topic: TopicName): AsyncGenerator<StoredRecord> {
  for (let partition = 0; partition < bus.partitions; partition++)
    yield* scanPartition(bus, topic, partition);
}

/** The envelope comes first in a message: the run_id stands within these bytes. */
const HEAD_BYTES = 1024;

/**
 * False for a record that cannot be the run's: so that of a log only the run's own records need be decoded. Key and
 * message are both looked at, since a foreign producer may have keyed a record wrongly.
 */
export function mayBeOfRun({ key, value }: StoredRecord, runId: Buffer): boolean {
  return key?.includes(runId) === true || value?.subarray(0, HEAD_BYTES).includes(runId) === true;
}

/** A record's message, or why there is none. Both null of a record without a value. */
export type Reading<T extends TopicName> =
  | { readonly message: TopicMessages[T]; readonly error: null }
  | { readonly message: null; readonly error: ProoflineError | null };

export function readMessage<T extends TopicName>(codec: Codec, topic: T, value: Buffer | null): Reading<T> {
  if (value === null) return { message: null, error: null };
  try {
    return { message: codec.decode(topic, value), error: null };
  } catch (error) {
    if (isProoflineError(error)) return { message: null, error };
    throw error;
  }
}
