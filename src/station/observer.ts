import type { Headers, StoredRecord } from '../bus/bus.js';
import type { ErrorCode } from '../contracts/errors.js';
import type { TopicName } from '../contracts/topics.js';
import type { Decision } from './decide-batch.js';

/**
 * Told of what the stations of this process do: the one port for metrics, traces and logs. Its methods are called
 * on the hot path: they MUST NOT throw, and MUST NOT wait for anything.
 */
export interface StationObserver {
  /** The station runs in this process; which lanes it is given shows later. */
  subscribed(station: string, inputs: readonly TopicName[]): void;
  /** A lane is being opened, for the first time or once more after an error. What is told of it goes to the answer. */
  lane(station: string, partition: number): LaneObserver;
  /** An error threw the lane away; it starts over. */
  startedOver(station: string, partition: number, code: ErrorCode): void;
  /** The lane is no longer this process's. */
  lost(station: string, partition: number): void;
  /** Records that would have taken a terminal ledger entry back. */
  takenBack(records: number): void;
}

/** One life of a lane; it has one batch at a time. */
export interface LaneObserver {
  /** The lane can work. */
  opened(): void;
  /** A batch is at hand, or again what of it was not committed. */
  began(batch: readonly StoredRecord[]): void;
  /** The headers that outputs inherit from a record of the batch. */
  readonly inherited: (record: StoredRecord) => Headers;
  prepared(): void;
  decided(): void;
  /** The first `count` records of the batch are done with, durably; `decisions` are theirs, where the lane decides. */
  committed(count: number, decisions: readonly Decision[]): void;
  /** What a deadline asked for is durable. */
  due(decisions: readonly Decision[]): void;
  /** Records of a topic that the lane only knows: none of them asks for work. */
  learned(records: number, unreadable: number): void;
  /** What is not committed is left alone for a while. */
  waits(code: ErrorCode): void;
}

const nothing = (): void => undefined;

const silentLane: LaneObserver = {
  opened: nothing,
  began: nothing,
  inherited: (record) => record.headers,
  prepared: nothing,
  decided: nothing,
  committed: nothing,
  due: nothing,
  learned: nothing,
  waits: nothing,
};

/** Passes the trace of an input on as it is, and tells nobody anything. */
export const silentObserver: StationObserver = {
  subscribed: nothing,
  lane: () => silentLane,
  startedOver: nothing,
  lost: nothing,
  takenBack: nothing,
};
