import type { TopicName } from '../../contracts/topics.js';
import type { StoredRecord } from '../bus.js';
import { createBell } from '../embedded/wakeups.js';
import { isStaleMetadata, isTimeout } from './kafka-errors.js';
import type { LaneClaim } from './lane-claim.js';
import { MAX_PARTITION_BYTES, type Fetched, type LogReader } from './log-reader.js';
import { isBarrier } from './records.js';

/** Where a lane begins to read an input. */
export interface LaneInput {
  readonly topic: TopicName;
  readonly from: number;
  /**
   * The handler keeps its own position, which must get past the barriers: it is given them. Other handlers never
   * see them.
   */
  readonly withBarriers: boolean;
}

/** Reads a lane's inputs in turn, so that a long log of one holds up no other. */
export interface LaneReader {
  /**
   * Records of one input, again until `goOn` moves past them; null when none came within `waitMs`.
   * @throws ProoflineError PL_OFFSET_LOST when the log was made anew
   */
  nextBatch(waitMs: number): Promise<readonly StoredRecord[] | null>;
  /** Forgets the records of the topic before this offset. */
  goOn(topic: TopicName, offset: number): void;
  /** Where the topic has been read to, markers included; null while records wait to be handed out. */
  readTo(topic: TopicName): number | null;
}

interface Cursor extends LaneInput {
  records: readonly StoredRecord[];
  /** Where the next fetch begins. */
  next: number;
}

const MAX_WAIT_MS = 1000;
const MAX_LOST = 5;
/** What a fetch brings beyond a batch lies in memory until its turn comes: for each record of a batch, so much. */
const BYTES_A_RECORD = 2048;
const FEWEST_BYTES = 64 * 1024;

export function createLaneReader(
  log: LogReader,
  partition: number,
  inputs: readonly LaneInput[],
  claim: Pick<LaneClaim, 'seen' | 'lost' | 'confirm'>,
  maxRecords: number,
  signal: AbortSignal,
): LaneReader {
  const cursors: Cursor[] = inputs.map((input) => ({ ...input, records: [], next: input.from }));
  const bell = createBell();
  const underWay = new Set<number>();
  let failure: { readonly error: unknown } | null = null;
  const maxBytes = Math.min(MAX_PARTITION_BYTES, Math.max(FEWEST_BYTES, maxRecords * BYTES_A_RECORD));
  let lost = 0;
  let turn = 0;

  function takeTurn(): readonly StoredRecord[] | null {
    for (let i = 0; i < cursors.length; i++) {
      const cursor = cursors[(turn + i) % cursors.length];
      if (cursor === undefined || cursor.records.length === 0) continue;
      turn = (turn + i + 1) % cursors.length;
      return cursor.records.slice(0, maxRecords);
    }
    return null;
  }

  /** One fetch a leader is under way at a time; it goes on while the lane does other things. */
  function startFetches(): void {
    const leaders = new Map<number, Cursor[]>();
    for (const cursor of cursors.filter(({ records }) => records.length === 0)) {
      const leader = log.leaderOf(cursor.topic, partition);
      leaders.set(leader, [...(leaders.get(leader) ?? []), cursor]);
    }
    for (const [leader, wanted] of leaders) {
      if (!underWay.has(leader)) void fetch(leader, wanted);
    }
  }

  async function fetch(leader: number, wanted: readonly Cursor[]): Promise<void> {
    underWay.add(leader);
    const positions = wanted.map(({ topic, next }) => ({ topic, partition, offset: next }));
    const askedAt = performance.now();
    try {
      for (const fetched of await log.fetch(leader, positions, MAX_WAIT_MS, maxBytes)) {
        take(fetched);
        claim.seen(fetched.topic, askedAt);
      }
      lost = 0;
    } catch (error) {
      if (isStaleMetadata(error)) for (const { topic } of wanted) claim.lost(topic);
      // On a busy machine an answer may come too late, and leaders move: it is asked for again.
      const again = isTimeout(error) || isStaleMetadata(error);
      if (!again || ++lost >= MAX_LOST) failure ??= { error };
    } finally {
      underWay.delete(leader);
      bell.ring();
    }
  }

  function take({ topic, records, next, unreadable }: Fetched): void {
    if (unreadable !== undefined) throw unreadable;
    const cursor = cursors.find((each) => each.topic === topic);
    if (cursor === undefined) return;
    // The handler may have moved on while the fetch was under way.
    const wanted = records.filter((record) => record.offset >= cursor.next);
    cursor.records = cursor.withBarriers ? wanted : wanted.filter((record) => !isBarrier(record));
    cursor.next = Math.max(cursor.next, next);
  }

  return {
    async nextBatch(waitMs) {
      await claim.confirm(inputs.map(({ topic }) => topic));
      const ready = takeTurn();
      if (ready !== null) return ready;
      startFetches();
      await bell.heard(waitMs, signal);
      if (failure !== null) throw failure.error;
      return takeTurn();
    },
    goOn(topic, offset) {
      const cursor = cursors.find((each) => each.topic === topic);
      if (cursor === undefined) return;
      cursor.records = cursor.records.filter((record) => record.offset >= offset);
      cursor.next = Math.max(cursor.next, offset);
    },
    readTo(topic) {
      const cursor = cursors.find((each) => each.topic === topic);
      return cursor === undefined || cursor.records.length > 0 ? null : cursor.next;
    },
  };
}
