import type { Attributes } from '@opentelemetry/api';
import type { StoredRecord } from '../bus/bus.js';
import type { ErrorCode } from '../contracts/errors.js';
import type { LaneObserver, StationObserver } from '../station/observer.js';
import { countDecisions } from './count-decisions.js';
import type { Lanes } from './lanes.js';
import type { Metrics } from './metrics.js';
import { createLaneSpans, type LaneSpans } from './spans.js';
import type { Tracing } from './tracing.js';

interface ObserverPorts {
  readonly metrics: Metrics;
  readonly lanes: Lanes;
  readonly tracing: Tracing | null;
}

/** What the stations tell becomes metrics, spans, and what this process is known to work on. */
export function createStationObserver({ metrics, lanes, tracing }: ObserverPorts): StationObserver {
  const lives = new Map<string, LaneLife>();

  function end(station: string, partition: number, code: ErrorCode | null): void {
    lives.get(`${station}/${partition}`)?.ended(code);
    lives.delete(`${station}/${partition}`);
  }

  return {
    subscribed(station, inputs) {
      lanes.subscribed(station, inputs);
      metrics.count('proofline_records_in_total', { station }, 0);
      for (const outcome of ['committed', 'failed'])
        metrics.count('proofline_steps_total', { station, outcome }, 0);
    },
    lane(station, partition) {
      lanes.opening(station, partition);
      const spans = tracing === null ? null : createLaneSpans(tracing.tracer, tracing.ids, station);
      const life = observeLane(metrics, station, spans);
      lives.set(`${station}/${partition}`, life);
      return { ...life, opened: () => lanes.opened(station, partition) };
    },
    startedOver(station, partition, code) {
      lanes.opening(station, partition);
      metrics.count('proofline_lanes_started_over_total', { station, code });
      end(station, partition, code);
    },
    lost(station, partition) {
      lanes.lost(station, partition);
      end(station, partition, null);
    },
    takenBack: (records) => metrics.count('proofline_ledger_taken_back_total', {}, records),
  };
}

interface LaneLife extends Omit<LaneObserver, 'opened'> {
  /** By an error, or, with null, because the lane was let go. */
  ended(code: ErrorCode | null): void;
}

type Stage = 'prepare' | 'decide' | 'commit';

function observeLane(metrics: Metrics, station: string, spans: LaneSpans | null): LaneLife {
  let batch: readonly StoredRecord[] = [];
  let stageFrom = 0;
  let stages: Attributes = {};
  let committing = false;

  /** Durations are taken on a clock that nobody sets. */
  function passed(stage: Stage): void {
    const now = performance.now();
    metrics.observe('proofline_stage_seconds', { station, stage }, (now - stageFrom) / 1000);
    if (spans !== null) stages[`proofline.${stage}_ms`] = now - stageFrom;
    stageFrom = now;
  }

  return {
    began(records) {
      batch = records;
      stageFrom = performance.now();
      stages = {};
      spans?.began(records);
    },
    inherited: (record) => (spans === null ? record.headers : spans.inherited(record)),
    prepared: () => passed('prepare'),
    decided() {
      passed('decide');
      committing = true;
    },
    committed(count, decisions) {
      passed('commit');
      committing = false;
      metrics.count('proofline_steps_total', { station, outcome: 'committed' });
      metrics.count('proofline_records_in_total', { station }, count);
      metrics.observe('proofline_batch_records', { station }, count);
      countDecisions(metrics, station, decisions);
      spans?.committed(count === batch.length ? batch : batch.slice(0, count), decisions, stages);
    },
    due(decisions) {
      metrics.count('proofline_steps_total', { station, outcome: 'committed' });
      countDecisions(metrics, station, decisions);
    },
    learned(records, unreadable) {
      metrics.count('proofline_records_in_total', { station }, records);
      if (unreadable > 0)
        metrics.count(
          'proofline_records_passed_over_total',
          { station, code: 'PL_RECORD_UNDECODABLE' },
          unreadable,
        );
    },
    waits(code) {
      committing = false;
      metrics.count('proofline_waits_total', { station, code });
      spans?.waits(code);
    },
    ended(code) {
      if (committing && code !== null) metrics.count('proofline_steps_total', { station, outcome: 'failed' });
      spans?.failed(code);
    },
  };
}
