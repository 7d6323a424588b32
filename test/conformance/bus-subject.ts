import type { Bus } from '../../src/bus/bus.js';
import type { TopicName } from '../../src/contracts/topics.js';

/** A bus with logs of its own, empty when it is made. */
export interface BusUnderTest {
  readonly bus: Bus;
  /** Closes the bus and opens the same logs again. */
  readonly reopen: () => Promise<Bus>;
  /** Takes all records of a partition away, as retention does. */
  readonly empty: (topic: TopicName, partition: number) => Promise<void>;
  /** Closes the bus and leaves nothing behind. */
  readonly dispose: () => Promise<void>;
}

export type MakeBus = (options: { readonly partitions: number }) => Promise<BusUnderTest>;

/** How a test gets at its bus: a new one for each test. */
export type Subject = () => BusUnderTest;

/** Number of partitions of the buses that the suite makes. */
export const PARTITIONS = 3;

export const ALL_PARTITIONS: readonly number[] = Array.from({ length: PARTITIONS }, (_, p) => p);
