import { z } from 'zod';
import { ProoflineError } from '../../contracts/errors.js';
import { toSnakeJson } from '../../contracts/json.js';
import type { BilingualText } from '../../evidence/fixed-texts.js';
import { lookupResultJson } from '../../evidence/lookup-result-json.js';
import { assembleLookupResult } from '../../evidence/lookup-result.js';
import { mapHits } from '../../evidence/map-hits.js';
import { PACK_STRATEGY, packEvidence } from '../../evidence/pack.js';
import type { ContextPack } from '../../evidence/pack.js';
import { postprocess } from '../../evidence/postprocess.js';
import { project } from '../../evidence/project.js';

/**
 * The evidence rules by hand: JSON in, JSON out, both in snake_case. Fields that a rule can do without may
 * be left out. An input that cannot be used throws PL_INPUT_INVALID, which names the field.
 */
export const evidenceStations = {
  map: tryMap,
  postprocess: tryPostprocess,
  pack: tryPack,
  'lookup-result': tryLookupResult,
  project: tryProject,
} as const satisfies Readonly<Record<string, (input: unknown) => unknown>>;

/** A py-rag response → `{hits, trace}` or `{error}`. */
export function tryMap(input: unknown): unknown {
  return toSnakeJson(mapHits(input));
}

/** `{hits}` → the governed evidence. */
export function tryPostprocess(input: unknown): unknown {
  return toSnakeJson(postprocess(read(z.object({ hits: z.array(hit) }), input).hits));
}

/** `{blocks, char_budget?}` → the context pack. */
export function tryPack(input: unknown): unknown {
  const { blocks, char_budget: charBudget } = read(packInput, input);
  return toSnakeJson(packEvidence(blocks, charBudget));
}

/** `{query, postprocessed, pack, trace}` → `{lookup_result}`, the JSON text that travels. */
export function tryLookupResult(input: unknown): unknown {
  const { query, postprocessed, pack, trace } = read(lookupResultInput, input);
  return { lookup_result: lookupResultJson(assembleLookupResult(query, postprocessed, pack, trace)) };
}

/** `{lookup_result, tool_call_id}` → `{agent_view, cuts}` or `{error}`. */
export function tryProject(input: unknown): unknown {
  const { lookup_result: lookupResult, tool_call_id: toolCallId } = read(projectInput, input);
  const projection = project(lookupResult, toolCallId);
  if ('error' in projection) return projection;
  const cuts = projection.cuts.map(({ code, documentId }) =>
    documentId === null ? { code } : { code, document_id: documentId },
  );
  return { agent_view: projection.agentView, cuts };
}

const PROBLEMS_SHOWN = 5;

function read<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, PROBLEMS_SHOWN).map(({ path, message }) => {
    const field = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
    return `${field.replace(/^\./, '') || 'the input'}: ${message}`;
  });
  throw new ProoflineError('PL_INPUT_INVALID', { problem: problems.join('; ') });
}

/** May be absent or null. */
function optional<T>(schema: z.ZodType<T>): z.ZodType<T | null> {
  return schema.nullish().transform((value) => value ?? null);
}

const text = optional(z.string());
const int = z.int32();

const hitFields = {
  evidence_key: z.string(),
  document_id: z.string(),
  chunk_index: optional(int),
  content: z.string(),
  score: optional(z.number()),
  score_label: text,
  original_rank: optional(int),
  attempt: text,
  source: text,
  title: text,
  breadcrumb: text,
  source_uri: text,
  page_number: optional(int),
  section_title: text,
};

type HitJson = z.output<z.ZodObject<typeof hitFields>>;

function hitOf(json: HitJson) {
  return {
    evidenceKey: json.evidence_key,
    documentId: json.document_id,
    chunkIndex: json.chunk_index,
    content: json.content,
    score: json.score,
    scoreLabel: json.score_label,
    originalRank: json.original_rank,
    attempt: json.attempt,
    source: json.source,
    title: json.title,
    breadcrumb: json.breadcrumb,
    sourceUri: json.source_uri,
    pageNumber: json.page_number,
    sectionTitle: json.section_title,
  };
}

const hit = z.object(hitFields).transform(hitOf);

const reasons = z.array(z.string()).default([]);

const block = z
  .object({ ...hitFields, quality_score: optional(z.number()), final_rank: int, hit_reasons: reasons })
  .transform((json) => ({
    qualityScore: json.quality_score,
    finalRank: json.final_rank,
    hitReasons: json.hit_reasons,
    ...hitOf(json),
  }));

const packInput = z.object({
  blocks: z.array(
    z
      .object({
        evidence_key: z.string(),
        source: text,
        breadcrumb: text,
        hit_reasons: reasons,
        content: z.string(),
      })
      .transform((json) => ({ ...json, evidenceKey: json.evidence_key, hitReasons: json.hit_reasons })),
  ),
  char_budget: z.int().nonnegative().optional(),
});

const dropped = z
  .object({
    evidence_key: z.string(),
    document_id: z.string(),
    original_rank: optional(int),
    reason: z.string(),
  })
  .transform((json) => ({
    evidenceKey: json.evidence_key,
    documentId: json.document_id,
    originalRank: json.original_rank,
    reason: json.reason,
  }));

const rerankItem = z
  .object({
    final_rank: int,
    source: text,
    base_score: optional(z.number()),
    final_score: optional(z.number()),
    boost_reasons: reasons,
  })
  .transform((json) => ({
    finalRank: json.final_rank,
    source: json.source,
    baseScore: json.base_score,
    finalScore: json.final_score,
    boostReasons: json.boost_reasons,
  }));

const bilingual: z.ZodType<BilingualText> = z.object({ zh: z.string(), en: z.string() });

const postprocessed = z
  .object({
    candidate_count: int,
    evidence_block_count: int,
    top_similarity: optional(z.number()),
    relevance_level: optional(z.enum(['PRECISE', 'REFERENCE'])),
    is_low_quality: z.boolean(),
    completeness_hint: bilingual,
    blocks: z.array(block),
    rerank_trace: z.array(rerankItem),
    dropped: z.array(dropped),
  })
  .transform((json) => ({
    candidateCount: json.candidate_count,
    evidenceBlockCount: json.evidence_block_count,
    topSimilarity: json.top_similarity,
    relevanceLevel: json.relevance_level,
    isLowQuality: json.is_low_quality,
    completenessHint: json.completeness_hint,
    blocks: json.blocks,
    rerankTrace: json.rerank_trace,
    dropped: json.dropped,
  }));

const pack = z
  .object({
    packed_text: z.string(),
    char_budget: z.int(),
    used_chars: z.int(),
    included_sources: z.array(z.string()),
    omitted_sources: z.array(z.string()),
  })
  .transform((json): ContextPack => ({
    packedText: json.packed_text,
    strategy: PACK_STRATEGY,
    charBudget: json.char_budget,
    usedChars: json.used_chars,
    includedSources: json.included_sources,
    omittedSources: json.omitted_sources,
  }));

const lookupResultInput = z.object({
  query: z.string(),
  postprocessed,
  pack,
  trace: z.unknown(),
});

const projectInput = z.object({ lookup_result: z.string(), tool_call_id: z.string() });
