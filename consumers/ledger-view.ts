import type { Bus, Consumption, LaneHandler, StoredRecord } from '../src/bus/bus.js';
import type { LedgerView } from '../src/ledger/ledger-view.js';
import type { LaneEnvironment } from '../src/station/lane-environment.js';

/**
 * Ledger view: applies the ledger topic to the view that others read. It begins at the view's own position, not
 * at the group's offset: the view may have been restored, emptied or lost, and only it knows what it holds.
 */
export function runLedgerView(bus: Bus, env: LaneEnvironment, view: LedgerView): Consumption {
  return bus.subscribe({
    group: GROUP,
    topics: ['ledger.v1'],
    maxRecords: 500,
    async open(lane): Promise<LaneHandler> {
      const { partition } = lane;
      let position = (await view.position(partition)) ?? 0;
      env.health.goesOn(GROUP, partition);

      async function handle(batch: readonly StoredRecord[]): Promise<{ kind: 'done' }> {
        const to = (batch.at(-1)?.offset ?? position - 1) + 1;
        const result = await view.apply({ partition, from: position, to, records: batch });
        // The view went back behind our back: a new lane begins at its position.
        if (result.kind === 'gap') throw new Error(`the view is at ${result.position}, before ${position}`);
        if (result.takenBack > 0) alarm(env, partition, result.takenBack);
        position = to;
        await lane.step({ records: [], next: { 'ledger.v1': to } });
        return { kind: 'done' };
      }

      return { startAt: { 'ledger.v1': position }, handle };
    },
    onError(error, partition) {
      const problem = error instanceof Error ? error.message : String(error);
      env.health.waits(GROUP, partition, 'PL_LEDGER_BEHIND', { problem });
      env.onIncident({ station: GROUP, code: 'PL_LEDGER_BEHIND', params: { problem }, cause: error });
    },
  });
}

const GROUP = 'ledger-view';

function alarm(env: LaneEnvironment, partition: number, times: number): void {
  const params = { key: `partition ${partition}, ${times} records` };
  env.onIncident({ station: GROUP, code: 'PL_LEDGER_TAKEN_BACK', params });
}
