import type { Analysis, Draft, Statement } from '../contracts/generated.js';
import { IdIndex } from './coordinates.js';
import type { ReadableLookup, RunLedger } from './ledger.js';

/** The lookups that count for one text of the draft, all of them readable. */
export interface Reach {
  /** In the order of their first citation. */
  readonly lookups: readonly ReadableLookup[];
  readonly calls: ReadonlySet<string>;
  /** Every id that they showed. */
  readonly shown: IdIndex<string>;
}

/**
 * What an analysis can cite: what its own lookups showed. Null where that is undecided, because it cites no
 * lookup or one of them could not be read: the finding about that lookup is enough.
 */
export function analysisReach(analysis: Analysis, ledger: RunLedger): Reach | null {
  return reachOf(analysis.toolCallIds, ledger);
}

/** What a conclusion or action can cite: what the lookups of its analyses showed. All of these must exist. */
export function statementReach(
  statement: Statement,
  callsByAnalysis: CallsByAnalysis,
  ledger: RunLedger,
): Reach | null {
  const calls: string[] = [];
  for (const id of new Set(statement.basedOnAnalysisIds)) {
    const ofAnalysis = callsByAnalysis.get(id);
    if (ofAnalysis === undefined) return null;
    calls.push(...ofAnalysis);
  }
  return reachOf(calls, ledger);
}

/** The calls that each analysis id stands for; where analyses share an id, those of all of them. */
export type CallsByAnalysis = ReadonlyMap<string, readonly string[]>;

export function callsByAnalysis(draft: Draft): CallsByAnalysis {
  const calls = new Map<string, readonly string[]>();
  for (const { id, toolCallIds } of draft.analysis) calls.set(id, [...(calls.get(id) ?? []), ...toolCallIds]);
  return calls;
}

function reachOf(toolCallIds: readonly string[], ledger: RunLedger): Reach | null {
  const calls = new Set(toolCallIds);
  const lookups: ReadableLookup[] = [];
  for (const call of calls) {
    const { lookup } = ledger.assess(call);
    if (lookup === null) return null;
    lookups.push(lookup);
  }
  return lookups.length === 0 ? null : { lookups, calls, shown: shownBy(lookups) };
}

/** Every id that these lookups showed, with the first of them that did. */
export function shownBy(lookups: readonly ReadableLookup[]): IdIndex<string> {
  const shown = new IdIndex<string>();
  for (const { toolCallId, view } of lookups) {
    for (const item of view.evidence) shown.add(item.documentId, toolCallId);
  }
  return shown;
}
