import type { Health } from '../station/health.js';
import type { Progress } from './bus-probe.js';
import type { Lanes } from './lanes.js';
import type { Metrics } from './metrics.js';

export interface ScrapePorts {
  readonly metrics: Metrics;
  readonly lanes: Lanes;
  readonly now: () => number;
  /** Everything that is sampled without waiting. */
  sample(): void;
  isReady(): boolean;
  /** Null before there is a line. */
  line(): { readonly health: Health; progress(): Promise<Progress> } | null;
}

/** For how long an answer of the bus is good for other scrapes. */
const FRESH_MS = 1000;

/** The text of the metrics, with what can only be known by asking, asked at most once a second. */
export function createScrape(ports: ScrapePorts): () => Promise<string> {
  const { metrics, lanes, now } = ports;
  let asked: { readonly at: number; readonly progress: Promise<Progress> } | null = null;

  /** On a clock that nobody sets. */
  function progress(): Promise<Progress> {
    const line = ports.line();
    if (line === null) return Promise.resolve({ lags: null, views: null });
    if (asked === null || performance.now() - asked.at > FRESH_MS)
      asked = { at: performance.now(), progress: line.progress() };
    return asked.progress;
  }

  function setWaiting(): void {
    metrics.clear('proofline_waiting_seconds');
    for (const { station, partition, code, since } of ports.line()?.health.waiting() ?? [])
      metrics.set(
        'proofline_waiting_seconds',
        { station, partition: String(partition), code },
        Math.max(0, now() - since) / 1000,
      );
    for (const { name, lanes: held } of lanes.stations())
      metrics.set('proofline_station_lanes', { station: name }, held.size);
    metrics.set('proofline_ready', {}, ports.isReady() ? 1 : 0);
  }

  return async () => {
    setProgress(metrics, await progress());
    setWaiting();
    ports.sample();
    return metrics.text();
  };
}

/** What did not answer has no numbers: an old one would pass for a good one. */
function setProgress(metrics: Metrics, { lags, views }: Progress): void {
  metrics.set('proofline_bus_up', {}, lags === null ? 0 : 1);
  metrics.set('proofline_ledger_view_up', {}, views === null ? 0 : 1);
  metrics.clear('proofline_station_lag_records');
  metrics.clear('proofline_ledger_view_position');
  metrics.clear('proofline_ledger_view_lag_records');
  for (const { station, topic, partition, records } of lags ?? [])
    metrics.set('proofline_station_lag_records', { station, topic, partition: String(partition) }, records);
  for (const { partition: number, position, lag } of views ?? []) {
    const partition = String(number);
    metrics.set('proofline_ledger_view_position', { partition }, position);
    if (lag !== null) metrics.set('proofline_ledger_view_lag_records', { partition }, lag);
  }
}
