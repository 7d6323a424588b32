import type { Bus, Consumption, Lane, LaneHandler, StoredRecord } from '../src/bus/bus.js';
import type { Codec } from '../src/contracts/codec.js';
import { isTopicName, type TopicName } from '../src/contracts/topics.js';
import { messageReader, type MessageHandlers, type ReadOptions } from './read-messages.js';

/** Consuming the line's topics as a group over its own bus: read committed, at least once, in order within a run. */

export interface ConsumeOptions extends Pick<ReadOptions, 'remember' | 'onUnreadable'> {
  /** Name of the group, without the prefix. Processes of one group share the work; each group gets everything. */
  readonly group: string;
  readonly handlers: MessageHandlers;
  /** Told of what a handler threw and of lanes that started over; what was not dealt with is given again. */
  readonly onError?: (error: unknown, partition: number) => void;
}

const MAX_RECORDS = 100;

/**
 * Calls the handlers with what lies in the topics and with what comes. The group's offset moves when every message
 * before it was dealt with: who crashes gets the messages of the last batch again.
 */
export function consume(bus: Bus, codec: Codec, options: ConsumeOptions): Consumption {
  const { group, handlers, onError = () => undefined, ...reading } = options;
  return bus.subscribe({
    group,
    topics: Object.keys(handlers).filter(isTopicName),
    maxRecords: MAX_RECORDS,
    // Each lane reads for itself: another process may have dealt with what comes after the lane was away.
    open: (lane) => Promise.resolve(laneHandler(lane, codec, handlers, reading)),
    onError,
  });
}

function laneHandler(
  lane: Lane,
  codec: Codec,
  handlers: MessageHandlers,
  reading: Pick<ReadOptions, 'remember' | 'onUnreadable'>,
): LaneHandler {
  const read = messageReader(handlers, { ...reading, codec, topicPrefix: '' });
  return {
    async handle(batch) {
      const dealtWith: StoredRecord[] = [];
      try {
        for (const record of batch) {
          // The lane is wanted elsewhere: what is not dealt with yet goes on there.
          if (lane.signal.aborted) break;
          await read(record);
          dealtWith.push(record);
        }
      } finally {
        // What a handler throws for comes again, but not what lies before it.
        if (dealtWith.length > 0) await lane.step({ records: [], next: nextOf(dealtWith) });
      }
      return dealtWith.length > 0 ? { kind: 'done' } : { kind: 'wait', ms: 0 };
    },
  };
}

function nextOf(batch: readonly StoredRecord[]): Partial<Record<TopicName, number>> {
  const last = batch.at(-1);
  return last === undefined ? {} : { [last.topic]: last.offset + 1 };
}
