import { sha256 } from '../../src/contracts/digest.js';
import type { AgentView } from '../../src/contracts/generated.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import type { EvidenceEntry, GuardInput, GuardTools } from '../../src/guard/entries.js';
import { guard, type GuardResult } from '../../src/guard/guard.js';
import { defaultGuardLimits } from '../../src/guard/limits.js';
import { plainViews } from '../../src/guard/view-cache.js';

/** What a draft is judged against in the tests: a run, its ledger, and drafts as a model writes them. */

export const RUN = 'r1';
export const NOW = Date.parse('2026-11-30T10:00:00Z');
export const LATER = Date.parse('2026-12-01T00:00:00Z');

export const tools: GuardTools = { sha256, limits: defaultGuardLimits, views: plainViews(sha256) };

/** An agent view that shows these documents; none is an honest NO_EVIDENCE. */
export function view(
  toolCallId: string,
  documentIds: readonly string[],
  other: Partial<AgentView> = {},
): AgentView {
  return {
    evidenceStatus: documentIds.length > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    toolCallId,
    query: `about ${toolCallId}`,
    evidence: documentIds.map((documentId) => ({
      documentId,
      source: 'a source',
      title: `title of ${documentId}`,
      breadcrumb: null,
      excerpt: `text of ${documentId}`,
    })),
    returnedCount: documentIds.length,
    relevanceLevel: documentIds.length > 0 ? 'PRECISE' : null,
    truncated: false,
    ...other,
  };
}

/** A READY entry as the project station writes it: digested and signed. */
export function ready(
  toolCallId: string,
  documentIds: readonly string[] = [],
  other: Partial<EvidenceEntry> = {},
): EvidenceEntry {
  const agentView = writeAgentView(view(toolCallId, documentIds));
  return {
    runId: RUN,
    toolCallId,
    state: 'READY',
    agentView,
    agentViewSha256: sha256(other.agentView ?? agentView),
    blocks: [],
    dropped: [],
    cuts: [],
    noEvidenceBasis: null,
    expiresAt: LATER,
    signature: 'VALID',
    partition: 3,
    offset: 40,
    ...other,
  };
}

/** An entry without a view. */
export function bare(
  toolCallId: string,
  state: EvidenceEntry['state'],
  other: Partial<EvidenceEntry> = {},
): EvidenceEntry {
  return { ...ready(toolCallId), state, agentView: null, agentViewSha256: null, ...other };
}

export interface AnalysisText {
  readonly id?: unknown;
  readonly kind?: unknown;
  readonly text?: unknown;
  readonly tool_call_ids?: unknown;
  readonly document_ids?: unknown;
  readonly quotes?: unknown;
}

/** An analysis with what a test does not care about filled in. */
export function analysis(fields: AnalysisText = {}): AnalysisText {
  return { id: 'a1', kind: 'NORMAL', text: 'a finding', tool_call_ids: ['c1'], ...fields };
}

/** The draft's JSON; what is not given is in order. */
export function draft(fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    analysis: [analysis()],
    conclusion: null,
    action_plan: [],
    limitations: ['metrics were not read'],
    ...fields,
  });
}

/** The verdict on a draft, on the line unless `other` says that it is a trial. */
export function judge(
  draftJson: string,
  entries: readonly EvidenceEntry[] = [ready('c1', ['gw#chunk-1', 'gw#chunk-2'])],
  other: Partial<GuardInput> = {},
): GuardResult {
  const readAt = { partition: 3, offset: 41 };
  return guard({ runId: RUN, draftJson, submittedAt: NOW, entries, readAt, ...other }, tools);
}

/** `CODE path` of each violation, in the order of the verdict. */
export function found(result: GuardResult): string[] {
  return result.violations.map(({ code, path }) => `${code} ${path}`);
}
