import type { Convention, TextOfHit } from './convention.js';
import { scoresOf } from './convention.js';
import { textIn } from './facts.js';
import type { LookupTrace } from './lookup-trace.js';
import { known, type Attributes } from './span.js';

/**
 * The OpenInference semantic conventions, which Phoenix reads
 * (https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md). Lists are flattened with an index;
 * what they have no name for is in `metadata`, a JSON text.
 */
export const openInference: Convention = {
  run: ({ runId }) => ({ name: `run ${runId}`, attributes: { ...kind('CHAIN'), 'session.id': runId } }),

  lookup: ({ toolCallId, query, mode, topK, outcome, code }) => ({
    name: TOOL,
    attributes: {
      ...kind('TOOL'),
      'tool.name': TOOL,
      'tool.id': toolCallId,
      ...input(query),
      ...metadata({ mode, top_k: topK, outcome, code }),
    },
  }),

  retrieve: (lookup, textOf) => ({
    name: 'retrieve',
    attributes: {
      ...kind('RETRIEVER'),
      ...input(lookup.query),
      ...documents('retrieval.documents', retrievedDocuments(lookup, textOf)),
      ...metadata({ retrieval_trace: lookup.retrievalTrace, left_out: lookup.leftOut.retrieved }),
    },
  }),

  postprocess: (lookup, textOf) => ({
    name: 'postprocess',
    attributes: {
      ...kind('RERANKER'),
      ...known({
        'reranker.query': lookup.query,
        'reranker.model_name': textIn(lookup.retrievalTrace?.['rerank_model']),
      }),
      ...documents('reranker.input_documents', retrievedDocuments(lookup, textOf)),
      ...documents('reranker.output_documents', keptDocuments(lookup, textOf)),
      ...metadata({ dropped: droppedOf(lookup), left_out: lookup.leftOut.reranked }),
    },
  }),

  project: ({ outcome, code }) => ({
    name: 'project',
    attributes: { ...kind('CHAIN'), ...metadata({ outcome, code }) },
  }),

  context: ({ contextId, query, textSha256, budget, toolCallIds, citations }) => ({
    name: 'assemble context',
    attributes: {
      ...kind('CHAIN'),
      ...input(query),
      ...metadata({
        context_id: contextId,
        text_sha256: textSha256,
        budget,
        tool_call_ids: toolCallIds,
        citations: citations.length,
      }),
    },
  }),

  generation: ({ draftId, provider, model, requestId, source, cost, currency, ...counts }) => ({
    name: model ?? 'generation',
    attributes: {
      ...kind('LLM'),
      ...known({
        'llm.provider': provider,
        'llm.model_name': model,
        'llm.token_count.prompt': counts.inputTokens,
        'llm.token_count.completion': counts.outputTokens,
        'llm.token_count.total': counts.totalTokens,
        // The conventions count in US dollars alone.
        'llm.cost.total': currency === 'USD' && cost !== null ? Number(cost) : null,
      }),
      ...metadata({ draft_id: draftId, request_id: requestId, cost, currency, source }),
    },
  }),

  guard: ({ draftId, outcome, violationCodes }) => ({
    name: 'guard',
    attributes: {
      ...kind('GUARDRAIL'),
      'output.value': outcome,
      ...metadata({ draft_id: draftId, violations: violationCodes }),
    },
  }),

  judgement: (judgement) => {
    const { draftId, outcome, code, model, promptSha256, reason, station } = judgement;
    const evaluations = scoresOf(judgement).map(([name, score], i) => {
      const field = (part: string): string => `evaluations.${i}.evaluation.${part}`;
      return {
        [field('name')]: name,
        [field('score')]: score,
        [field('annotator_kind')]: 'LLM',
        ...(reason === null || reason === '' ? {} : { [field('explanation')]: reason }),
      };
    });
    return {
      name: 'judge',
      attributes: {
        ...kind('EVALUATOR'),
        'output.value': outcome,
        ...known({ 'llm.model_name': model }),
        ...(Object.assign({}, ...evaluations) as Attributes),
        ...metadata({ draft_id: draftId, code, prompt_sha256: promptSha256, asked_by: station }),
      },
    };
  },
};

const TOOL = 'lookup_knowledge';

function kind(name: string): Attributes {
  return { 'openinference.span.kind': name };
}

function input(query: string | null): Attributes {
  return query === null ? {} : { 'input.value': query, 'input.mime_type': 'text/plain' };
}

function metadata(fields: Readonly<Record<string, unknown>>): Attributes {
  const there = Object.entries(fields).filter(([, value]) => value !== null);
  return there.length === 0 ? {} : { metadata: JSON.stringify(Object.fromEntries(there)) };
}

interface TracedDocument {
  readonly id: string;
  readonly score: number | null;
  readonly content: string | null;
  readonly metadata: object;
}

function documents(list: string, items: readonly TracedDocument[]): Attributes {
  const flattened = items.map(({ id, score, content, metadata: more }, i) =>
    known({
      [`${list}.${i}.document.id`]: id,
      [`${list}.${i}.document.score`]: score,
      [`${list}.${i}.document.content`]: content,
      [`${list}.${i}.document.metadata`]: JSON.stringify(more),
    }),
  );
  return Object.assign({}, ...flattened) as Attributes;
}

function retrievedDocuments({ toolCallId, retrievedHits }: LookupTrace, textOf: TextOfHit): TracedDocument[] {
  return (retrievedHits ?? []).map((hit) => ({
    id: hit.evidenceKey,
    score: hit.score,
    content: textOf(toolCallId, hit),
    metadata: { document_id: hit.documentId, original_rank: hit.originalRank, score_label: hit.scoreLabel },
  }));
}

function keptDocuments({ toolCallId, rerankedHits }: LookupTrace, textOf: TextOfHit): TracedDocument[] {
  return (rerankedHits ?? [])
    .filter(({ finalRank }) => finalRank !== null)
    .map((hit) => ({
      id: hit.evidenceKey,
      score: hit.qualityScore,
      content: textOf(toolCallId, hit),
      metadata: { final_rank: hit.finalRank, original_rank: hit.originalRank },
    }));
}

function droppedOf({ rerankedHits }: LookupTrace): object[] {
  return (rerankedHits ?? [])
    .filter(({ dropped }) => dropped !== null)
    .map(({ evidenceKey, originalRank, dropped }) => ({
      evidence_key: evidenceKey,
      original_rank: originalRank,
      dropped,
    }));
}
