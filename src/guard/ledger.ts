import type { AgentView } from '../contracts/generated.js';
import type { EvidenceEntry, GuardInput } from './entries.js';
import type { ViewReader } from './view-cache.js';

/** What can be wrong with a cited call, the first that applies. The code is the violation's. */
export interface CallFinding {
  readonly code:
    | 'TOOL_CALL_UNKNOWN'
    | 'TOOL_CALL_FOREIGN_RUN'
    | 'TOOL_CALL_PENDING'
    | 'TOOL_CALL_FAILED'
    | 'TOOL_CALL_EXPIRED'
    | 'LEDGER_PROJECTION_INVALID'
    | 'LEDGER_INTEGRITY_BROKEN';
  /** What exactly, for a person; empty where the code says it all. */
  readonly problem: string;
}

/** A lookup whose entry holds: what it showed may be cited. */
export interface ReadableLookup {
  readonly toolCallId: string;
  readonly entry: EvidenceEntry;
  readonly view: AgentView;
  /** Digest of the view's text, as computed. */
  readonly sha256: string;
}

/** A cited call and what the ledger says of it: either a finding, or a lookup that can be read. */
export interface AssessedCall {
  readonly toolCallId: string;
  /** The run whose entry was found; null where none was. */
  readonly foundRunId: string | null;
  /** The entry, where it is at hand. */
  readonly entry: EvidenceEntry | null;
  readonly finding: CallFinding | null;
  readonly lookup: ReadableLookup | null;
}

/** The ledger as one draft sees it. Ids are any strings and only compared; every answer is remembered. */
export interface RunLedger {
  assess(toolCallId: string): AssessedCall;
  /** The run's call ids, sorted. */
  callIds(): readonly string[];
  /** Every lookup of the run that can be read, sorted by call id. */
  readable(): readonly ReadableLookup[];
  /** Those of other runs that are at hand, sorted by run and call id. */
  foreign(): readonly ReadableLookup[];
}

/** Opens the ledger for a draft. Nothing is read before it is asked for, beyond sorting out whose is whose. */
export function openLedger(input: Omit<GuardInput, 'draftJson' | 'readAt'>, views: ViewReader): RunLedger {
  const own = new Map<string, EvidenceEntry>();
  const foreign: EvidenceEntry[] = [];
  for (const entry of input.entries) {
    if (entry.runId === input.runId) own.set(entry.toolCallId, entry);
    else foreign.push(entry);
  }
  const foreignSorted = once(() => foreign.toSorted(byRunAndCall));
  // Sorted, so that the order in which they came does not matter where several runs have a call.
  const foreignByCall = once(() => new Map(foreignSorted().map((entry) => [entry.toolCallId, entry])));
  const assessed = new Map<string, AssessedCall>();

  function assess(toolCallId: string): AssessedCall {
    let call = assessed.get(toolCallId);
    if (call === undefined) {
      const entry = own.get(toolCallId);
      call = entry === undefined ? missing(toolCallId) : assessEntry(entry, input, views);
      assessed.set(toolCallId, call);
    }
    return call;
  }

  function missing(toolCallId: string): AssessedCall {
    const entry = foreignByCall().get(toolCallId) ?? null;
    const indexed = input.foreignCalls?.get(toolCallId);
    const foundRunId = entry?.runId ?? (indexed === input.runId ? null : (indexed ?? null));
    const code = foundRunId === null ? 'TOOL_CALL_UNKNOWN' : 'TOOL_CALL_FOREIGN_RUN';
    return { toolCallId, foundRunId, entry, finding: { code, problem: '' }, lookup: null };
  }

  const callIds = once(() => [...own.keys()].sort());
  return {
    assess,
    callIds,
    readable: once(() => callIds().flatMap((id) => assess(id).lookup ?? [])),
    foreign: once(() => foreignSorted().flatMap((entry) => assessEntry(entry, input, views).lookup ?? [])),
  };
}

type Conditions = Pick<GuardInput, 'submittedAt' | 'allowUnsigned'>;

function assessEntry(entry: EvidenceEntry, conditions: Conditions, views: ViewReader): AssessedCall {
  const { toolCallId, runId: foundRunId } = entry;
  const found = stateFinding(entry, conditions) ?? readEntry(entry, conditions, views);
  return 'code' in found
    ? { toolCallId, foundRunId, entry, finding: found, lookup: null }
    : { toolCallId, foundRunId, entry, finding: null, lookup: found };
}

function stateFinding(entry: EvidenceEntry, { submittedAt }: Conditions): CallFinding | null {
  switch (entry.state) {
    case 'UNREADABLE':
      return { code: 'LEDGER_PROJECTION_INVALID', problem: 'the record cannot be decoded' };
    case 'PENDING':
      return { code: 'TOOL_CALL_PENDING', problem: '' };
    case 'FAILED':
      return { code: 'TOOL_CALL_FAILED', problem: '' };
    case 'READY':
      return entry.expiresAt !== null && submittedAt >= entry.expiresAt
        ? { code: 'TOOL_CALL_EXPIRED', problem: '' }
        : null;
  }
}

/** Integrity first: what a broken entry says is not worth reading. */
function readEntry(
  entry: EvidenceEntry,
  conditions: Conditions,
  views: ViewReader,
): CallFinding | ReadableLookup {
  const read =
    entry.agentView === null
      ? null
      : views.readView(entry.agentView, entry.toolCallId, entry.agentViewSha256);
  const broken = integrityProblem(entry, read?.sha256 ?? null, conditions.allowUnsigned ?? false);
  if (broken !== null) return { code: 'LEDGER_INTEGRITY_BROKEN', problem: broken };
  if (read === null) return { code: 'LEDGER_PROJECTION_INVALID', problem: 'there is no agent view' };
  if ('problem' in read.reading) return { code: 'LEDGER_PROJECTION_INVALID', problem: read.reading.problem };
  return { toolCallId: entry.toolCallId, entry, view: read.reading.view, sha256: read.sha256 };
}

function integrityProblem(
  entry: EvidenceEntry,
  sha256: string | null,
  allowUnsigned: boolean,
): string | null {
  if (entry.signature === 'INVALID') return 'the signature does not match';
  if (entry.signature === 'ABSENT' && !allowUnsigned) return 'it is not signed';
  if (entry.agentViewSha256 === null) return allowUnsigned ? null : 'it has no digest';
  return entry.agentViewSha256 === sha256 ? null : 'the digest does not match';
}

function byRunAndCall(a: EvidenceEntry, b: EvidenceEntry): number {
  return compareIds(a.runId, b.runId) || compareIds(a.toolCallId, b.toolCallId);
}

function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Computes on the first call only. */
function once<T>(compute: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: compute() }).value;
}
