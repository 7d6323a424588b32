import type { Bus } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { partitionOf } from '../contracts/partition.js';
import type { LedgerText } from '../context/run-views.js';
import { refused } from '../context/run-views.js';
import type { Keyring } from '../ledger/keyring.js';
import type { LedgerView } from '../ledger/ledger-view.js';
import { checkEntry, readRunEntries, type CheckedEntry, type EntryRecord } from './ledger-entries.js';
import { learning } from './learning-reader.js';

/** What the ledger says of some lookups of a run, checked. */

export interface EntryPorts {
  readonly bus: Bus;
  readonly codec: Codec;
  /** Entries whose signature does not hold are refused. Null: there is no key to check with. */
  readonly keyring: Keyring | null;
  /** Asked, behind a barrier, in place of the whole topic, where there is a key: whoever can write to it cannot sign. */
  readonly ledger?: LedgerView;
}

type Bytes = Pick<EntryRecord, 'runId' | 'toolCallId' | 'value'>;

/** @throws ProoflineError PL_CONTEXT_REFUSED where an entry is not what its writer vouched for */
export async function runEntries(
  ports: EntryPorts,
  runId: string,
  toolCallIds: readonly string[],
): Promise<LedgerText[]> {
  const calls = new Set(toolCallIds);
  const records = (await viewEntries(ports, runId, [...calls])) ?? (await topicEntries(ports, runId, calls));
  return records.map((record) => textOf(checkEntry(ports.codec, ports.keyring, record)));
}

/** How long the view may take to catch up with the topic. */
const VIEW_WAIT_MS = 2000;

/** Null where the view cannot be asked. */
async function viewEntries(
  { bus, codec, keyring, ledger }: EntryPorts,
  runId: string,
  toolCallIds: readonly string[],
): Promise<readonly Bytes[] | null> {
  if (ledger === undefined || keyring === null) return null;
  const partition = partitionOf(runId, bus.partitions);
  const { end } = await bus.bounds('ledger.v1', partition);
  if (!(await ledger.whenPast(partition, end - 1, VIEW_WAIT_MS))) return null;
  const read = await ledger.read(partition, [{ runId, toolCallIds, others: 0 }]);
  if (read === null) return null;
  await codec.learn(read.entries.map(({ value }) => value));
  return read.entries;
}

async function topicEntries(
  { bus, codec }: EntryPorts,
  runId: string,
  calls: ReadonlySet<string>,
): Promise<readonly Bytes[]> {
  const records = await readRunEntries(learning(bus, codec), codec, runId);
  return records.filter(({ toolCallId }) => calls.has(toolCallId));
}

function textOf({ runId, toolCallId, state, entry, problems }: CheckedEntry): LedgerText {
  const [problem] = problems;
  if (problem !== undefined)
    throw refused(runId, `the entry of ${JSON.stringify(toolCallId)} is broken: ${problem}`);
  return { runId, toolCallId, state, agentView: entry?.agentView ?? null };
}
