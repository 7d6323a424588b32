import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from './metrics.js';

const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

/** Memory, processor time and the event loop of this process, taken at each scrape. */
export interface ProcessMetrics {
  sample(): void;
  close(): void;
}

export function createProcessMetrics(metrics: Metrics): ProcessMetrics {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  metrics.set('process_start_time_seconds', {}, Math.round(Date.now() / 1000 - process.uptime()));

  /** What is measured is the time from one look to the next: the rest over what was asked for is the lag. */
  function setLag(stat: string, nanoseconds: number): void {
    const lag = Number.isFinite(nanoseconds) ? nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000 : 0;
    metrics.set('nodejs_eventloop_lag_seconds', { stat }, Math.max(0, lag));
  }

  return {
    sample() {
      const { rss, heapUsed } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      metrics.set('process_resident_memory_bytes', {}, rss);
      metrics.set('nodejs_heap_used_bytes', {}, heapUsed);
      metrics.countTo('process_cpu_seconds_total', {}, (user + system) / 1e6);
      setLag('mean', delays.mean);
      setLag('p99', delays.percentile(99));
      setLag('max', delays.max);
      delays.reset();
    },
    close: () => void delays.disable(),
  };
}
