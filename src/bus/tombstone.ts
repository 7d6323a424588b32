import type { TopicName } from '../contracts/topics.js';
import type { NewRecord } from './bus.js';

/** The record that takes a key out of a compacted topic. */
export function tombstone(topic: TopicName, partition: number, key: string): NewRecord {
  return { topic, partition, key: Buffer.from(key, 'utf8'), value: null, headers: {} };
}
