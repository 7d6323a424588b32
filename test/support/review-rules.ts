import type {
  Analysis,
  Draft,
  EvidenceItem,
  LookupSnapshot,
  Statement,
} from '../../src/contracts/generated.js';

/** What a draft is reviewed against in the tests. */

export function item(excerpt: string, other: Partial<EvidenceItem> = {}): EvidenceItem {
  return { documentId: 'gw#chunk-1', source: null, title: null, breadcrumb: null, excerpt, ...other };
}

/** A PRECISE lookup `c1` that showed these excerpts; none is an honest NO_EVIDENCE. */
export function lookup(excerpts: readonly string[], other: Partial<LookupSnapshot> = {}): LookupSnapshot {
  return {
    toolCallId: 'c1',
    query: 'q',
    evidenceStatus: excerpts.length > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    relevanceLevel: excerpts.length > 0 ? 'PRECISE' : null,
    truncated: false,
    cuts: [],
    noEvidenceBasis: null,
    agentViewSha256: '',
    items: excerpts.map((excerpt, i) => item(excerpt, { documentId: `gw#chunk-${i}` })),
    ...other,
  };
}

export function analysis(text: string, other: Partial<Analysis> = {}): Analysis {
  return {
    id: 'a1',
    kind: 'NORMAL',
    text,
    toolCallIds: ['c1'],
    documentIds: ['gw#chunk-0'],
    quotes: [],
    ...other,
  };
}

export function statement(text: string, basedOnAnalysisIds: readonly string[] = ['a1']): Statement {
  return { text, basedOnAnalysisIds };
}

export function draftOf(parts: readonly Analysis[], other: Partial<Draft> = {}): Draft {
  return {
    analysis: parts,
    conclusion: null,
    actionPlan: [],
    limitations: ['metrics were not read'],
    ...other,
  };
}
