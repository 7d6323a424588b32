import { setMaxListeners } from 'node:events';
import type { Consumption, Subscription } from '../bus.js';
import { joinMemories, ofPartitions } from './group-memory.js';
import { joinGroup, type MemberTimes } from './group-member.js';
import { laneError } from './lane-error.js';
import { runLane, type LaneEnvironment } from './lane-worker.js';

export interface SubscribeEnvironment extends Omit<LaneEnvironment, 'confirmed' | 'committed'> {
  readonly times: MemberTimes;
  /** The lanes write nothing before. */
  readonly mayBegin: Promise<unknown>;
}

interface RunningLane {
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** Joins the subscription's group, and runs a lane for each partition number that comes with it. */
export function subscribe(env: SubscribeEnvironment, subscription: Subscription): Consumption {
  const lanes = new Map<number, RunningLane>();
  const committed = new Map<string, number>();
  const { client, names } = env;
  let assigned: readonly number[] = [];

  const member = joinGroup({
    ...env.times,
    client,
    groupId: names.group(subscription.group),
    topics: subscription.topics.map((topic) => names.topic(topic)),
    memory: {
      told: () => ofPartitions(committed, (partition) => assigned.includes(partition)),
      learn(memory) {
        for (const [log, offset] of joinMemories([committed, memory])) committed.set(log, offset);
      },
    },
    onAssigned(partitions) {
      assigned = partitions;
      env.events.joined(subscription.group);
      for (const partition of partitions) startLane(partition);
    },
    async revoke() {
      for (const { stop } of lanes.values()) stop.abort();
      await Promise.all([...lanes.values()].map(({ done }) => done));
    },
    onError(error) {
      env.events.memberFailed(subscription.group, error);
      for (const partition of lanes.keys())
        subscription.onError(laneError(error, subscription.group, partition), partition);
    },
  });

  function startLane(partition: number): void {
    const before = lanes.get(partition)?.done;
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const laneEnv: LaneEnvironment = {
      ...env,
      committed,
      confirmed: (signal, again) => member.confirmed(signal, again),
    };
    const run = async (): Promise<void> => {
      // One that did not let go in time must have ended before another of the same partition begins.
      await Promise.all([before, env.mayBegin]);
      await runLane(laneEnv, subscription, partition, stop.signal);
    };
    const lane: RunningLane = { stop, done: run() };
    lanes.set(partition, lane);
    void lane.done.then(() => {
      if (lanes.get(partition) === lane) lanes.delete(partition);
      subscription.onLost?.(partition);
    });
  }

  return { stop: () => member.stop() };
}
