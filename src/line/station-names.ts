import type { TopicName } from '../contracts/topics.js';

/** What each station reads; a station's name is its consumer group's. */
export const stationInputs = {
  'ledger-view': ['ledger.v1'],
  retrieve: ['lookup-requested.v1', 'run-state.v1'],
  postprocess: ['raw-hits.v1'],
  project: ['postprocessed.v1'],
  harness: ['lookup-requested.v1', 'projected.v1', 'draft-submitted.v1', 'run-outcome.v1'],
  guard: ['draft-submitted.v1'],
  review: ['verdict.v1', 'review-decision.v1'],
  'audit-sink': [
    'tool-invocation.v1',
    'projected.v1',
    'verdict.v1',
    'reviewed.v1',
    'repair-requested.v1',
    'verified.v1',
  ],
} satisfies Record<string, readonly TopicName[]>;

/**
 * Topics that a station reads from where what it keeps of them ends, wherever its group is: the view of the ledger, and
 * what a lane reads whole when it is opened. No offset of the group moves the station in them.
 */
const ownPositions: Readonly<Partial<Record<StationName, readonly TopicName[]>>> = {
  'ledger-view': ['ledger.v1'],
  retrieve: ['run-state.v1'],
};

export function keepsPositionOf(station: StationName, topic: TopicName): boolean {
  return ownPositions[station]?.includes(topic) ?? false;
}

export type StationName = keyof typeof stationInputs;

/** Every station, in the order in which they are started. */
export const stationNames = Object.keys(stationInputs) as readonly StationName[];

export function isStationName(name: string): name is StationName {
  return Object.hasOwn(stationInputs, name);
}
