import type { EvidenceItem, Hit } from '../contracts/generated.js';
import { isBlank } from '../text/text.js';

/** A passage that goes into a context, with what a reader can find it by. */
export interface ContextHit {
  readonly content: string;
  readonly sourceName: string | null;
  readonly sourcePath: string | null;
  readonly sourceUri: string | null;
  /** From 1. */
  readonly pageNumber: number | null;
  readonly sectionTitle: string | null;
  /** Identity of the passage: `docId#chunk-N`, or the document_id that an agent view shows. */
  readonly evidenceKey: string | null;
  /** The path to its section, `Document > Chapter > Section`. */
  readonly breadcrumb?: string | null;
}

/** One source of a context, and where its text stands in it. */
export interface Citation extends Omit<ContextHit, 'content' | 'breadcrumb'> {
  /** `S1`, `S2`, … in the order of the text, without gaps. */
  readonly citationId: string;
  /** What the context holds of the passage: all of it, or what a budget left. */
  readonly snippet: string;
  /** Place of the snippet in the context's text, UTF-16, end exclusive: slicing gives the snippet. */
  readonly start: number;
  readonly end: number;
}

/** A hit of retrieval, or a block of evidence, as a context takes it. */
export function contextHitOfHit(hit: Hit): ContextHit {
  return {
    content: hit.content,
    sourceName: hit.title,
    sourcePath: hit.source,
    sourceUri: hit.sourceUri,
    pageNumber: hit.pageNumber,
    sectionTitle: hit.sectionTitle ?? lastOfBreadcrumb(hit.breadcrumb),
    evidenceKey: hit.evidenceKey,
    breadcrumb: hit.breadcrumb,
  };
}

/** An item of an agent view as a context takes it: its excerpt, as it was shown. */
export function contextHitOfItem(item: EvidenceItem): ContextHit {
  return {
    content: item.excerpt,
    sourceName: item.title,
    sourcePath: item.source,
    sourceUri: null,
    pageNumber: null,
    sectionTitle: lastOfBreadcrumb(item.breadcrumb),
    evidenceKey: item.documentId,
    breadcrumb: item.breadcrumb,
  };
}

/** @param start where the snippet, the beginning of the hit's content, stands in the text */
export function citationOf(citationId: string, hit: ContextHit, snippet: string, start: number): Citation {
  return {
    citationId,
    sourceName: hit.sourceName,
    sourcePath: hit.sourcePath,
    sourceUri: hit.sourceUri,
    pageNumber: hit.pageNumber,
    sectionTitle: hit.sectionTitle,
    snippet,
    evidenceKey: hit.evidenceKey,
    start,
    end: start + snippet.length,
  };
}

/** The innermost heading of `Document > Chapter > Section`. */
export function lastOfBreadcrumb(breadcrumb: string | null): string | null {
  const last = breadcrumb?.split(' > ').at(-1);
  return last === undefined || isBlank(last) ? null : last;
}
