import type { PostprocessedEvidence, RawHits, ToolInvocation } from '../contracts/generated.js';
import { isJsonObject, parseJson, type JsonObject } from '../contracts/json.js';
import { factsOf, numberIn, objectsIn, textIn } from '../trace/facts.js';

/** What retrieval found for one lookup, and what became of each hit. */

export interface HitTrail {
  readonly evidenceKey: string;
  readonly documentId: string | null;
  /** Null where it is not known. */
  readonly title: string | null;
  readonly originalRank: number | null;
  readonly score: number | null;
  /** KEPT with a final rank, DROPPED with a reason; null where it is not known. */
  readonly fate: 'KEPT' | 'DROPPED' | null;
  readonly finalRank: number | null;
  readonly qualityScore: number | null;
  readonly reason: string | null;
}

/** Where it is known from; what is undefined is gone, or has not happened. */
export interface HitSources {
  readonly hits: RawHits | undefined;
  readonly governed: PostprocessedEvidence | undefined;
  readonly retrieveNote: ToolInvocation | undefined;
  readonly postprocessNote: ToolInvocation | undefined;
}

/** The hits in retrieval's order; null where nothing tells. */
export function retrievedHits(sources: HitSources): HitTrail[] | null {
  const found = sources.hits?.hits ?? hitsNoted(sources.retrieveNote);
  if (found === null) return null;
  const fates = fatesOf(sources);
  return found.map(({ evidenceKey, documentId, title, originalRank, score }) => ({
    ...{ evidenceKey, documentId, title, originalRank, score },
    ...(fates.get(fateName(evidenceKey, originalRank)) ?? UNKNOWN_FATE),
  }));
}

type FoundHit = Pick<HitTrail, 'evidenceKey' | 'documentId' | 'title' | 'originalRank' | 'score'>;

/** The audit keeps which hits there were, without their texts. */
function hitsNoted(note: ToolInvocation | undefined): FoundHit[] | null {
  const noted = factsOf(note)['retrieved_hits'];
  if (!Array.isArray(noted)) return null;
  return objectsIn(noted).map((hit) => ({
    evidenceKey: textIn(hit['evidence_key']) ?? '',
    documentId: textIn(hit['document_id']),
    title: null,
    originalRank: numberIn(hit['original_rank']),
    score: numberIn(hit['score']),
  }));
}

type Fate = Pick<HitTrail, 'fate' | 'finalRank' | 'qualityScore' | 'reason'>;

const UNKNOWN_FATE: Fate = { fate: null, finalRank: null, qualityScore: null, reason: null };

/** A key may come several times: the rank tells the hits apart. */
function fateName(evidenceKey: unknown, originalRank: unknown): string {
  return JSON.stringify([evidenceKey, originalRank ?? null]);
}

function fatesOf(sources: HitSources): Map<string, Fate> {
  const { kept, dropped } = governance(sources);
  const fates = new Map<string, Fate>();
  for (const hit of dropped)
    fates.set(fateName(hit['evidence_key'], hit['original_rank']), {
      ...UNKNOWN_FATE,
      fate: 'DROPPED',
      reason: textIn(hit['reason']),
    });
  for (const hit of kept)
    fates.set(fateName(hit['evidence_key'], hit['original_rank']), {
      fate: 'KEPT',
      finalRank: numberIn(hit['final_rank']),
      qualityScore: numberIn(hit['quality_score']),
      reason: null,
    });
  return fates;
}

/** What post-processing kept and dropped: from its result while the topic has it, else from the audit. */
function governance({ governed, postprocessNote }: HitSources): {
  kept: JsonObject[];
  dropped: JsonObject[];
} {
  const result = parseJson(governed?.lookupResult ?? '');
  if (isJsonObject(result))
    return { kept: objectsIn(result['evidence_blocks']), dropped: objectsIn(result['dropped']) };
  const facts = factsOf(postprocessNote);
  const dropped = (postprocessNote?.dropped ?? []).map(({ evidenceKey, originalRank, reason }) => ({
    evidence_key: evidenceKey,
    original_rank: originalRank,
    reason,
  }));
  return { kept: keptIn(facts), dropped };
}

/** Those of all hits that have a final rank; earlier versions noted only them. */
function keptIn(facts: JsonObject): JsonObject[] {
  const ranked = objectsIn(facts['reranked_hits'] ?? facts['kept']);
  return ranked.filter((hit) => typeof hit['final_rank'] === 'number');
}
