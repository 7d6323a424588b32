import type { Hit } from '../contracts/generated.js';
import { isJsonObject, parseJson, type JsonObject } from '../contracts/json.js';
import { nestsAtMost } from '../evidence/foreign-json.js';
import { evidenceLimits } from '../evidence/limits.js';
import { RERANK, UNFILTERED_VECTOR } from '../evidence/map-hits.js';
import type { Postprocessed } from '../evidence/postprocess.js';
import { rankedHits, type RankedHit } from '../evidence/ranked-hits.js';
import { traceLimits, type TraceLimits } from './limits.js';

/**
 * What the audit keeps of the hits of a lookup: identities, scores and ranks. Their texts are with the topics, and of
 * those that became evidence with the ledger.
 */

/** `{retrieved_hits[], retrieved_left_out?}`: the hits as they were mapped, in retrieval's order. */
export function retrievedFacts(hits: readonly Hit[], limits: TraceLimits = traceLimits): JsonObject {
  const sizes = (hit: Hit): number => hit.evidenceKey.length + hit.documentId.length;
  const kept = hits.slice(0, countWithin(hits, sizes, limits));
  return {
    retrieved_hits: kept.map(retrievedFact),
    ...(kept.length < hits.length ? { retrieved_left_out: hits.length - kept.length } : {}),
  };
}

/** What is as it nearly always is goes without saying. */
function retrievedFact(hit: Hit): JsonObject {
  const { evidenceKey, documentId, originalRank, score, scoreLabel, attempt } = hit;
  return {
    evidence_key: evidenceKey,
    document_id: documentId,
    original_rank: originalRank,
    score,
    ...(scoreLabel === RERANK ? {} : { score_label: scoreLabel }),
    ...(attempt === UNFILTERED_VECTOR ? {} : { attempt }),
  };
}

/**
 * `{reranked_hits[], reranked_left_out?}`: the hits in their final order, each with its final rank or the reason why it
 * was dropped. What became evidence is never left out.
 */
export function rerankedFacts(
  hits: readonly Hit[],
  governed: Pick<Postprocessed, 'blocks' | 'dropped'>,
  limits: TraceLimits = traceLimits,
): JsonObject {
  const ranked = rankedHits(hits, governed);
  const within = countWithin(ranked, ({ hit }) => hit.evidenceKey.length, limits);
  const kept = ranked.filter(({ block }, i) => i < within || block !== null);
  return {
    reranked_hits: kept.map(rerankedFact),
    ...(kept.length < ranked.length ? { reranked_left_out: ranked.length - kept.length } : {}),
  };
}

function rerankedFact({ hit, block, dropped }: RankedHit): JsonObject {
  const { evidenceKey, originalRank } = hit;
  if (block === null) return { evidence_key: evidenceKey, original_rank: originalRank, dropped };
  return {
    evidence_key: evidenceKey,
    original_rank: originalRank,
    final_rank: block.finalRank,
    quality_score: block.qualityScore,
  };
}

/** How many items, from the first on, have keys that fit together. */
function countWithin<T>(items: readonly T[], charsOf: (item: T) => number, limits: TraceLimits): number {
  let chars = 0;
  for (const [count, item] of items.entries()) {
    chars += charsOf(item);
    if (count === limits.hits || chars > limits.keyChars) return count;
  }
  return items.length;
}

/** `{query_plan}` of a lookup that was planned; `{query_plan_left_out}`, in characters, where it is too large or none. */
export function planFacts(queryPlanJson: string | null, limits: TraceLimits = traceLimits): JsonObject {
  if (queryPlanJson === null) return {};
  const plan = queryPlanJson.length <= limits.planChars ? parseJson(queryPlanJson) : undefined;
  const isPlan = isJsonObject(plan) && nestsAtMost(plan, evidenceLimits.jsonDepth);
  return isPlan ? { query_plan: plan } : { query_plan_left_out: queryPlanJson.length };
}
