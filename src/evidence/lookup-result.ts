import type { Dropped, Hit, RelevanceLevel } from '../contracts/generated.js';
import { isJsonObject } from '../contracts/json.js';
import type { JsonObject } from '../contracts/json.js';
import { nothingFoundText } from './fixed-texts.js';
import type { BilingualText } from './fixed-texts.js';
import { nestsAtMost, textOrNull } from './foreign-json.js';
import { evidenceLimits } from './limits.js';
import type { EvidenceLimits } from './limits.js';
import { UNFILTERED_VECTOR } from './map-hits.js';
import { packEvidence } from './pack.js';
import type { ContextPack } from './pack.js';
import { postprocess } from './postprocess.js';
import type { EvidenceBlock, Postprocessed, RerankTraceItem } from './postprocess.js';

/** One try at retrieval. */
export interface RetrievalAttempt {
  readonly attempt: string;
  readonly hitCount: number;
  readonly isLowQuality: boolean;
}

/** What is kept of retrieval's trace; null where it does not say. */
export interface RetrievalTrace {
  readonly attempts: readonly RetrievalAttempt[];
  readonly mode: string | null;
  readonly filters: JsonObject | null;
  readonly recallCount: number | null;
  readonly rerankModel: string | null;
  readonly noEvidenceBasis: string | null;
}

/** All that is known of a lookup inside the line. It travels as a JSON string, so that it may change shape. */
export interface LookupResult {
  readonly query: string;
  readonly found: boolean;
  /** Null when something was found. */
  readonly fallbackText: BilingualText | null;
  readonly candidateCount: number;
  readonly evidenceBlockCount: number;
  readonly topSimilarity: number | null;
  readonly relevanceLevel: RelevanceLevel | null;
  readonly isLowQuality: boolean;
  readonly completenessHint: BilingualText;
  readonly evidenceBlocks: readonly EvidenceBlock[];
  readonly dropped: readonly Dropped[];
  readonly rerankTrace: readonly RerankTraceItem[];
  readonly contextPack: ContextPack;
  readonly retrievalTrace: RetrievalTrace;
}

/** Retrieval's answer governed, packed and put together: everything between raw hits and projection. */
export function governHits(
  query: string,
  hits: readonly Hit[],
  trace: unknown,
  limits: EvidenceLimits = evidenceLimits,
): LookupResult {
  const postprocessed = postprocess(hits, limits);
  const pack = packEvidence(postprocessed.blocks, limits.packChars);
  return assembleLookupResult(query, postprocessed, pack, trace, limits);
}

/** Puts a lookup's parts together; computes no more than whether there is evidence. */
export function assembleLookupResult(
  query: string,
  postprocessed: Postprocessed,
  pack: ContextPack,
  trace: unknown,
  limits: EvidenceLimits = evidenceLimits,
): LookupResult {
  const found = postprocessed.blocks.length > 0;
  return {
    query,
    found,
    fallbackText: found ? null : nothingFoundText,
    candidateCount: postprocessed.candidateCount,
    evidenceBlockCount: postprocessed.evidenceBlockCount,
    topSimilarity: postprocessed.topSimilarity,
    relevanceLevel: postprocessed.relevanceLevel,
    isLowQuality: postprocessed.isLowQuality,
    completenessHint: postprocessed.completenessHint,
    evidenceBlocks: postprocessed.blocks,
    dropped: postprocessed.dropped,
    rerankTrace: postprocessed.rerankTrace,
    contextPack: pack,
    retrievalTrace: retrievalTraceOf(isJsonObject(trace) ? trace : {}, postprocessed, limits),
  };
}

function retrievalTraceOf(
  trace: JsonObject,
  { candidateCount, isLowQuality }: Postprocessed,
  limits: EvidenceLimits,
): RetrievalTrace {
  const { mode, filters, recall_count: recallCount } = trace;
  return {
    attempts: [{ attempt: UNFILTERED_VECTOR, hitCount: candidateCount, isLowQuality }],
    mode: textOrNull(mode),
    filters: isJsonObject(filters) && nestsAtMost(filters, limits.jsonDepth) ? filters : null,
    recallCount: typeof recallCount === 'number' ? recallCount : null,
    rerankModel: textOrNull(trace['rerank_model']),
    noEvidenceBasis: textOrNull(trace['no_evidence_basis']),
  };
}
