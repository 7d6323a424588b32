import { scanTo } from '../bus/scan-to.js';
import type { StoredRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { isProoflineError } from '../contracts/errors.js';
import type { TopicMessages, TopicName } from '../contracts/topics.js';
import type { Knowledge, LaneContext } from './station.js';

/**
 * Reads another station's compacted topic whole, up to a barrier, and says what it holds: each message under its key,
 * null where the key has gone. What cannot be read is passed over: whoever wrote it looks after it, and what a lane
 * only knows must not hold up its work.
 */
export async function openKnowledge<T extends TopicName>(
  topic: T,
  { lane, bus }: LaneContext,
  codec: Codec,
  onKey: (key: string, message: TopicMessages[T] | null) => void,
): Promise<Knowledge> {
  async function take(records: readonly StoredRecord[]): Promise<number> {
    await codec.learn(records.map(({ value }) => value));
    let unreadable = 0;
    for (const { key, value } of records) {
      const message = value === null ? null : decodedOrUndefined(codec, topic, value);
      if (message === undefined) unreadable += 1;
      else if (key !== null) onKey(key.toString('utf8'), message);
    }
    return unreadable;
  }

  const barrier = await lane.barrier(topic);
  for await (const page of scanTo(bus, topic, lane.partition, barrier, lane.signal)) await take(page);
  return { from: barrier + 1, take };
}

function decodedOrUndefined<T extends TopicName>(
  codec: Codec,
  topic: T,
  value: Buffer,
): TopicMessages[T] | undefined {
  try {
    return codec.decode(topic, value);
  } catch (error) {
    if (isProoflineError(error) && !error.retryable) return undefined;
    throw error;
  }
}
