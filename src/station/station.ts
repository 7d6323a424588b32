import type { BusReader, Lane, StoredRecord } from '../bus/bus.js';
import type { ErrorCode, ErrorParams } from '../contracts/errors.js';
import type { ToolInvocation } from '../contracts/generated.js';
import type { TopicMessages, TopicName } from '../contracts/topics.js';

/**
 * What a station is: it consumes topics and produces others, in one atomic step a batch. `prepare` does all
 * I/O for the whole batch, `decide` is pure, and the runtime does the rest, once, for every station.
 */

/** Fields of every message that the runtime fills: derived ids, and the input's run and event time. */
export type Envelope = 'eventId' | 'causedBy' | 'runId' | 'occurredAt';

/** A decoded input. */
export type Message<T extends TopicName = TopicName> = {
  readonly [K in T]: { readonly topic: K; readonly value: TopicMessages[K]; readonly record: StoredRecord };
}[T];

/** A record to emit: its topic and its message without the envelope. */
export type Emission = {
  readonly [T in TopicName]: {
    readonly topic: T;
    readonly body: Omit<TopicMessages[T], Envelope>;
    /** The key, where it is not the run_id. */
    readonly key?: string;
    /** Set where the outcome is that, so that its event id differs from the first answer's. */
    readonly mark?: 'REPEAT' | 'REFUSED';
  };
}[TopicName];

/** What the audit keeps of one message; the runtime adds who did it and when. */
export type Invocation = Omit<ToolInvocation, Envelope | 'station' | 'version' | 'measured' | 'ext'>;

/** What follows from a deadline of a run, and from no message. */
export interface Due {
  readonly runId: string;
  /** Epoch milliseconds; the ids of what is emitted are derived from it, and it is when all that happened. */
  readonly deadline: number;
  readonly records: readonly Emission[];
  readonly invocation?: Invocation | undefined;
}

/** What becomes of one message. */
export type Outcome =
  | {
      readonly kind: 'emit';
      readonly records: readonly Emission[];
      readonly invocation?: Invocation | undefined;
    }
  | {
      readonly kind: 'dead-letter';
      readonly code: ErrorCode;
      readonly params: ErrorParams;
      /** The reason in words, where the code's own message with its parameters is not it. */
      readonly message?: string;
      /** Emitted beside the dead letter, in the same step. */
      readonly records?: readonly Emission[];
      readonly invocation?: Invocation | undefined;
    }
  | {
      /** Tried again later; nothing is committed past it. */
      readonly kind: 'not-yet';
      readonly code: ErrorCode;
      readonly params: ErrorParams;
      readonly retryAfterMs?: number;
    };

/** A record that the station just committed, with where it lies. */
export interface Written {
  readonly emission: Emission;
  readonly offset: number;
}

/** Bytes of a record, and what its topic takes at most. */
export interface RecordSize {
  readonly bytes: number;
  readonly limit: number;
}

/** A station on one partition, with what it remembers. Made anew whenever the partition is taken over. */
export interface StationLane<I extends TopicName, P> {
  /**
   * All I/O of a batch. A dependency that is down rejects with a retryable ProoflineError, or prepares a
   * *not yet* for the messages concerned; it never leads to a dead letter.
   */
  prepare(messages: readonly Message<I>[]): Promise<P>;
  /** Pure. What it throws is a broken invariant: the message goes to the dead letters. */
  decide(message: Message<I>, prepared: P): Outcome;
  /** What becomes of a message whose records are too large for their topic. The default is a dead letter. */
  tooLarge?(message: Message<I>, prepared: P, size: RecordSize): Outcome;
  /** Called right after each decision that will be committed, so that the next one sees it. */
  remember?(outcome: Outcome, message: Message<I>, prepared: P): void;
  /** Called when the step is durable. */
  committed?(written: readonly Written[]): void;
  /** Called about once a minute, between batches. */
  maintain?(): Promise<void>;
  /**
   * Told the time (epoch milliseconds) about once a second, between batches: answers with what is due, to be written in
   * one step that moves no offset. The lane remembers it at once; an error throws the lane away. MUST cost next to
   * nothing while nothing is due.
   */
  due?(now: number): Promise<readonly Due[]>;
  /** What the lane knows of a topic that the station `knows`, and where it goes on to read it. */
  readonly knowledge?: Knowledge;
}

/** A topic that a lane has read whole, to know what it says by heart. */
export interface Knowledge {
  /** Where the lane goes on. */
  readonly from: number;
  /** Adds what these records say; answers with how many of them cannot be read. */
  take(records: readonly StoredRecord[]): Promise<number>;
}

export interface Station<I extends TopicName = TopicName, P = unknown> {
  readonly name: string;
  readonly inputs: readonly I[];
  /**
   * A topic of another station's that its lanes know by heart besides: each has read it whole when it is opened, and
   * is told what is added. It costs no step of its own while there are others: its offset moves along with theirs.
   */
  readonly knows?: TopicName;
  readonly maxRecords: number;
  /**
   * How long it leaves its lane alone after a batch that was not full, milliseconds: what nobody waits for is done in
   * larger steps, and leaves the machine to what somebody waits for.
   */
  readonly restMs?: number;
  /**
   * True where all its inputs have another reader that gives up what cannot be worked on: here such a record is passed
   * over, and counted.
   */
  readonly passesOver?: true;
  /** Refuses messages that contradict themselves, before anything is prepared. */
  readonly admit?: (message: Message<I>) => { readonly code: ErrorCode; readonly params: ErrorParams } | null;
  open(context: LaneContext): Promise<StationLane<I, P>>;
}

/** What the runtime gives a lane. */
export interface LaneContext {
  readonly lane: Lane;
  /** For a station that keeps its state in a topic of its own. */
  readonly bus: BusReader;
  /** Wall clock, epoch milliseconds. */
  now(): number;
  /** Appends records that follow from the message, in a step of its own before the batch's. */
  emitEarly(
    records: readonly { readonly emission: Emission; readonly message: Message }[],
  ): Promise<readonly Written[]>;
}
