import { createBell } from '../embedded/wakeups.js';
import type { KafkaClient } from './client.js';
import { asksToRejoin, isRebalanceInProgress } from './kafka-errors.js';
import type { SharedMemory } from './group-memory.js';
import type { ConsumerGroup } from './kafkajs-internals.js';

export interface MemberTimes {
  /** Without a heartbeat for so long, the group goes on without this member. */
  readonly sessionTimeoutMs: number;
  readonly heartbeatMs: number;
  /** How long the group waits for its members to let go of their lanes. */
  readonly rebalanceTimeoutMs: number;
}

export interface MemberOptions extends MemberTimes {
  readonly client: KafkaClient;
  /** Names in Kafka. */
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly memory: SharedMemory;
  /** The member was given these partition numbers. */
  onAssigned(partitions: readonly number[]): void;
  /** The member must let go of everything; resolves when it has. */
  revoke(): Promise<void>;
  onError(error: unknown): void;
}

/** Membership in a consumer group: keeps it, and tells which partition numbers come with it. */
export interface GroupMember {
  /**
   * Resolves when the coordinator has lately said that this is a member, with `again` when it says so anew; or
   * when the signal aborts.
   */
  confirmed(signal: AbortSignal, again: boolean): Promise<void>;
  /** Lets go and leaves. */
  stop(): Promise<void>;
}

const MAX_BACKOFF_MS = 2000;
const LEAVE_MS = 3000;

/**
 * Joins the group and stays in it. Unlike kafkajs's own consumer it beats while batches run, and lets the batches
 * at hand end before the partitions go to somebody else.
 */
export function joinGroup(options: MemberOptions): GroupMember {
  const stopping = new AbortController();
  const { signal } = stopping;
  let confirmedAt = -Infinity;
  let waiting: (() => void)[] = [];

  function confirm(askedAt: number, asking: readonly (() => void)[]): void {
    confirmedAt = askedAt;
    waiting = waiting.filter((wake) => !asking.includes(wake));
    for (const wake of asking) wake();
  }

  /** Whoever began to wait after the question was asked is not answered by it. */
  async function ask(question: () => Promise<void>): Promise<void> {
    const [askedAt, asking] = [performance.now(), [...waiting]];
    await question();
    confirm(askedAt, asking);
  }

  async function stay(group: ConsumerGroup): Promise<void> {
    while (!isOver(signal)) {
      await ask(() => join(group));
      if (isOver(signal)) return;
      options.onAssigned(partitionsOf(group));
      await beatUntilRebalance(group);
      await letGo(group);
    }
  }

  /** Joining waits for the other members, and they may take their time: who stops does not wait for that. */
  async function join(group: ConsumerGroup): Promise<void> {
    let giveUp: () => void = () => undefined;
    const gaveUp = new Promise<void>((resolve) => {
      giveUp = () => void timeout(LEAVE_MS).then(resolve);
    });
    signal.addEventListener('abort', giveUp);
    try {
      await Promise.race([group.joinAndSync(), gaveUp]);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async function beatUntilRebalance(group: ConsumerGroup): Promise<void> {
    for (;;) {
      await createBell().heard(options.heartbeatMs, signal);
      if (isOver(signal)) return;
      try {
        await ask(() => group.heartbeat({ interval: 0 }));
      } catch (error) {
        if (asksToRejoin(error)) return;
        // One lost answer is no lost membership.
        if (performance.now() - confirmedAt > options.sessionTimeoutMs) throw error;
      }
    }
  }

  /** Beats on meanwhile: the group waits longer for its members to let go than for a sign of life. */
  async function letGo(group: ConsumerGroup): Promise<void> {
    const gone = new AbortController();
    const deadline = performance.now() + options.rebalanceTimeoutMs * 0.8;
    const revoked = options.revoke().finally(() => gone.abort());
    while (!isOver(gone.signal) && performance.now() < deadline) {
      await createBell().heard(options.heartbeatMs, gone.signal);
      if (isOver(gone.signal)) break;
      await group.heartbeat({ interval: 0 }).catch((error: unknown) => {
        if (!isRebalanceInProgress(error)) gone.abort();
      });
    }
    // What has not let go by now is fenced by its successor.
    await Promise.race([revoked, timeout(deadline - performance.now())]);
  }

  async function live(): Promise<void> {
    const member = options.client.member(options);
    try {
      await member.connect();
      await stay(member.group);
    } finally {
      await options.revoke();
      // The group need not wait until it misses this member.
      await Promise.race([member.group.leave().catch(() => undefined), timeout(LEAVE_MS)]);
      await member.close();
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; !isOver(signal);) {
      const startedAt = performance.now();
      try {
        await live();
      } catch (error) {
        if (isOver(signal)) return;
        options.onError(error);
        failures = performance.now() - startedAt > MAX_BACKOFF_MS ? 1 : failures + 1;
        await createBell().heard(Math.min(MAX_BACKOFF_MS, 50 * 2 ** failures), signal);
      }
    }
  }

  const running = run();
  return {
    confirmed(laneSignal, again) {
      const fresh = performance.now() - confirmedAt < options.sessionTimeoutMs / 2;
      if ((fresh && !again) || laneSignal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.push(resolve);
        laneSignal.addEventListener('abort', () => resolve(), { once: true });
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** A lane is one partition number: every topic is assigned the same ones. */
function partitionsOf(group: ConsumerGroup): number[] {
  return [...new Set(group.assigned().flatMap(({ partitions }) => partitions))].toSorted((a, b) => a - b);
}

function timeout(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
