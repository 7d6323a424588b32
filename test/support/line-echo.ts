import { lookupRequested, type Lookup } from '../../producers/lookups.js';
import type { Bus, Consumption, Lane, NewRecord } from '../../src/bus/bus.js';
import { createCodec, type Codec } from '../../src/contracts/codec.js';
import type { TopicName } from '../../src/contracts/topics.js';
import { encodeRecord, type Emitter } from '../../src/station/envelope.js';
import { createHealth, type Health } from '../../src/station/health.js';
import { invocation } from '../../src/station/invocation.js';
import type { Incident } from '../../src/station/lane-environment.js';
import type { StationObserver } from '../../src/station/observer.js';
import { runStation } from '../../src/station/run-station.js';
import type {
  Emission,
  LaneContext,
  Message,
  Outcome,
  Station,
  StationLane,
} from '../../src/station/station.js';
import { lookupOf } from './line.js';

/** The smallest station: it answers a lookup's query with a decision that repeats it. */
export interface Echo {
  readonly codec: Codec;
  readonly emitter: Emitter;
  readonly health: Health;
  readonly incidents: Incident[];
  readonly consumption: Consumption;
  /** The queries of each batch that was prepared. */
  readonly prepared: (readonly string[])[];
  request(lookup: Partial<Lookup>, now?: number): NewRecord;
}

export type EchoMessage = Message<'lookup-requested.v1'>;

export interface EchoOptions {
  readonly maxRecords?: number;
  readonly restMs?: number;
  readonly now?: () => number;
  readonly codec?: Codec;
  readonly admit?: Station<'lookup-requested.v1', null>['admit'];
  readonly lane?: EchoLane;
  /** Made for each life of a lane, in the place of `lane`. */
  readonly open?: (context: LaneContext) => EchoLane | Promise<EchoLane>;
  readonly knows?: TopicName;
  readonly passesOver?: true;
  readonly observer?: StationObserver;
}

type EchoLane = Partial<StationLane<'lookup-requested.v1', null>>;

export function runEcho(bus: Bus, options: EchoOptions = {}): Echo {
  const codec = options.codec ?? createCodec();
  const now = options.now ?? Date.now;
  const emitterOf = (station: string): Emitter => ({
    station,
    codec,
    partitions: bus.partitions,
    prefix: 'proofline.',
    now,
  });
  const health = createHealth(now);
  const incidents: Incident[] = [];
  const prepared: (readonly string[])[] = [];
  const env = {
    emitter: emitterOf('echo'),
    health,
    onIncident: (incident: Incident) => void incidents.push(incident),
    ...(options.observer === undefined ? {} : { observer: options.observer }),
  };
  const consumption = runStation<'lookup-requested.v1', null>(bus, env, {
    name: 'echo',
    inputs: ['lookup-requested.v1'],
    maxRecords: options.maxRecords ?? 100,
    ...(options.restMs === undefined ? {} : { restMs: options.restMs }),
    ...(options.admit === undefined ? {} : { admit: options.admit }),
    ...(options.knows === undefined ? {} : { knows: options.knows }),
    ...(options.passesOver === undefined ? {} : { passesOver: options.passesOver }),
    async open(context) {
      const { prepare, ...more } = (await options.open?.(context)) ?? options.lane ?? {};
      return {
        prepare(messages) {
          prepared.push(messages.map(({ value }) => value.query));
          return prepare?.(messages) ?? Promise.resolve(null);
        },
        decide: echo,
        ...more,
      };
    },
  });
  return {
    codec,
    emitter: env.emitter,
    health,
    incidents,
    prepared,
    consumption,
    request: (lookup, at = 1_000_000) =>
      encodeRecord(emitterOf('test'), 'lookup-requested.v1', lookupRequested(lookupOf(lookup), at)),
  };
}

export function echo({ value }: EchoMessage): Outcome {
  return {
    kind: 'emit',
    records: [decision(value.query)],
    invocation: invocation({ kind: 'ECHO', outcome: 'DONE', countIn: 1, countOut: 1 }),
  };
}

export function decision(reason: string): Emission {
  return {
    topic: 'review-decision.v1',
    body: { draftId: 'draft-1', verdictEventId: 'v', decision: 'APPROVE', by: 'echo', reason, ext: {} },
  };
}

/** A bus whose lanes' steps `mayStep` can refuse, by rejecting. */
export function withSteps(
  bus: Bus,
  mayStep: (group: string, step: Parameters<Lane['step']>[0]) => void,
): Bus {
  return {
    ...bus,
    subscribe: (subscription) =>
      bus.subscribe({
        ...subscription,
        open: (lane) =>
          subscription.open({
            ...lane,
            async step(step) {
              await Promise.resolve();
              mayStep(subscription.group, step);
              return lane.step(step);
            },
          }),
      }),
  };
}
