import { parseLedgerKey, type LedgerBatch } from '../ledger-view.js';
import type { RedisClient } from './connection.js';
import type { RedisKeys } from './keys.js';
import { INDEX } from './scripts.js';

/** Which runs have a call id: apart from the entries, and later than they. */
export interface CallIndex {
  /** Takes the calls of an applied batch in. What could not be written is kept for the next time. */
  write(batch: LedgerBatch): Promise<void>;
}

/** Of one call id and run: what the last record said. */
interface Change {
  readonly sign: '+' | '-';
  readonly toolCallId: string;
  readonly where: string;
}

/** Without Redis nothing is applied either, so this is never many batches. */
const MAX_KEPT = 10_000;

export function createCallIndex(client: RedisClient, keys: RedisKeys): CallIndex {
  const script = client.script(INDEX);
  let kept = new Map<string, Change>();

  return {
    async write(batch) {
      const changes = kept;
      kept = new Map();
      for (const change of changesOf(batch)) changes.set(`${change.where}/${change.toolCallId}`, change);
      const byKey = new Map<string, Change[]>();
      for (const change of changes.values()) {
        const key = keys.calls(change.toolCallId);
        byKey.set(key, [...(byKey.get(key) ?? []), change]);
      }
      await Promise.all(
        [...byKey].map(([key, these]) =>
          // The entries are applied, whatever becomes of this: the index may lag.
          script(
            [key],
            these.flatMap(({ sign, toolCallId, where }) => [sign, toolCallId, where]),
          ).catch(() => {
            for (const change of these.slice(0, MAX_KEPT - kept.size)) keep(change);
          }),
        ),
      );
    },
  };

  function keep(change: Change): void {
    const name = `${change.where}/${change.toolCallId}`;
    // A later batch may have said otherwise since.
    if (!kept.has(name)) kept.set(name, change);
  }
}

function changesOf({ partition, records }: LedgerBatch): Change[] {
  return records.flatMap(({ key, value }) => {
    const id = key === null ? null : parseLedgerKey(key.toString('utf8'));
    if (id === null) return [];
    const sign = value === null ? '-' : '+';
    return [{ sign, toolCallId: id.toolCallId, where: `${partition}/${id.runId}` }];
  });
}
