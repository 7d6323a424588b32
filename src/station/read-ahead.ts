import { scanTo } from '../bus/scan-to.js';
import type { Codec } from '../contracts/codec.js';
import { topics, type TopicName } from '../contracts/topics.js';
import { decodeRecord } from './decode.js';
import type { LaneContext, Message, Station } from './station.js';

export interface ReadAhead<I extends TopicName> {
  readonly context: LaneContext;
  readonly codec: Codec;
  readonly group: string;
  readonly admit: NonNullable<Station<I>['admit']>;
}

/**
 * The messages of an input that the lane has not come to yet, up to all that was appended before the call. The lane
 * will be given them all the same. What cannot be worked on is left out.
 */
export async function* readAhead<I extends TopicName>(
  { context, codec, group, admit }: ReadAhead<I>,
  topic: I,
): AsyncGenerator<Message<I>> {
  const { lane, bus } = context;
  const { low, end } = await bus.bounds(topic, lane.partition);
  // Of the line's own topics a barrier tells the end; in others nobody wants to find one.
  const last = topics[topic].contract === 'internal' ? await lane.barrier(topic) : end - 1;
  const next = Math.max(low, (await bus.committed(group, topic, lane.partition)) ?? low);
  for await (const page of scanTo(bus, topic, lane.partition, last, lane.signal, next)) {
    await codec.learn(page.map(({ value }) => value));
    for (const record of page) {
      const decoded = decodeRecord<I>(codec, bus.partitions, record, admit);
      if (decoded.kind === 'message') yield decoded.message;
    }
  }
}
