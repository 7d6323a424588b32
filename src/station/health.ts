import { errorMessage, type ErrorCode, type ErrorParams } from '../contracts/errors.js';

/** Why a lane does not go on at the moment. */
export interface Waiting {
  readonly station: string;
  readonly partition: number;
  readonly code: ErrorCode;
  readonly problem: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** Which lanes wait, and for what: readiness is false while any does. */
export interface Health {
  waits(station: string, partition: number, code: ErrorCode, params: ErrorParams): void;
  goesOn(station: string, partition: number): void;
  waiting(): readonly Waiting[];
}

export function createHealth(now: () => number): Health {
  const lanes = new Map<string, Waiting>();
  return {
    waits(station, partition, code, params) {
      const name = `${station}/${partition}`;
      const since = lanes.get(name)?.since ?? now();
      lanes.set(name, { station, partition, code, problem: errorMessage(code, params), since });
    },
    goesOn: (station, partition) => void lanes.delete(`${station}/${partition}`),
    waiting: () => [...lanes.values()],
  };
}
