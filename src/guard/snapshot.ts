import type {
  AnalysisCitations,
  Draft,
  LedgerRead,
  LookupSnapshot,
  ShownLookup,
} from '../contracts/generated.js';
import type { GuardInput } from './entries.js';
import type { AssessedCall, ReadableLookup, RunLedger } from './ledger.js';

/** What a verdict keeps of the ledger. All of it is re-read from there: the model's words never enter it. */
export interface Snapshot {
  /** The evidence behind a draft that passed. */
  readonly lookups: readonly LookupSnapshot[];
  /** What every cited lookup that could be read showed. */
  readonly shown: readonly ShownLookup[];
  /** Which items each analysis could cite, and which it does. */
  readonly analyses: readonly AnalysisCitations[];
  /** What was read of the ledger, for each cited call. */
  readonly read: readonly LedgerRead[];
}

export const emptySnapshot: Snapshot = { lookups: [], shown: [], analyses: [], read: [] };

/** Each cited call once, in the order of its first citation. */
export function snapshotOf(draft: Draft, ledger: RunLedger, readAt: GuardInput['readAt']): Snapshot {
  const calls = new Set(draft.analysis.flatMap((analysis) => analysis.toolCallIds));
  const assessed = Array.from(calls, (call) => ledger.assess(call));
  const readable = assessed.flatMap((call) => call.lookup ?? []);
  return {
    lookups: readable.map(lookupSnapshot),
    shown: readable.map(shownLookup),
    analyses: draft.analysis.map((analysis) => analysisCitations(analysis, ledger)),
    read: assessed.map((call) => ledgerRead(call, readAt)),
  };
}

function lookupSnapshot({ toolCallId, view, entry, sha256 }: ReadableLookup): LookupSnapshot {
  return {
    toolCallId,
    query: view.query,
    evidenceStatus: view.evidenceStatus,
    relevanceLevel: view.relevanceLevel,
    truncated: view.truncated,
    cuts: entry.cuts,
    noEvidenceBasis: noEvidenceBasis({ view, entry }),
    agentViewSha256: sha256,
    items: view.evidence,
  };
}

/** Retrieval's own word; without one, whether the byte limit or post-processing took what there was. */
function noEvidenceBasis({ view, entry }: Pick<ReadableLookup, 'view' | 'entry'>): string | null {
  if (view.evidenceStatus === 'EVIDENCE_FOUND') return null;
  if (entry.noEvidenceBasis !== null) return entry.noEvidenceBasis;
  if (entry.cuts.some((cut) => cut.code === 'BYTE_BUDGET')) return 'byte_budget';
  return entry.dropped.length > 0 ? 'all_dropped' : null;
}

function shownLookup({ toolCallId, view }: ReadableLookup): ShownLookup {
  return {
    toolCallId,
    evidenceStatus: view.evidenceStatus,
    truncated: view.truncated,
    items: view.evidence.map(({ documentId, title }) => ({ documentId, title })),
  };
}

/** An analysis cites an item by naming it in `document_ids` or quoting it. */
function analysisCitations(analysis: Draft['analysis'][number], ledger: RunLedger): AnalysisCitations {
  const named = new Set([...analysis.documentIds, ...analysis.quotes.map((quote) => quote.documentId)]);
  const citations = [...new Set(analysis.toolCallIds)].flatMap((toolCallId) => {
    const items = ledger.assess(toolCallId).lookup?.view.evidence ?? [];
    return items.map(({ documentId }) => ({ toolCallId, documentId, cited: named.has(documentId) }));
  });
  return { id: analysis.id, citations };
}

function ledgerRead(call: AssessedCall, readAt: GuardInput['readAt']): LedgerRead {
  const { toolCallId, foundRunId, entry } = call;
  return {
    toolCallId,
    foundRunId,
    state: entry?.state ?? null,
    agentViewSha256: entry?.agentViewSha256 ?? null,
    expiresAt: entry?.expiresAt ?? null,
    signatureCheck: entry?.signature ?? 'ABSENT',
    partition: entry?.partition ?? readAt.partition,
    offset: entry === null ? readAt.offset : entry.offset,
  };
}
