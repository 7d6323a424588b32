import type { ErrorCode, ErrorParams } from '../contracts/errors.js';
import type { TopicName } from '../contracts/topics.js';
import type { Emitter } from './envelope.js';
import type { Health } from './health.js';
import type { StationObserver } from './observer.js';

/** What the runtime needs besides the station and its lane. */
export interface LaneEnvironment {
  readonly emitter: Emitter;
  readonly health: Health;
  /** Nobody is told anything without it. */
  readonly observer?: StationObserver;
  /** Told of what a person should look into: a rule that threw, a record given up. */
  onIncident(incident: Incident): void;
}

export interface Incident {
  readonly station: string;
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly record?: { readonly topic: TopicName; readonly partition: number; readonly offset: number };
  readonly cause?: unknown;
}
