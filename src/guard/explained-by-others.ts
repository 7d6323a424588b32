/**
 * Violations whose details name what the run's other lookups showed, or a call id that is nearly the cited one; and
 * a quote that is nowhere in the cited ones may be of another.
 */
const EXPLAINED_BY_OTHERS: ReadonlySet<string> = new Set([
  'TOOL_CALL_UNKNOWN',
  'DOCUMENT_NOT_SHOWN',
  'QUOTE_NOT_FOUND',
]);

/** Whether the run's lookups that the draft does not cite can tell more about a violation. */
export function isExplainedByOthers({ code }: { readonly code: string }): boolean {
  return EXPLAINED_BY_OTHERS.has(code);
}
