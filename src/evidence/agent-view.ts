import type { AgentView } from '../contracts/generated.js';

/**
 * The agent view's text: exactly these fields in this order, as `JSON.stringify` writes them. The text is
 * frozen, digested and signed, so this is the only place that writes it. The view's texts are well-formed.
 */
export function writeAgentView(view: AgentView): string {
  return JSON.stringify({
    evidence_status: view.evidenceStatus,
    tool_call_id: view.toolCallId,
    query: view.query,
    evidence: view.evidence.map((item) => ({
      document_id: item.documentId,
      source: item.source,
      title: item.title,
      breadcrumb: item.breadcrumb,
      excerpt: item.excerpt,
    })),
    returned_count: view.returnedCount,
    relevance_level: view.relevanceLevel,
    truncated: view.truncated,
  });
}
