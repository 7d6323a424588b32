import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  metricTable,
  type CounterName,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
  type MetricName,
} from './metrics-table.js';

/** The metrics of one line, in a registry of their own. */
export interface Metrics {
  count<N extends CounterName>(name: N, labels: LabelsOf<N>, by?: number): void;
  /** For a count that somebody else keeps. */
  countTo<N extends CounterName>(name: N, labels: LabelsOf<N>, total: number): void;
  set<N extends GaugeName>(name: N, labels: LabelsOf<N>, value: number): void;
  /** Takes all series of a gauge away. */
  clear(name: GaugeName): void;
  observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, value: number): void;
  /** In Prometheus's text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  for (const name of Object.keys(metricTable) as MetricName[]) {
    const row = metricTable[name];
    const options = { name, help: row.help, labelNames: row.labels, registers: [registry] };
    if (row.type === 'counter') counters.set(name, new Counter(options));
    else if (row.type === 'gauge') gauges.set(name, new Gauge(options));
    else histograms.set(name, new Histogram({ ...options, buckets: [...row.buckets] }));
  }
  return {
    count: (name, labels, by = 1) => counters.get(name)?.inc(labels, by),
    countTo(name, labels, total) {
      const counter = counters.get(name);
      counter?.remove(labels);
      counter?.inc(labels, total);
    },
    set: (name, labels, value) => gauges.get(name)?.set(labels, value),
    clear: (name) => gauges.get(name)?.reset(),
    observe: (name, labels, value) => histograms.get(name)?.observe(labels, value),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
