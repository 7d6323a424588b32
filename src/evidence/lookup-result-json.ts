import type { Dropped } from '../contracts/generated.js';
import type { LookupResult, RetrievalTrace } from './lookup-result.js';
import type { ContextPack } from './pack.js';
import type { EvidenceBlock, RerankTraceItem } from './postprocess.js';

/**
 * The LookupResult as the JSON text that travels between post-processing and projection: snake_case, without
 * white space. Spelled out rather than converted, because it is the largest text that the line writes.
 */
export function lookupResultJson(result: LookupResult): string {
  return JSON.stringify({
    query: result.query,
    found: result.found,
    fallback_text: result.fallbackText,
    candidate_count: result.candidateCount,
    evidence_block_count: result.evidenceBlockCount,
    top_similarity: result.topSimilarity,
    relevance_level: result.relevanceLevel,
    is_low_quality: result.isLowQuality,
    completeness_hint: result.completenessHint,
    evidence_blocks: result.evidenceBlocks.map(blockJson),
    dropped: result.dropped.map(droppedJson),
    rerank_trace: result.rerankTrace.map(rerankJson),
    context_pack: packJson(result.contextPack),
    retrieval_trace: traceJson(result.retrievalTrace),
  });
}

function blockJson(block: EvidenceBlock): object {
  return {
    evidence_key: block.evidenceKey,
    document_id: block.documentId,
    chunk_index: block.chunkIndex,
    content: block.content,
    score: block.score,
    score_label: block.scoreLabel,
    original_rank: block.originalRank,
    attempt: block.attempt,
    source: block.source,
    title: block.title,
    breadcrumb: block.breadcrumb,
    source_uri: block.sourceUri,
    page_number: block.pageNumber,
    section_title: block.sectionTitle,
    quality_score: block.qualityScore,
    final_rank: block.finalRank,
    hit_reasons: block.hitReasons,
  };
}

function droppedJson(dropped: Dropped): object {
  return {
    evidence_key: dropped.evidenceKey,
    document_id: dropped.documentId,
    original_rank: dropped.originalRank,
    reason: dropped.reason,
  };
}

function rerankJson(item: RerankTraceItem): object {
  return {
    final_rank: item.finalRank,
    source: item.source,
    base_score: item.baseScore,
    final_score: item.finalScore,
    boost_reasons: item.boostReasons,
  };
}

function packJson(pack: ContextPack): object {
  return {
    packed_text: pack.packedText,
    strategy: pack.strategy,
    char_budget: pack.charBudget,
    used_chars: pack.usedChars,
    included_sources: pack.includedSources,
    omitted_sources: pack.omittedSources,
  };
}

function traceJson(trace: RetrievalTrace): object {
  return {
    attempts: trace.attempts.map(({ attempt, hitCount, isLowQuality }) => ({
      attempt,
      hit_count: hitCount,
      is_low_quality: isLowQuality,
    })),
    mode: trace.mode,
    filters: trace.filters,
    recall_count: trace.recallCount,
    rerank_model: trace.rerankModel,
    no_evidence_basis: trace.noEvidenceBasis,
  };
}
