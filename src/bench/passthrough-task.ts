import type { KafkaConnection } from '../bus/kafka/client.js';

/** What a process of the passthrough is given. */
export interface PassthroughTask {
  readonly connection: KafkaConnection;
  readonly partitions: number;
  /** The first is filled; each is passed on to the one after it. */
  readonly topics: readonly string[];
}

/** The group that passes the topic's records on. */
export function groupOf(topic: string): string {
  return `${topic}-group`;
}
