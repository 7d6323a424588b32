import type { Dropped, Hit, RelevanceLevel } from '../contracts/generated.js';
import { isBlank } from '../text/text.js';
import { completenessHints } from './fixed-texts.js';
import type { BilingualText } from './fixed-texts.js';
import { evidenceLimits } from './limits.js';
import type { EvidenceLimits } from './limits.js';
import { RERANK, UNFILTERED_VECTOR } from './map-hits.js';

/** A hit that became evidence. */
export interface EvidenceBlock extends Hit {
  /** Absolute quality from 0 to 1; null where the score says nothing of the kind. */
  readonly qualityScore: number | null;
  /** Place among the blocks, from 1 without gaps. */
  readonly finalRank: number;
  /** Where it came from, for people: it was found so often, at these ranks, by these attempts. */
  readonly hitReasons: readonly string[];
}

/** The final order, explained. The scores are equal and the reasons boost nothing: nothing re-ranks. */
export interface RerankTraceItem {
  readonly finalRank: number;
  readonly source: string | null;
  readonly baseScore: number | null;
  readonly finalScore: number | null;
  readonly boostReasons: readonly string[];
}

/** Why a hit did not become evidence. */
export type DropReason = 'BLANK' | 'DUPLICATE' | 'KEY_COLLISION' | 'DOC_CAP' | 'TOTAL_CAP';

/** The governed evidence of one lookup. */
export interface Postprocessed {
  readonly candidateCount: number;
  readonly evidenceBlockCount: number;
  /** Quality of the first block; null when there is none. */
  readonly topSimilarity: number | null;
  readonly relevanceLevel: RelevanceLevel | null;
  /** No block, or a first block of no quality or of one below REFERENCE. */
  readonly isLowQuality: boolean;
  readonly completenessHint: BilingualText;
  readonly blocks: readonly EvidenceBlock[];
  readonly rerankTrace: readonly RerankTraceItem[];
  readonly dropped: readonly Dropped[];
}

/**
 * Hits to evidence: ordered by retrieval's rank alone, repeats united, at most so many of one document and
 * in all. Scores only grade. Every hit ends up in `blocks` or, with its reason, in `dropped`.
 */
export function postprocess(hits: readonly Hit[], limits: EvidenceLimits = evidenceLimits): Postprocessed {
  const { kept, dropped } = select(inRankOrder(hits), limits);
  const blocks = kept.map(blockOf);
  const topSimilarity = blocks[0]?.qualityScore ?? null;
  const relevanceLevel = gradeOf(topSimilarity, limits);
  return {
    candidateCount: hits.length,
    evidenceBlockCount: blocks.length,
    topSimilarity,
    relevanceLevel,
    isLowQuality: topSimilarity === null || topSimilarity < limits.referenceFrom,
    completenessHint: completenessHints[relevanceLevel ?? 'NONE'],
    blocks,
    rerankTrace: blocks.map(traceItemOf),
    dropped,
  };
}

/** By rank, hits without one last; hits of one rank stay as they came. */
function inRankOrder(hits: readonly Hit[]): Hit[] {
  return hits.toSorted((a, b) => compareRanks(a.originalRank, b.originalRank));
}

function compareRanks(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a - b;
}

/** The first hit of a key, with the reasons of all that repeat it. */
interface Candidate {
  readonly hit: Hit;
  readonly reasons: Set<string>;
}

interface Selection {
  readonly kept: Candidate[];
  readonly dropped: Dropped[];
  /** The first hit with text of each key, also where a cap dropped it. */
  readonly firstOfKey: Map<string, Candidate>;
  /** Blocks of each document so far. */
  readonly blocksOf: Map<string, number>;
}

function select(ordered: readonly Hit[], limits: EvidenceLimits): Selection {
  const selection: Selection = { kept: [], dropped: [], firstOfKey: new Map(), blocksOf: new Map() };
  for (const hit of ordered) {
    const reason = admit(hit, selection, limits);
    if (reason !== null) selection.dropped.push(droppedOf(hit, reason));
  }
  return selection;
}

/** Takes the hit in, or says why not. */
function admit(hit: Hit, selection: Selection, limits: EvidenceLimits): DropReason | null {
  if (isBlank(hit.content)) return 'BLANK';
  const first = selection.firstOfKey.get(hit.evidenceKey);
  if (first !== undefined) return uniteOrRefuse(first, hit);
  const candidate: Candidate = { hit, reasons: new Set(reasonsOf(hit)) };
  selection.firstOfKey.set(hit.evidenceKey, candidate);
  const blocksOfDocument = selection.blocksOf.get(hit.documentId) ?? 0;
  if (blocksOfDocument >= limits.maxBlocksPerDocument) return 'DOC_CAP';
  if (selection.kept.length >= limits.maxBlocks) return 'TOTAL_CAP';
  selection.blocksOf.set(hit.documentId, blocksOfDocument + 1);
  selection.kept.push(candidate);
  return null;
}

/** One key with two texts is a fault of the index, which the audit must show: it is never merged away. */
function uniteOrRefuse(first: Candidate, hit: Hit): DropReason {
  if (first.hit.content !== hit.content) return 'KEY_COLLISION';
  for (const reason of reasonsOf(hit)) first.reasons.add(reason);
  return 'DUPLICATE';
}

function reasonsOf(hit: Hit): string[] {
  return [`semantic_rank:${hit.originalRank ?? 'null'}`, `attempt:${hit.attempt ?? UNFILTERED_VECTOR}`];
}

function droppedOf(hit: Hit, reason: DropReason): Dropped {
  const { evidenceKey, documentId, originalRank } = hit;
  return { evidenceKey, documentId, originalRank, reason };
}

function blockOf({ hit, reasons }: Candidate, index: number): EvidenceBlock {
  // The spread stands last because V8 is twenty times slower at adding fields to a large copy.
  return { qualityScore: qualityOf(hit), finalRank: index + 1, hitReasons: [...reasons], ...hit };
}

/** Only a rerank score is an absolute quality; any other kind of score cannot be graded. */
function qualityOf({ score, scoreLabel }: Hit): number | null {
  if (scoreLabel !== RERANK || score === null || Number.isNaN(score)) return null;
  return Math.min(1, Math.max(0, score));
}

function gradeOf(quality: number | null, limits: EvidenceLimits): RelevanceLevel | null {
  if (quality === null || quality < limits.referenceFrom) return null;
  return quality >= limits.preciseFrom ? 'PRECISE' : 'REFERENCE';
}

function traceItemOf(block: EvidenceBlock): RerankTraceItem {
  const { finalRank, source, qualityScore, hitReasons } = block;
  return { finalRank, source, baseScore: qualityScore, finalScore: qualityScore, boostReasons: hitReasons };
}
