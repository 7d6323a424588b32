import type { Dropped, RelevanceLevel } from '../contracts/generated.js';
import { isJsonObject, parseJson } from '../contracts/json.js';
import type { JsonObject } from '../contracts/json.js';
import { firstPresent, firstText, int32OrNull, textOrNull } from './foreign-json.js';

/**
 * The reading end of the string boundary: takes of a LookupResult's JSON only what it needs, by either of
 * its names, and trusts none of it.
 */
export interface LookupResultReading {
  /** Empty when it is no string. */
  readonly query: string;
  /** Unread: see `readBlock`. */
  readonly blocks: readonly unknown[];
  readonly relevanceLevel: RelevanceLevel | null;
  /** What post-processing dropped; entries that say nothing of the kind are left out. */
  readonly dropped: readonly Dropped[];
  /** Hits that retrieval brought; the blocks when the result does not say. */
  readonly candidateCount: number;
  /** Retrieval's own word for why there is no evidence. */
  readonly noEvidenceBasis: string | null;
}

/** The reading, or what makes the text unusable. */
export function readLookupResult(text: string): LookupResultReading | { readonly problem: string } {
  const result = parseJson(text);
  if (result === undefined) return { problem: 'it is not JSON' };
  if (!isJsonObject(result)) return { problem: 'it is not a JSON object' };
  const blocks = firstPresent(result, 'evidence_blocks', 'evidenceBlocks');
  if (blocks === undefined) return { problem: 'it has no evidence_blocks' };
  if (!Array.isArray(blocks)) return { problem: 'evidence_blocks is not a list' };
  return {
    query: textOrNull(result['query']) ?? '',
    blocks,
    relevanceLevel: levelOf(firstText(result, 'relevance_level', 'relevanceLevel')),
    dropped: droppedIn(result['dropped']),
    candidateCount: int32OrNull(firstPresent(result, 'candidate_count', 'candidateCount')) ?? blocks.length,
    noEvidenceBasis: basisIn(firstPresent(result, 'retrieval_trace', 'retrievalTrace')),
  };
}

function levelOf(level: string | null): RelevanceLevel | null {
  return level === 'PRECISE' || level === 'REFERENCE' ? level : null;
}

function droppedIn(value: unknown): Dropped[] {
  if (!Array.isArray(value)) return [];
  return value.map(readDropped).filter((dropped) => dropped !== null);
}

function readDropped(value: unknown): Dropped | null {
  if (!isJsonObject(value)) return null;
  const evidenceKey = firstText(value, 'evidence_key', 'evidenceKey');
  const reason = firstText(value, 'reason');
  if (evidenceKey === null || reason === null) return null;
  return {
    evidenceKey,
    documentId: firstText(value, 'document_id', 'documentId') ?? '',
    originalRank: int32OrNull(firstPresent(value, 'original_rank', 'originalRank')),
    reason,
  };
}

function basisIn(trace: unknown): string | null {
  return isJsonObject(trace) ? firstText(trace, 'no_evidence_basis', 'noEvidenceBasis') : null;
}

/** One block as far as an agent may see it. */
export interface BlockReading {
  readonly source: string | null;
  readonly title: string | null;
  readonly breadcrumb: string | null;
  /** The whole text; never blank. */
  readonly content: string;
}

/** The block, or null when it is no object or has no text to show. */
export function readBlock(block: unknown): BlockReading | null {
  if (!isJsonObject(block)) return null;
  const content = firstText(block, 'content', 'excerpt');
  if (content === null) return null;
  return {
    source: textOrNull(block['source']),
    title: textOrNull(block['title']),
    breadcrumb: textOrNull(block['breadcrumb']),
    content,
  };
}

/**
 * What the block is called, and cited by: its evidence key, else its document id, else `docId#chunk-N`, else
 * `evidence#` and its position in the list, from 1.
 */
export function identityOf(block: unknown, position: number): string {
  const names = isJsonObject(block) ? block : {};
  return (
    firstText(names, 'evidence_key', 'evidenceKey', 'document_id', 'documentId') ??
    chunkNameOf(names) ??
    `evidence#${position}`
  );
}

function chunkNameOf(block: JsonObject): string | null {
  const documentId = firstText(block, 'docId', 'doc_id');
  const chunk = [block['chunk_index'], block['chunkIndex']].find(isInteger);
  return documentId !== null && chunk !== undefined ? `${documentId}#chunk-${chunk}` : null;
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
