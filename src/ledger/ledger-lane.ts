import type { Lane } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';
import type { LedgerEntry } from '../contracts/generated.js';
import type { Envelope, Written } from '../station/station.js';
import { readEntry } from './entry-state.js';
import { ledgerKey, parseLedgerKey, type LedgerView, type ViewQuery } from './ledger-view.js';

/** What a station knows of an entry, wherever it lies: `entry` is null where its bytes cannot be decoded. */
export interface KnownEntry {
  readonly runId: string;
  readonly toolCallId: string;
  readonly entry: Omit<LedgerEntry, Envelope> | null;
}

/**
 * The ledger as its writers see it: the view, and before it their own writes that the view does not show yet.
 * It lives as long as its lane: a new one waits for the view and begins with nothing.
 */
export interface LedgerLane {
  /**
   * The entries of these runs and calls, the lane's own writes included, by ledger key.
   * @throws ProoflineError PL_LEDGER_BEHIND while the view shows less than it did before
   */
  read(queries: readonly ViewQuery[]): Promise<Map<string, KnownEntry>>;
  /** What the lane has decided to write; shown by the reads that follow. */
  remember(runId: string, entry: Omit<LedgerEntry, Envelope>): void;
  /** What the lane remembers and the view does not show yet. */
  own(runId: string): KnownEntry[];
  committed(written: readonly Written[]): void;
}

interface OwnWrite {
  readonly known: KnownEntry;
  /** Null until the write is durable. */
  offset: number | null;
}

/** How long one wait for the view takes before the lane looks whether it is to stop. */
const LOOK_MS = 500;

/**
 * Waits until the view has seen all that was written before, so that nothing that a predecessor wrote is missed.
 * Never gives up by itself: a line without its view waits.
 */
export async function openLedgerLane(lane: Lane, view: LedgerView, codec: Codec): Promise<LedgerLane> {
  const barrier = await lane.barrier('ledger.v1');
  while (!(await view.whenPast(lane.partition, barrier, LOOK_MS))) lane.signal.throwIfAborted();
  const own = new Map<string, OwnWrite>();
  /** The view never shows less than what it has shown: what the lane has forgotten must be in it. */
  let shownTo = barrier + 1;

  function forgetShown(position: number): void {
    for (const [key, write] of own) {
      if (write.offset !== null && write.offset < position) own.delete(key);
    }
  }

  return {
    async read(queries) {
      const read = await view.read(lane.partition, queries);
      if (read === null || read.position < shownTo) throw lostGround(read?.position ?? null);
      shownTo = read.position;
      forgetShown(read.position);
      const entries: KnownEntry[] = read.entries.map(({ runId, toolCallId, value }) => ({
        runId,
        toolCallId,
        entry: readEntry(codec, value),
      }));
      const known = new Map(
        entries.map((entry) => [ledgerKey(entry.runId, entry.toolCallId), entry] as const),
      );
      const runs = new Set(queries.map((query) => query.runId));
      for (const [key, { known: written }] of own) if (runs.has(written.runId)) known.set(key, written);
      return known;
    },
    remember(runId, entry) {
      const { toolCallId } = entry;
      own.set(ledgerKey(runId, toolCallId), { known: { runId, toolCallId, entry }, offset: null });
    },
    own: (runId) => [...own.values()].map((write) => write.known).filter((known) => known.runId === runId),
    committed(written) {
      for (const { emission, offset } of written) {
        if (emission.topic !== 'ledger.v1' || emission.key === undefined) continue;
        const id = parseLedgerKey(emission.key);
        const write = id === null ? undefined : own.get(ledgerKey(id.runId, id.toolCallId));
        if (write !== undefined) write.offset = offset;
      }
    },
  };
}

/** The view was emptied, or is being read anew. */
function lostGround(position: number | null): ProoflineError {
  return new ProoflineError('PL_LEDGER_BEHIND', { problem: `it went back to ${position ?? 'no position'}` });
}
