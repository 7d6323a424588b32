import type { Bus, Consumption, LaneHandler } from '../bus/bus.js';
import { isProoflineError, type ErrorCode, type ErrorParams } from '../contracts/errors.js';
import type { TopicName } from '../contracts/topics.js';
import { encodeEmissions } from './envelope.js';
import type { LaneEnvironment } from './lane-environment.js';
import { createLaneRuntime } from './lane-runtime.js';
import { observeLanes } from './observed-lanes.js';
import type { LaneContext, Station } from './station.js';

const TICK_MS = 1000;

/** Runs a station on every partition that the bus gives this process, until it is stopped. */
export function runStation<I extends TopicName, P>(
  bus: Bus,
  env: LaneEnvironment,
  station: Station<I, P>,
): Consumption {
  const topics: TopicName[] = [...station.inputs, ...(station.knows === undefined ? [] : [station.knows])];
  const lanes = observeLanes(env, station.name, topics);
  return bus.subscribe({
    group: station.name,
    topics,
    ...(station.knows === undefined ? {} : { knows: station.knows }),
    maxRecords: station.maxRecords,
    tickMs: TICK_MS,
    async open(lane): Promise<LaneHandler> {
      const observer = lanes.opening(lane.partition);
      const context: LaneContext = {
        lane,
        bus,
        now: () => env.emitter.now(),
        async emitEarly(early) {
          const records = early.flatMap(({ emission, message }) =>
            encodeEmissions(env.emitter, { ...message.value, headers: observer.inherited(message.record) }, [
              emission,
            ]),
          );
          const offsets = await lane.step({ records });
          return early.map(({ emission }, i) => ({ emission, offset: offsets[i] ?? -1 }));
        },
      };
      const work = await station.open(context);
      observer.opened();
      return createLaneRuntime(env, station, work, context, observer);
    },
    onLost: (partition) => lanes.onLost(partition),
    onError(error, partition) {
      const { code, params } = reasonOf(error);
      env.health.waits(station.name, partition, code, params);
      lanes.startedOver(partition, code);
      env.onIncident({ station: station.name, code, params, cause: error });
    },
  });
}

function reasonOf(error: unknown): { code: ErrorCode; params: ErrorParams } {
  if (isProoflineError(error)) return { code: error.code, params: error.params };
  return {
    code: 'PL_INVARIANT',
    params: { problem: error instanceof Error ? error.message : String(error) },
  };
}
