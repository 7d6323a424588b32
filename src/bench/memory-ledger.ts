import { setTimeout as pause } from 'node:timers/promises';
import {
  parseLedgerKey,
  type Applied,
  type LedgerBatch,
  type LedgerView,
  type ViewEntry,
} from '../ledger/ledger-view.js';

/** A ledger view of one partition that lies in memory, for work that is measured without Redis. */
export interface MemoryLedger extends LedgerView {
  /** Forgets the entries and stays where it is: whoever asks for them again would find them missing. */
  forget(): void;
}

const LOOK_MS = 1;

export function createMemoryLedger(): MemoryLedger {
  const runs = new Map<string, Map<string, ViewEntry>>();
  let position = 0;

  function put(key: string, value: Buffer | null): void {
    const id = parseLedgerKey(key);
    if (id === null) return;
    const calls = runs.get(id.runId) ?? new Map<string, ViewEntry>();
    if (value === null) calls.delete(id.toolCallId);
    else calls.set(id.toolCallId, { ...id, value });
    runs.set(id.runId, calls);
  }

  function apply({ from, to, records }: LedgerBatch): Promise<Applied> {
    if (from > position) return Promise.resolve({ kind: 'gap', position });
    for (const { offset, key, value } of records)
      if (offset >= position && key !== null) put(key.toString('utf8'), value);
    position = Math.max(position, to);
    return Promise.resolve({ kind: 'applied', takenBack: 0 });
  }

  return {
    forget: () => runs.clear(),
    position: () => Promise.resolve(position),
    open: () => Promise.resolve({ position, source: null }),
    apply,
    rebuild() {
      runs.clear();
      position = 0;
      return Promise.resolve({ source: null, apply, finish: () => Promise.resolve(true) });
    },
    read: (_partition, queries) =>
      Promise.resolve({
        position,
        entries: queries.flatMap(({ runId, toolCallIds, others }) => {
          const entries = [...(runs.get(runId)?.values() ?? [])];
          const wanted = new Set(toolCallIds);
          const rest = entries.filter(({ toolCallId }) => !wanted.has(toolCallId));
          return [...entries.filter(({ toolCallId }) => wanted.has(toolCallId)), ...rest.slice(0, others)];
        }),
      }),
    foreignRun(toolCallId, exceptRunId) {
      const found = [...runs].find(([runId, calls]) => runId !== exceptRunId && calls.has(toolCallId));
      return Promise.resolve(found?.[0] ?? null);
    },
    // Nothing grows old here.
    expiredBefore: () => Promise.resolve([]),
    async whenPast(_partition, offset, timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      while (position <= offset && performance.now() < deadline) await pause(LOOK_MS);
      return position > offset;
    },
  };
}
