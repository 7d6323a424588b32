import type { BusReader } from '../bus/bus.js';
import { ProoflineError } from '../contracts/errors.js';
import { isTopicName, type TopicName } from '../contracts/topics.js';
import { keepsPositionOf, stationInputs, type StationName } from './station-names.js';

/** How far the stations have read, and what putting one elsewhere would mean. */

export interface OffsetRow {
  readonly station: StationName;
  readonly topic: TopicName;
  readonly partition: number;
  readonly low: number;
  /** Null where the station never committed an offset. */
  readonly next: number | null;
  readonly end: number;
  /** Offsets between what it reads next and the end. */
  readonly lag: number;
}

export async function offsetRows(bus: BusReader, stations: readonly StationName[]): Promise<OffsetRow[]> {
  const rows: OffsetRow[] = [];
  for (const station of stations) {
    for (const topic of stationInputs[station]) {
      for (let partition = 0; partition < bus.partitions; partition++) {
        const { low, end } = await bus.bounds(topic, partition);
        const next = await bus.committed(station, topic, partition);
        const lag = Math.max(0, end - Math.max(low, next ?? low));
        rows.push({ station, topic, partition, low, next, end, lag });
      }
    }
  }
  return rows;
}

export interface OffsetTarget {
  readonly station: StationName;
  readonly topic: string;
  readonly partition: number;
  readonly to: number | 'beginning' | 'end';
}

export interface OffsetChange {
  readonly station: StationName;
  readonly topic: TopicName;
  readonly partition: number;
  /** Null where the station never committed one: it reads from the beginning. */
  readonly from: number | null;
  readonly to: number;
  /** Offsets that the station would not read, and that it would read once more. */
  readonly skipped: number;
  readonly again: number;
}

/** @throws ProoflineError PL_INPUT_INVALID for what the station does not read, or an offset that the log does not hold. */
export async function planOffset(bus: BusReader, target: OffsetTarget): Promise<OffsetChange> {
  const { station, partition } = target;
  const topic = inputOf(station, target.topic);
  const { low, end } = await bus.bounds(topic, partition);
  const to = target.to === 'beginning' ? low : target.to === 'end' ? end : target.to;
  if (to < low || to > end)
    throw invalid(`${topic}/${partition} holds ${low} to ${end}, and ${to} is not in there`);
  const from = await bus.committed(station, topic, partition);
  const at = Math.max(low, from ?? low);
  return { station, topic, partition, from, to, skipped: Math.max(0, to - at), again: Math.max(0, at - to) };
}

function inputOf(station: StationName, name: string): TopicName {
  const inputs: readonly TopicName[] = stationInputs[station];
  if (!isTopicName(name) || !inputs.includes(name))
    throw invalid(`${station} does not read ${JSON.stringify(name)}; it reads ${inputs.join(', ')}`);
  if (keepsPositionOf(station, name))
    throw invalid(`${station} keeps its own position in ${name}; an offset moves nothing`);
  return name;
}

function invalid(problem: string): ProoflineError {
  return new ProoflineError('PL_INPUT_INVALID', { problem });
}
