import { postprocessStation } from '../../consumers/postprocess.js';
import { projectStation } from '../../consumers/project.js';
import { retrieveStation } from '../../consumers/retrieve.js';
import { lookupRequested } from '../../producers/lookups.js';
import type { LaneHandler } from '../bus/bus.js';
import { createCodec } from '../contracts/codec.js';
import type { TopicName } from '../contracts/topics.js';
import { openKeyring } from '../ledger/keyring.js';
import { signingPorts } from '../line/stations.js';
import { memorySearch } from '../retrieval/memory.js';
import { encodeEmissions, encodeRecord, type Emitter } from '../station/envelope.js';
import { createHealth } from '../station/health.js';
import type { Incident } from '../station/lane-environment.js';
import { createLaneRuntime } from '../station/lane-runtime.js';
import { silentObserver } from '../station/observer.js';
import type { LaneContext, Station } from '../station/station.js';
import { createMemoryLedger, type MemoryLedger } from './memory-ledger.js';
import { createMemoryLog, type MemoryLog } from './memory-log.js';
import { sampleHits, type SampleSize } from './sample-evidence.js';

/**
 * The same work without Kafka: what retrieve, postprocess and project do for a lookup where records cost nothing to pass
 * on and entries nothing to keep. The stations are the real ones, in the runtime that runs them, so that a lookup is
 * encoded, decoded, decided, signed and noted three times over; no bus, no view and no other station takes part.
 */

export interface LookupWork {
  /** On one core. */
  readonly perSecond: number;
  /** Of processor time a lookup. */
  readonly processorMs: number;
}

/** What a lane is given at a time, where there is more than enough to do. */
const BATCH = 500;
const CALLS_A_RUN = 5;

/** Works for about so long, after a warm-up of a fifth of that. @param keys a folder with a key that signs */
export async function lookupWork(keys: string, size: SampleSize, ms: number): Promise<LookupWork> {
  const chain = await openChain(keys, size);
  await workFor(chain, ms / 5);
  const before = process.cpuUsage();
  const lookups = await workFor(chain, ms);
  const { user, system } = process.cpuUsage(before);
  const processorMs = (user + system) / 1000 / lookups;
  return { perSecond: 1000 / processorMs, processorMs };
}

/** Lookups that were answered. */
async function workFor(chain: Chain, ms: number): Promise<number> {
  const start = performance.now();
  let lookups = 0;
  while (performance.now() - start < ms) lookups += await chain.answer(BATCH);
  return lookups;
}

export interface Chain {
  /** Takes so many new lookups through all stations. @throws Error where one of them is not projected */
  answer(lookups: number): Promise<number>;
}

export async function openChain(keys: string, { hits, chars }: SampleSize): Promise<Chain> {
  const codec = createCodec();
  const log = createMemoryLog(Date.now);
  const ledger = createMemoryLedger();
  const ports = { codec, ledger, ...signingPorts(openKeyring(keys, { create: false }), keys) };
  const search = memorySearch(sampleHits(1, hits, chars));
  const emitterOf = (station: string): Emitter => ({
    station,
    codec,
    partitions: 1,
    prefix: '',
    now: Date.now,
  });
  const open = <I extends TopicName, P>(station: Station<I, P>): Promise<LaneHandler> =>
    openLane(station, emitterOf(station.name), log, ledger);
  const chain = [
    ['lookup-requested.v1', await open(retrieveStation({ ...ports, search }))],
    ['raw-hits.v1', await open(postprocessStation())],
    ['postprocessed.v1', await open(projectStation(ports))],
  ] as const;
  const door = emitterOf('door');
  let asked = 0;
  return {
    async answer(lookups) {
      for (let i = 0; i < lookups; i++, asked++)
        log.append([encodeRecord(door, 'lookup-requested.v1', requestOf(asked))]);
      for (const [topic, lane] of chain) {
        await lane.handle(log.take(topic));
        await show(log, ledger);
      }
      const projected = log.take('projected.v1').length;
      if (projected !== lookups) throw new Error(`${projected} of ${lookups} lookups were projected`);
      // What nobody here reads, and entries of runs that ask no more.
      log.take('tool-invocation.v1');
      ledger.forget();
      return projected;
    },
  };
}

function requestOf(i: number) {
  const [runId, toolCallId] = [`run-${Math.floor(i / CALLS_A_RUN)}`, `call-${i % CALLS_A_RUN}`];
  return lookupRequested({ runId, toolCallId, query: 'gateway timeout' }, Date.now());
}

/** Brings the view to the end of its log. */
async function show(log: MemoryLog, ledger: MemoryLedger): Promise<void> {
  const records = log.take('ledger.v1');
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return;
  await ledger.apply({ partition: 0, from: first.offset, to: last.offset + 1, records });
}

async function openLane<I extends TopicName, P>(
  station: Station<I, P>,
  emitter: Emitter,
  log: MemoryLog,
  ledger: MemoryLedger,
): Promise<LaneHandler> {
  const context: LaneContext = {
    lane: {
      ...log.lane,
      async barrier(topic) {
        const barrier = await log.lane.barrier(topic);
        await show(log, ledger);
        return barrier;
      },
    },
    bus: log.reader,
    now: Date.now,
    emitEarly(early) {
      const offsets = log.append(
        early.flatMap(({ emission, message }) =>
          encodeEmissions(emitter, { ...message.value, headers: {} }, [emission]),
        ),
      );
      return Promise.resolve(early.map(({ emission }, i) => ({ emission, offset: offsets[i] ?? -1 })));
    },
  };
  const env = { emitter, health: createHealth(Date.now), onIncident: refuse };
  const work = await station.open(context);
  return createLaneRuntime(env, station, work, context, silentObserver.lane(station.name, 0));
}

/** Nothing is given up here: a figure with that in it would say nothing. */
function refuse({ station, code }: Incident): void {
  throw new Error(`${station} gave a lookup up: ${code}`);
}
