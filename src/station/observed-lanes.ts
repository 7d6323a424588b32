import type { Subscription } from '../bus/bus.js';
import type { ErrorCode } from '../contracts/errors.js';
import type { TopicName } from '../contracts/topics.js';
import type { LaneEnvironment } from './lane-environment.js';
import { silentObserver, type LaneObserver } from './observer.js';

/** Tells the observer and health which lanes of a station come and go. */
export interface ObservedLanes extends Required<Pick<Subscription, 'onLost'>> {
  /** A lane is to be opened. */
  opening(partition: number): LaneObserver;
  startedOver(partition: number, code: ErrorCode): void;
}

export function observeLanes(
  { health, observer = silentObserver }: Pick<LaneEnvironment, 'health' | 'observer'>,
  station: string,
  inputs: readonly TopicName[],
): ObservedLanes {
  observer.subscribed(station, inputs);
  return {
    opening: (partition) => observer.lane(station, partition),
    startedOver: (partition, code) => observer.startedOver(station, partition, code),
    onLost(partition) {
      // What somebody else works on now holds nobody up here.
      health.goesOn(station, partition);
      observer.lost(station, partition);
    },
  };
}
