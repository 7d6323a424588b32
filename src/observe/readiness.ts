import { errorMessage, errorTable, type ErrorCode, type ErrorParams } from '../contracts/errors.js';
import type { Health } from '../station/health.js';
import type { Lanes } from './lanes.js';

/** Why the process cannot do all of its work at the moment, for the person who has to solve it. */
export interface Reason {
  readonly code: ErrorCode;
  readonly message: string;
  readonly solve: string;
  readonly station?: string;
  readonly partition?: number;
  /** RFC 3339. */
  readonly since?: string;
}

/** A dependency that does not do, as whoever looks after it says. */
export interface Missing {
  readonly code: ErrorCode;
  readonly params?: ErrorParams;
  /** Epoch milliseconds. */
  readonly since?: number;
}

export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly Reason[];
  /** How many more there are. */
  readonly more: number;
}

export type ProcessState = 'starting' | 'running' | 'stopping';

export interface ReadinessPorts {
  readonly lanes: Lanes;
  state(): ProcessState;
  /** Null before there is a line. */
  health(): Health | null;
  dependencies(): readonly Missing[];
}

const MAX_REASONS = 100;

/** Ready: every station works on some partition, and none of them waits for anything. */
export function readinessOf(ports: ReadinessPorts): Readiness {
  const state = ports.state();
  const waits = waitReasons(ports.health());
  const found = [
    ...(state === 'running' ? [] : [reason('PL_NOT_SERVING', { state })]),
    ...ports.dependencies().map(({ code, params, since }) => reason(code, params, { since })),
    ...(state === 'running' ? laneReasons(ports.lanes, waits) : []),
    ...waits,
  ];
  const reasons = found.slice(0, MAX_REASONS);
  return { ready: found.length === 0, reasons, more: found.length - reasons.length };
}

/** A lane that starts over says why by what it waits for. */
function laneReasons(lanes: Lanes, waits: readonly Reason[]): Reason[] {
  const explained = new Set(waits.map((wait) => `${wait.station ?? ''}/${wait.partition ?? ''}`));
  return lanes.stations().flatMap(({ name: station, lanes: held, since }) => {
    if (held.size === 0) return [reason('PL_NO_PARTITION', { station }, { station, since })];
    const opening = [...held].filter(
      ([partition, { open }]) => !open && !explained.has(`${station}/${partition}`),
    );
    return opening.map(([partition, lane]) =>
      reason('PL_LANE_OPENING', { station, partition }, { station, partition, since: lane.since }),
    );
  });
}

function waitReasons(health: Health | null): Reason[] {
  const waiting = health?.waiting() ?? [];
  return waiting.map(({ station, partition, code, problem, since }) => {
    // What an unexpected error says may repeat what it was working on.
    const unexpected = code === 'PL_INVARIANT';
    const place = reason(
      code,
      { problem: 'an unexpected error; the log says which' },
      { station, partition, since },
    );
    return unexpected ? place : { ...place, message: problem.slice(0, MAX_MESSAGE_CHARS) };
  });
}

const MAX_MESSAGE_CHARS = 500;

function reason(
  code: ErrorCode,
  params: ErrorParams = {},
  place: { readonly station?: string; readonly partition?: number; readonly since?: number | undefined } = {},
): Reason {
  const { since, ...where } = place;
  return {
    code,
    ...where,
    message: errorMessage(code, params).slice(0, MAX_MESSAGE_CHARS),
    solve: errorTable[code].solve,
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
  };
}
