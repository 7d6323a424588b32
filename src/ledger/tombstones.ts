import { tombstone } from '../bus/tombstone.js';
import type { LaneContext } from '../station/station.js';
import { ledgerKey, type LedgerView } from './ledger-view.js';

const PAGE = 500;

/**
 * Writes a tombstone for every entry of the lane's partition that expired before the instant (epoch
 * milliseconds). Entries are kept long after they expire, so that a late draft is told *expired*, not *unknown*.
 */
export async function tombstones({ lane }: LaneContext, view: LedgerView, instant: number): Promise<void> {
  const expired = await view.expiredBefore(lane.partition, instant, PAGE);
  if (expired.length === 0) return;
  await lane.step({
    records: expired.map(({ runId, toolCallId }) =>
      tombstone('ledger.v1', lane.partition, ledgerKey(runId, toolCallId)),
    ),
  });
}
