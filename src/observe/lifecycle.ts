import type { Lanes } from './lanes.js';
import type { Log } from './log.js';
import type { Readiness } from './readiness.js';

/** Tells the log when readiness or the lanes have changed, looked at about once a second. */
export interface Lifecycle {
  look(): void;
  stop(): void;
}

const LOOK_MS = 1000;

export function watchLifecycle(log: Log, lanes: Lanes, readiness: () => Readiness): Lifecycle {
  let told = '';

  function look(): void {
    for (const change of lanes.changes()) log.lanes(change);
    const { ready, reasons } = readiness();
    // Reasons that stay the same are told once, however long they last.
    const state = ready
      ? 'ready'
      : [...new Set(reasons.map(({ station, code }) => `${station} ${code}`))].join();
    if (state === told) return;
    told = state;
    if (ready) log.ready();
    else log.notReady(reasons);
  }

  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return { look, stop: () => clearInterval(timer) };
}
