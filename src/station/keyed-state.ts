import { scanTo } from '../bus/scan-to.js';
import { tombstone } from '../bus/tombstone.js';
import type { TopicMessages, TopicName } from '../contracts/topics.js';
import type { Codec } from '../contracts/codec.js';
import { isProoflineError } from '../contracts/errors.js';
import type { Envelope, LaneContext } from './station.js';

/** Topics in which a station keeps what it knows of each run. */
type StateTopic = 'run-state.v1' | 'run-outcome.v1';

type State<T extends TopicName> = Omit<TopicMessages[T], Envelope>;

/**
 * A station's state by run, kept in its own compacted topic. On opening, the topic's partition is read up to a
 * barrier; afterwards the lane adds its own writes. Values are held encoded: most runs are never asked for again.
 */
export interface KeyedState<T extends StateTopic> {
  get(runId: string): State<T> | null;
  put(runId: string, state: State<T>): void;
  /** Every run with its state. */
  entries(): Iterable<readonly [string, State<T>]>;
  /**
   * Writes tombstones for runs whose last state was written before the instant (epoch milliseconds), and forgets them,
   * but for those that are still needed. Event time says nothing here: it comes from agents, and a run of long ago that
   * is handed in today must not lose its outcome a minute later.
   */
  forgetBefore(instant: number, isNeeded?: (runId: string) => boolean): Promise<void>;
}

interface Kept {
  readonly value: Buffer;
  /** When it was written, epoch milliseconds. */
  readonly at: number;
}

const PAGE = 500;

export async function openKeyedState<T extends StateTopic>(
  topic: T,
  context: LaneContext,
  codec: Codec,
): Promise<KeyedState<T>> {
  const { lane, bus } = context;
  const values = new Map<string, Kept>();
  const barrier = await lane.barrier(topic);
  for await (const page of scanTo(bus, topic, lane.partition, barrier, lane.signal)) {
    await codec.learn(page.map(({ value }) => value));
    for (const { key, value, timestamp } of page) {
      if (key === null) continue;
      if (value === null) values.delete(key.toString('utf8'));
      else values.set(key.toString('utf8'), { value, at: timestamp });
    }
  }
  return {
    get(runId) {
      const kept = values.get(runId);
      return kept === undefined ? null : decoded(codec, topic, kept.value);
    },
    put(runId, state) {
      const envelope = { eventId: '', causedBy: null, runId, occurredAt: 0 };
      const value = codec.encode(topic, { ...envelope, ...state } as unknown as TopicMessages[T]);
      values.set(runId, { value, at: context.now() });
    },
    *entries() {
      for (const [runId, { value }] of values) yield [runId, decoded(codec, topic, value)];
    },
    async forgetBefore(instant, isNeeded = () => false) {
      const old = [...values].filter(([runId, { at }]) => at < instant && !isNeeded(runId)).slice(0, PAGE);
      if (old.length === 0) return;
      await lane.step({ records: old.map(([runId]) => tombstone(topic, lane.partition, runId)) });
      for (const [runId] of old) values.delete(runId);
    },
  };
}

/** State that this version cannot read is a fault of the operator's, and the lane waits: it never begins anew. */
function decoded<T extends StateTopic>(codec: Codec, topic: T, value: Buffer): State<T> {
  try {
    return withoutEnvelope(codec.decode(topic, value));
  } catch (error) {
    if (isProoflineError(error) && error.retryable) throw error;
    if (isProoflineError(error))
      throw new Error(`${topic} holds a state that cannot be read: ${error.message}`, { cause: error });
    throw error;
  }
}

/** What is emitted again has an envelope of its own. */
function withoutEnvelope<M extends Record<Envelope, unknown>>(message: M): Omit<M, Envelope> {
  const { eventId: _id, causedBy: _cause, runId: _run, occurredAt: _at, ...state } = message;
  return state;
}
