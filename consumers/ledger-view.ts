import type { Bus, Consumption, Lane, LaneHandler, StoredRecord } from '../src/bus/bus.js';
import {
  isProoflineError,
  ProoflineError,
  type ErrorCode,
  type ErrorParams,
} from '../src/contracts/errors.js';
import type { LedgerView } from '../src/ledger/ledger-view.js';
import { openViewTarget, type ViewTarget } from '../src/ledger/view-target.js';
import type { LaneEnvironment } from '../src/station/lane-environment.js';
import { observeLanes } from '../src/station/observed-lanes.js';
import type { LaneObserver } from '../src/station/observer.js';

/**
 * Ledger view: applies the ledger topic to the view that others read. It begins at the view's own position, not
 * at the group's offset: the view may have been restored, emptied or lost, and only it knows what it holds. A view
 * that cannot be believed is read again from the beginning, and served again when that has caught up.
 */
export function runLedgerView(bus: Bus, env: LaneEnvironment, view: LedgerView): Consumption {
  const lanes = observeLanes(env, GROUP, ['ledger.v1']);
  return bus.subscribe({
    group: GROUP,
    topics: ['ledger.v1'],
    maxRecords: 500,
    tickMs: PROBE_MS,
    keepsPosition: true,
    open: (lane) => openLane(bus, env, view, lane, lanes.opening(lane.partition)),
    onLost: (partition) => lanes.onLost(partition),
    onError(error, partition) {
      const { code, params } = reasonOf(error);
      env.health.waits(GROUP, partition, code, params);
      lanes.startedOver(partition, code);
      env.onIncident({ station: GROUP, code, params, cause: error });
    },
  });
}

const GROUP = 'ledger-view';
/** How soon an idle lane notices that the view was emptied, or went back. */
const PROBE_MS = 1000;
/** How soon an idle lane notices that its log was made anew. */
const CHECK_MS = 10_000;
const RETRY_MS = 250;

async function openLane(
  bus: Bus,
  env: LaneEnvironment,
  view: LedgerView,
  lane: Lane,
  observer: LaneObserver,
): Promise<LaneHandler> {
  const { partition } = lane;
  await refuseOtherPartitions(bus);
  const target = await openViewTarget({ bus, lane, view, group: GROUP });
  const upkeep = createUpkeep(bus, target);
  let batchWaits = false;
  tellHealth();
  observer.opened();

  function tellHealth(): void {
    // That an idle look went well does not help a batch that cannot be applied.
    if (batchWaits) return;
    if (!target.rebuilding()) env.health.goesOn(GROUP, partition);
    else env.health.waits(GROUP, partition, 'PL_LEDGER_BEHIND', { problem: 'it is being read again' });
  }

  async function apply(batch: readonly StoredRecord[]): Promise<void> {
    observer.began(batch);
    upkeep.throwFound();
    await env.emitter.codec.learn(batch.map(({ value }) => value));
    const takenBack = await target.apply((batch.at(-1)?.offset ?? target.position() - 1) + 1, batch);
    if (takenBack > 0) alarm(env, partition, takenBack);
    observer.prepared();
    if (target.oneStore) await target.commit();
    observer.committed(batch.length, []);
  }

  /** What is down is waited for: what failed is tried again, and nothing is thrown away. */
  async function waitingFor(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!isProoflineError(error, 'PL_VIEW_DOWN', 'PL_REGISTRY_DOWN')) throw error;
      env.health.waits(GROUP, partition, error.code, error.params);
      observer.waits(error.code);
      return false;
    }
  }

  return {
    startAt: { 'ledger.v1': target.position() },
    async handle(batch) {
      batchWaits = !(await waitingFor(() => apply(batch)));
      tellHealth();
      return batchWaits ? { kind: 'wait', ms: RETRY_MS } : { kind: 'done' };
    },
    async tick() {
      if (!target.oneStore && (await waitingFor(() => upkeep.tick()))) tellHealth();
    },
  };
}

interface Upkeep {
  tick(): Promise<void>;
  /** @throws what an earlier look at the log found. */
  throwFound(): void;
}

/**
 * What a view needs that does not lie in one store with its log: it is asked whether it is still what it was, the log
 * whether it is still the view's, and the group's offset follows. No batch waits for the last two.
 */
function createUpkeep(bus: Bus, target: ViewTarget): Upkeep {
  // Who applied it may have been stopped before it committed, and nothing more may come.
  let committed = -1;
  let checkedAt = performance.now();
  let underWay = false;
  let found: { readonly error: unknown } | null = null;

  async function look(): Promise<void> {
    const position = target.position();
    if (position > committed) await target.commit();
    committed = position;
    if (performance.now() - checkedAt < CHECK_MS) return;
    await target.check();
    await refuseOtherPartitions(bus);
    checkedAt = performance.now();
  }

  function throwFound(): void {
    if (found !== null) throw found.error;
  }

  return {
    throwFound,
    async tick() {
      throwFound();
      await target.apply(target.position(), []);
      if (underWay) return;
      underWay = true;
      void look()
        .catch((error: unknown) => (found = { error }))
        .finally(() => (underWay = false));
    },
  };
}

/** A run must stay on its partition number: nothing may go on where they have changed. */
async function refuseOtherPartitions(bus: Bus): Promise<void> {
  const [found, expected] = [await bus.countPartitions('ledger.v1'), bus.partitions];
  if (found !== expected) throw new ProoflineError('PL_PARTITIONS_CHANGED', { found, expected });
}

function alarm(env: LaneEnvironment, partition: number, times: number): void {
  env.observer?.takenBack(times);
  const params = { key: `partition ${partition}, ${times} records` };
  env.onIncident({ station: GROUP, code: 'PL_LEDGER_TAKEN_BACK', params });
}

const OWN_REASONS: readonly ErrorCode[] = [
  'PL_VIEW_DOWN',
  'PL_BUS_DOWN',
  'PL_PARTITIONS_CHANGED',
  'PL_LEDGER_BEHIND',
];

/** Why the lane starts over; whatever it is, the view stays behind meanwhile. */
function reasonOf(error: unknown): { readonly code: ErrorCode; readonly params: ErrorParams } {
  if (isProoflineError(error, ...OWN_REASONS)) return error;
  const problem = error instanceof Error ? error.message : String(error);
  return { code: 'PL_LEDGER_BEHIND', params: { problem } };
}
