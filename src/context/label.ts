import { isBlank } from '../text/text.js';
import type { ContextHit } from './citation.js';

/**
 * `[S1] name / p.3 / section`: the name, else the path, else `source`, then page and section where there are any.
 * It is one line: a line break in a title would let a document write the label of a source that is none.
 */
export function labelOf(citationId: string, hit: ContextHit): string {
  const name = [hit.sourceName, hit.sourcePath].find(isSaid) ?? 'source';
  const page = hit.pageNumber === null ? [] : [`p.${hit.pageNumber}`];
  const section = isSaid(hit.sectionTitle) ? [hit.sectionTitle] : [];
  const label = [name, ...page, ...section].join(' / ').replace(LINE_BREAKS, ' ');
  return `[${citationId}] ${label}`.toWellFormed();
}

const LINE_BREAKS = /[\n\r\v\f\u0085\u2028\u2029]+/g;

function isSaid(text: string | null): text is string {
  return text !== null && !isBlank(text);
}
