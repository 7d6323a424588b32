import { draftSubmitted } from '../../producers/drafts.js';
import { lookupRequested } from '../../producers/lookups.js';
import type { AuditReader } from '../audit/audit-store.js';
import type { Bus } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import type { ProjectedEvidence } from '../contracts/generated.js';
import { toSnakeJson, type JsonObject } from '../contracts/json.js';
import { partitionOf } from '../contracts/partition.js';
import { recordToJson } from '../contracts/record-json.js';
import { readEntry } from '../ledger/entry-state.js';
import type { Keyring } from '../ledger/keyring.js';
import type { LedgerView } from '../ledger/ledger-view.js';
import type { Emitter } from '../station/envelope.js';
import type { Doors, SubmissionAnswer } from './doors.js';
import { assembleHandIn } from './context-hand-in.js';
import { decideHeld } from './decide-held.js';
import type { DoorClient, DraftAnswer, LookupAnswer } from './line-client.js';
import { readContext } from './read-trace.js';
import { recordUsage } from './record-usage.js';
import { replayDeadLetter } from './replay.js';

/** A line's doors with what lies behind them. */
export interface DoorLine extends Doors {
  readonly bus: Bus;
  readonly ledger: LedgerView;
  readonly codec: Codec;
  readonly emitter: Emitter;
  readonly audit: AuditReader;
  /** Null where there is no key to check entries with. */
  readonly keyring: Keyring | null;
}

/** The answers of the doors in their JSON form, each waited for `timeoutMs`. */
export function doorClient(line: DoorLine, timeoutMs: number): Omit<DoorClient, 'remote' | 'close'> {
  return {
    async lookup(lookup) {
      const projected = await line.lookup(lookupRequested(lookup, line.emitter.now()), timeoutMs);
      return answerOf(line, projected);
    },
    async submit(draft) {
      return submissionToJson(await line.submit(draftSubmitted(draft, line.emitter.now()), timeoutMs));
    },
    decide: (decision) => decideHeld(line, decision, timeoutMs),
    replay: (request) => replayDeadLetter(line, request),
    async assemble(handIn) {
      const context = await assembleHandIn(line, handIn);
      // A line that ends with the command has told the audit by then, so that the next command finds it.
      await readContext(line, context.runId, context.contextId);
      return context;
    },
    recordUsage: (usage) => recordUsage(line, usage),
  };
}

/** What became of a draft, each part in its JSON form. */
export function submissionToJson({ verdict, reviewed, verified, repair }: SubmissionAnswer): DraftAnswer {
  return {
    verdict: recordToJson('verdict.v1', verdict),
    reviewed: recordToJson('reviewed.v1', reviewed),
    verified: verified === null ? null : recordToJson('verified.v1', verified),
    repair: repair === null ? null : recordToJson('repair-requested.v1', repair),
  };
}

/** How long a lookup that has its answer waits to tell what was dropped. */
const DROPPED_WAIT_MS = 2000;

async function answerOf(line: DoorLine, projected: ProjectedEvidence): Promise<LookupAnswer> {
  return {
    projected: recordToJson('projected.v1', projected),
    dropped: projected.state === 'READY' ? await droppedOf(line, projected) : [],
  };
}

/** The entry was written before the answer: once the view has passed the log's end, it is in there. */
export async function droppedOf(
  line: Pick<DoorLine, 'bus' | 'ledger' | 'codec'>,
  { runId, toolCallId }: ProjectedEvidence,
): Promise<JsonObject[]> {
  const partition = partitionOf(runId, line.bus.partitions);
  const { end } = await line.bus.bounds('ledger.v1', partition);
  await line.ledger.whenPast(partition, end - 1, DROPPED_WAIT_MS);
  const read = await line.ledger.read(partition, [{ runId, toolCallIds: [toolCallId], others: 0 }]);
  const value = read?.entries[0]?.value;
  const entry = value === undefined ? null : readEntry(line.codec, value);
  return (entry?.dropped ?? []).map((drop) => toSnakeJson(drop) as JsonObject);
}
