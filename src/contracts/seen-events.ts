/** Remembers event ids, so that what comes again is told. */
export interface SeenEvents {
  has(eventId: string, runId: string): boolean;
  /** To be called once the event was dealt with: what failed must not be taken for a repeat when it comes again. */
  add(eventId: string, runId: string): void;
}

/** How much is remembered. What is forgotten and comes again counts as new. */
export interface SeenEventsLimits {
  /** Runs; the one that was quiet for longest is forgotten first. Default 10,000. */
  readonly runs: number;
  /** Events a run; the oldest is forgotten first. Default 1,000. */
  readonly eventsPerRun: number;
}

const defaults: SeenEventsLimits = { runs: 10_000, eventsPerRun: 1000 };

/**
 * A topic may repeat an equal event under the same id, and a reader that starts again gets what it had: ids are
 * derived from what events say, so the same id is the same event. Events of a run come close together; so memory is
 * given up by run.
 */
export function createSeenEvents(limits: Partial<SeenEventsLimits> = {}): SeenEvents {
  const { runs, eventsPerRun } = { ...defaults, ...limits };
  const seen = new Map<string, Set<string>>();
  return {
    has: (eventId, runId) => seen.get(runId)?.has(eventId) === true,
    add(eventId, runId) {
      const events = seen.get(runId) ?? new Set();
      // To the end of the order: this run is the last that is forgotten.
      seen.delete(runId);
      seen.set(runId, events);
      events.add(eventId);
      forgetFirst(events, eventsPerRun);
      forgetFirst(seen, runs);
    },
  };
}

function forgetFirst(kept: Set<string> | Map<string, unknown>, limit: number): void {
  if (kept.size <= limit) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}
