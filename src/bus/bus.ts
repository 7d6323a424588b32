import type { TopicName } from '../contracts/topics.js';

/**
 * The Bus port: durable, partitioned logs, and steps that append outputs and move input offsets in one atomic
 * write. Two implementations: embedded (SQLite, one machine) and Kafka. Both pass one conformance suite.
 */

/** Header names and values. Values that are no text are kept as latin1, one character a byte. */
export type Headers = Readonly<Record<string, string>>;

/** A record as it lies in a log. */
export interface StoredRecord {
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Headers;
  /** When the bus took it, epoch milliseconds. Event time lives in the value. */
  readonly timestamp: number;
}

/** A record to append. */
export interface NewRecord {
  readonly topic: TopicName;
  readonly partition: number;
  readonly key: Buffer;
  /** Null is a tombstone, for compacted topics. */
  readonly value: Buffer | null;
  readonly headers: Headers;
}

/** Where the next record of a topic is to be read. */
export type NextOffsets = Partial<Readonly<Record<TopicName, number>>>;

export interface Step {
  readonly records: readonly NewRecord[];
  /** Moves the group's offsets of the lane's inputs. Without it the step appends only. */
  readonly next?: NextOffsets;
  /** Kept with the offsets that move, until they move again: it goes when the log of a topic is deleted. */
  readonly mark?: string;
}

/**
 * One partition number of one group, held by one worker at a time. A lane is given out only after its
 * predecessor can write no more.
 */
export interface Lane {
  readonly partition: number;
  /** Aborted when the lane is to stop. */
  readonly signal: AbortSignal;
  /**
   * Appends the records and moves the offsets, all or nothing; answers with the offsets of the records, in
   * order, once they are durable. MUST reject, and write nothing, when the lane is no longer the owner.
   */
  step(step: Step): Promise<readonly number[]>;
  /**
   * An offset of the log that lies behind everything that was appended, and committed or not, before the
   * call. A reader whose position is greater has seen all of it.
   */
  barrier(topic: TopicName): Promise<number>;
}

/**
 * What a batch came to. `done`: the lane stepped past it, or the handler keeps its own position (`startAt`); a
 * handler that is done but moved nothing starts over. `wait` asks to be left alone for a while, and then to be
 * given what is not committed again.
 */
export type BatchResult = { readonly kind: 'done' } | { readonly kind: 'wait'; readonly ms: number };

/** The work on one lane. It MUST NOT be shared between lanes: what it remembers ends with the lane. */
export interface LaneHandler {
  /** Offsets to begin at instead of the group's. */
  readonly startAt?: NextOffsets;
  /** Works on records of one topic and partition, in order of their offsets. Called one batch at a time. */
  handle(batch: readonly StoredRecord[]): Promise<BatchResult>;
  /** Called about once in `tickMs`, never during `handle`. */
  tick?(): Promise<void>;
}

export interface Subscription {
  /** Name of the group; the group's offsets are kept under it. */
  readonly group: string;
  readonly topics: readonly TopicName[];
  /** Most records of a batch. */
  readonly maxRecords: number;
  readonly tickMs?: number;
  /**
   * Every handler keeps its own position (`startAt`): the group's offsets only tell people how far it is, and it is
   * no loss when they are lost.
   */
  readonly keepsPosition?: true;
  /**
   * A topic that every handler reads whole when it is opened, and then from there on (`startAt`): where the group was in
   * it is no loss when it is lost. A log that is made anew under a lane still ends the lane.
   */
  readonly knows?: TopicName;
  /** Makes the handler of a lane that was just given to this process. It may wait, and may throw to be called again. */
  open(lane: Lane): Promise<LaneHandler>;
  /** Told of every error that made a lane start over. */
  onError(error: unknown, partition: number): void;
  /** Told when a lane is no longer this process's, and nothing of it runs any more. */
  onLost?(partition: number): void;
}

export interface Consumption {
  /** Lets batches at hand end, then leaves. Idempotent. */
  stop(): Promise<void>;
}

/** Reading the logs, beside whoever writes them. For people and for state, not for stations. */
export interface BusReader {
  /** Every topic's number of partitions. */
  readonly partitions: number;
  /** Told apart from every other set of logs: made anew with them. */
  readonly epoch: string;
  /** Up to `limit` records from `from` on. */
  read(topic: TopicName, partition: number, from: number, limit: number): Promise<readonly StoredRecord[]>;
  /** `low`: the first offset that is kept. `end`: the offset that the next record gets. */
  bounds(topic: TopicName, partition: number): Promise<{ readonly low: number; readonly end: number }>;
  /**
   * Everything below this offset is decided, and `read` gives what was committed of it. It may stand still while
   * somebody's transaction is open.
   */
  decidedTo(topic: TopicName, partition: number): Promise<number>;
  /** The group's next offset; null when it never committed one. */
  committed(group: string, topic: TopicName, partition: number): Promise<number | null>;
  /** The mark of the step that moved the group's offset last; null when it had none, or there was no step. */
  mark(group: string, topic: TopicName, partition: number): Promise<string | null>;
  /** How many partitions the topic has now: somebody may have changed it since the bus was opened. */
  countPartitions(topic: TopicName): Promise<number>;
  close(): Promise<void>;
}

/** Writes under a name that nobody else has at the time. */
export interface ExclusiveWriter {
  /** As `Bus.append`. MUST reject, and write nothing, when somebody else has taken the name since. */
  append(records: readonly NewRecord[]): Promise<readonly number[]>;
  /** As `Lane.barrier`, of any partition. */
  barrier(topic: TopicName, partition: number): Promise<number>;
}

export interface Bus extends BusReader {
  /**
   * Appends all or nothing; answers with the offsets once they are durable. Where an answer is lost on its way, a
   * single record may be there twice.
   */
  append(records: readonly NewRecord[]): Promise<readonly number[]>;
  /**
   * Does something as the only one under this name, of all processes: looking whether something is there, and then
   * writing it. Who had the name before can write no more.
   */
  exclusively<T>(name: string, work: (writer: ExclusiveWriter) => Promise<T>): Promise<T>;
  /**
   * Puts the group's next offset where an operator wants it. MUST refuse with PL_GROUP_ACTIVE while a process works
   * for the group.
   */
  setOffset(group: string, topic: TopicName, partition: number, next: number): Promise<void>;
  subscribe(subscription: Subscription): Consumption;
  /**
   * Calls back with the records of these topics that are appended from now on, in order within a partition.
   * For waiting on answers: nothing is committed, and what happens while nobody follows is not seen.
   * `onRecords` MUST NOT throw.
   */
  follow(topics: readonly TopicName[], onRecords: (records: readonly StoredRecord[]) => void): Consumption;
}
