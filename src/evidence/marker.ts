/**
 * Text that an excerpt should not need: what looks like a citation (`[S1]`, `[1, 2]`, `【1】`, `#chunk-3`) or
 * like the JSON of the agent view or of a draft. It stays data and can never satisfy a citation; the audit
 * notes it, for it may be there to mislead the model.
 */
const NUMBER = String.raw`\^?[Ss]?[\d０-９]{1,4}`;
const BRACKETED = String.raw`[\[［【〔]\s?${NUMBER}(?:\s?[-–,，、;；]\s?${NUMBER}){0,8}\s?[\]］】〕]`;
const COORDINATE = String.raw`#chunk-\d`;
const CONTRACT_FIELDS = [
  'evidence_status',
  'tool_call_ids?',
  'document_ids?',
  'returned_count',
  'relevance_level',
  'based_on_analysis_ids',
  'action_plan',
].join('|');
const CONTRACT_JSON = String.raw`["'](?:${CONTRACT_FIELDS})\\?["']\s?[:：]`;

const MARKER = new RegExp(`${BRACKETED}|${COORDINATE}|${CONTRACT_JSON}`);

/** True when the excerpt holds such text. */
export function hasMarker(excerpt: string): boolean {
  return MARKER.test(excerpt);
}
