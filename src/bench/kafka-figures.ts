import type { LookupWork } from './lookup-work.js';
import { percentile, type Figure } from './measure.js';
import type { PassthroughFigures } from './passthrough.js';
import type { SampleSize } from './sample-evidence.js';

/** What was measured of a line in Kafka, for people to read. */

export interface MeasuredLine {
  /** Milliseconds of each, as all times here. */
  readonly lookupAlone: readonly number[];
  readonly draftAlone: readonly number[];
  readonly lookupsPerSecond: number;
  /** Of processor time, of all processes of the line. */
  readonly processorMs: number;
  readonly steady: AtRate;
  readonly loaded: AtRate;
  /** Of one core. */
  readonly idleShare: number;
  readonly records: number;
  /** Bytes of keys, values and headers that a lookup makes, in all topics. */
  readonly bytes: number;
  /** Of the largest process. */
  readonly residentBytes: number;
}

/** Lookups that came at a steady rate. */
export interface AtRate {
  readonly perSecond: number;
  readonly times: readonly number[];
  /** Of one core. */
  readonly share: number;
}

export interface KafkaComparison {
  readonly line: MeasuredLine;
  readonly bare: PassthroughFigures;
  readonly work: LookupWork;
  readonly size: SampleSize;
  readonly hops: number;
  readonly processes: number;
}

const ALONE = 'kafkajs alone';
const MIB = 1024 * 1024;

/** kafkajs alone, the work alone and the line stand together: what limits shows by them. */
export function kafkaFigures({ line, bare, work, size, hops, processes }: KafkaComparison): Figure[] {
  const { hits, chars } = size;
  const several = processes === 1 ? '' : `, ${processes} processes`;
  return [
    ms('lookup alone, to its projection, p50', percentile(line.lookupAlone, 50), bare.p50),
    ms('lookup alone, to its projection, p99', percentile(line.lookupAlone, 99), bare.p99),
    ms('draft alone, to its verdict, p50', percentile(line.draftAlone, 50)),
    ms('draft alone, to its verdict, p99', percentile(line.draftAlone, 99)),
    {
      name: `lookups to the projection, ${hits} × ${chars}${several}`,
      value: line.lookupsPerSecond,
      unit: 'per s',
      baseline: { name: `${ALONE}, the same bytes through ${hops} topics`, value: bare.recordsPerSecond },
    },
    { name: 'the same work without Kafka, on one core', value: work.perSecond, unit: 'per s' },
    ms('processor time of a lookup, audit included', line.processorMs, bare.processorMs),
    ms('processor time of the same work without Kafka', work.processorMs),
    ...rateFigures(line.steady),
    ...rateFigures(line.loaded),
    { name: 'records that a lookup makes', value: line.records, unit: '' },
    { name: 'bytes that a lookup makes', value: line.bytes, unit: '' },
    { name: `idle, share of one core${several}`, value: 100 * line.idleShare, unit: '%' },
    {
      name: `resident memory${several === '' ? '' : ', the largest process'}`,
      value: line.residentBytes / MIB,
      unit: 'MiB',
    },
  ];
}

function rateFigures({ perSecond, times, share }: AtRate): Figure[] {
  const rate = `${Math.round(perSecond)} per s`;
  return [
    ms(`lookup at ${rate}, p50`, percentile(times, 50)),
    ms(`lookup at ${rate}, p99`, percentile(times, 99)),
    { name: `share of one core at ${rate}`, value: 100 * share, unit: '%' },
  ];
}

function ms(name: string, value: number, baseline?: number): Figure {
  const figure = { name, value, unit: 'ms' };
  return baseline === undefined ? figure : { ...figure, baseline: { name: ALONE, value: baseline } };
}
