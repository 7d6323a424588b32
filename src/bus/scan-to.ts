import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicName } from '../contracts/topics.js';
import type { BusReader, StoredRecord } from './bus.js';

const PAGE = 500;
const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 250;

/**
 * All records of a partition from `start` up to the barrier, in pages: nothing that was committed before it is missed.
 * While a transaction that somebody left open hides what lies behind it, this waits; `signal` ends that.
 */
export async function* scanTo(
  bus: BusReader,
  topic: TopicName,
  partition: number,
  barrier: number,
  signal: AbortSignal,
  start = 0,
): AsyncGenerator<readonly StoredRecord[]> {
  await untilDecided(bus, topic, partition, barrier, signal);
  for (let from = start; from <= barrier;) {
    const page = (await bus.read(topic, partition, from, PAGE)).filter(({ offset }) => offset <= barrier);
    signal.throwIfAborted();
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    from = last.offset + 1;
  }
}

async function untilDecided(
  bus: BusReader,
  topic: TopicName,
  partition: number,
  barrier: number,
  signal: AbortSignal,
): Promise<void> {
  for (let ms = FIRST_PAUSE_MS; (await bus.decidedTo(topic, partition)) <= barrier; ms *= 2) {
    signal.throwIfAborted();
    await sleep(Math.min(ms, MAX_PAUSE_MS), undefined, { signal });
  }
}
