import type { BusReader } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import type { HeldDraft, Limits, RunOutcome } from '../contracts/generated.js';
import { partitionOf } from '../contracts/partition.js';
import { readMessage, scanPartition } from './scan.js';

/** The drafts that wait for a person, as run-outcome.v1 has them: of each run one at most. */

/** A held draft, and how far its run is. */
export interface HeldEntry {
  readonly runId: string;
  readonly held: HeldDraft;
  /** Distinct drafts of the run that counted. */
  readonly attempts: number;
  readonly limits: Limits | null;
  readonly outcome: RunOutcome['outcome'];
}

/** What `proofline review list` tells of one. */
export interface HeldSummary {
  readonly runId: string;
  readonly draftId: string;
  readonly attempt: number;
  readonly verdictEventId: string;
  /** When the draft was handed in, epoch milliseconds. */
  readonly since: number;
  /** A code of the error table, or what review said. */
  readonly because: string;
  /** Set where the fallback went out meanwhile. */
  readonly outcome: RunOutcome['outcome'];
}

export interface HeldDrafts {
  /** Oldest first. */
  readonly drafts: readonly HeldSummary[];
  /** States of runs that this version cannot read; theirs are not told. */
  readonly unreadable: number;
}

export async function listHeld(bus: BusReader, codec: Codec): Promise<HeldDrafts> {
  const drafts: HeldSummary[] = [];
  let unreadable = 0;
  for (let partition = 0; partition < bus.partitions; partition++) {
    const found = await heldOn(bus, codec, partition, summaryOf);
    drafts.push(...found.entries);
    unreadable += found.unreadable;
  }
  return { drafts: drafts.toSorted(oldestFirst), unreadable };
}

/** The draft of the run that waits; null where none does. */
export async function heldOf(bus: BusReader, codec: Codec, runId: string): Promise<HeldEntry | null> {
  const partition = partitionOf(runId, bus.partitions);
  const { entries } = await heldOn(bus, codec, partition, (entry) => (entry.runId === runId ? entry : null));
  return entries[0] ?? null;
}

function oldestFirst(a: HeldSummary, b: HeldSummary): number {
  return a.since - b.since || (a.runId < b.runId ? -1 : 1);
}

/** The newest state of a run counts. @param keep what to keep of a held draft, which can be large; null for nothing */
async function heldOn<K>(
  bus: BusReader,
  codec: Codec,
  partition: number,
  keep: (entry: HeldEntry) => K | null,
): Promise<{ entries: readonly K[]; unreadable: number }> {
  const held = new Map<string, K | 'unreadable'>();
  for await (const { key, value } of scanPartition(bus, 'run-outcome.v1', partition)) {
    const name = key?.toString('utf8') ?? '';
    const { message, error } = readMessage(codec, 'run-outcome.v1', value);
    const kept = message === null ? null : keptOf(message, keep);
    if (error !== null) held.set(name, 'unreadable');
    else if (kept === null) held.delete(name);
    else held.set(name, kept);
  }
  const states = [...held.values()];
  const entries = states.filter((state): state is K => state !== 'unreadable');
  return { entries, unreadable: states.length - entries.length };
}

function keptOf<K>(
  { runId, held, attempts, limits, outcome }: RunOutcome,
  keep: (entry: HeldEntry) => K | null,
): K | null {
  return held === null ? null : keep({ runId, held, attempts, limits, outcome });
}

function summaryOf({ runId, held, outcome }: HeldEntry): HeldSummary {
  const { draftId, attempt, eventId, occurredAt } = held.verdict;
  return {
    runId,
    draftId,
    attempt,
    verdictEventId: eventId,
    since: occurredAt,
    because: heldBecause(held),
    outcome,
  };
}

/** Why it is held: a code of the error table, else what review said. */
export function heldBecause({ code, status }: HeldDraft): string {
  return code ?? status ?? 'NOT_EVALUATED';
}
