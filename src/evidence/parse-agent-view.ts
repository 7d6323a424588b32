import type { AgentView, EvidenceItem, EvidenceStatus, RelevanceLevel } from '../contracts/generated.js';
import { ExactJsonReader } from './exact-json-reader.js';

/** A view that was read strictly, or what is wrong with the text, for a person. */
export type AgentViewReading = { readonly view: AgentView } | { readonly problem: string };

/**
 * Reads an agent view back, believing nothing: only a text that `writeAgentView` writes for this lookup is
 * read. A field too many or in another place, a wrong type, a count or status that does not fit the items,
 * one identity twice, another tool_call_id, white space or another escape make it unusable. Limits are not
 * checked: they may have been others when the view was made.
 */
export function parseAgentView(text: string, toolCallId: string): AgentViewReading {
  const reader = new ExactJsonReader(text);
  const view = readView(reader, toolCallId.toWellFormed());
  const problem = reader.problem ?? contradictionIn(view);
  return problem === null ? { view } : { problem };
}

function readView(reader: ExactJsonReader, toolCallId: string): AgentView {
  reader.literal('{"evidence_status":');
  const evidenceStatus = readStatus(reader);
  reader.literal(`,"tool_call_id":${JSON.stringify(toolCallId)},"query":`);
  const query = reader.string();
  reader.literal(',"evidence":[');
  const evidence = readItems(reader);
  const returnedCount = evidence.length;
  reader.literal(`],"returned_count":${returnedCount},"relevance_level":`);
  const relevanceLevel = readLevel(reader);
  reader.literal(',"truncated":');
  const truncated = readBoolean(reader);
  reader.literal('}');
  reader.end();
  return { evidenceStatus, toolCallId, query, evidence, returnedCount, relevanceLevel, truncated };
}

function readStatus(reader: ExactJsonReader): EvidenceStatus {
  if (reader.skip('"NO_EVIDENCE"')) return 'NO_EVIDENCE';
  reader.literal('"EVIDENCE_FOUND"');
  return 'EVIDENCE_FOUND';
}

function readItems(reader: ExactJsonReader): EvidenceItem[] {
  const items: EvidenceItem[] = [];
  while (reader.skip(items.length === 0 ? '{"document_id":' : ',{"document_id":'))
    items.push(readItem(reader));
  return items;
}

/** The rest of an item whose first field's name has been read. */
function readItem(reader: ExactJsonReader): EvidenceItem {
  const documentId = reader.string();
  reader.literal(',"source":');
  const source = reader.stringOrNull();
  reader.literal(',"title":');
  const title = reader.stringOrNull();
  reader.literal(',"breadcrumb":');
  const breadcrumb = reader.stringOrNull();
  reader.literal(',"excerpt":');
  const excerpt = reader.string();
  reader.literal('}');
  return { documentId, source, title, breadcrumb, excerpt };
}

function readLevel(reader: ExactJsonReader): RelevanceLevel | null {
  if (reader.skip('"PRECISE"')) return 'PRECISE';
  if (reader.skip('"REFERENCE"')) return 'REFERENCE';
  reader.literal('null');
  return null;
}

function readBoolean(reader: ExactJsonReader): boolean {
  if (reader.skip('true')) return true;
  reader.literal('false');
  return false;
}

/** What no projection could have written, though every byte is in its place. */
function contradictionIn({ evidenceStatus, evidence, relevanceLevel }: AgentView): string | null {
  const found = evidence.length > 0;
  if ((evidenceStatus === 'EVIDENCE_FOUND') !== found)
    return `evidence_status ${evidenceStatus} does not fit ${evidence.length} items`;
  if (!found && relevanceLevel !== null) return 'it has a relevance_level without evidence';
  const identities = new Set(evidence.map((item) => item.documentId));
  return identities.size === evidence.length ? null : 'two of its items have one document_id';
}
