import { scoresOf, type Convention } from './convention.js';
import { known } from './span.js';

/**
 * The OpenTelemetry semantic conventions for generative AI
 * (https://github.com/open-telemetry/semantic-conventions-genai). What they have no name for is under `proofline.`.
 */
export const genAi: Convention = {
  run: ({ runId }) => ({
    name: 'invoke_agent',
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.conversation.id': runId },
  }),

  lookup: ({ toolCallId, outcome, code }) => ({
    name: `execute_tool ${TOOL}`,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': TOOL,
      'gen_ai.tool.call.id': toolCallId,
      'gen_ai.tool.type': 'function',
      ...known({ 'proofline.outcome': outcome, 'error.type': code }),
    },
  }),

  retrieve: ({ toolCallId, query, topK, mode, retrievedHits, leftOut }, textOf) => {
    const documents = (retrievedHits ?? []).map((hit) => ({
      id: hit.evidenceKey,
      score: hit.score,
      ...known({ content: textOf(toolCallId, hit) }),
    }));
    return {
      name: 'retrieval',
      attributes: {
        'gen_ai.operation.name': 'retrieval',
        ...known({
          'gen_ai.retrieval.query.text': query,
          'gen_ai.retrieval.top_k': topK,
          'gen_ai.retrieval.documents': retrievedHits === null ? null : JSON.stringify(documents),
          'proofline.retrieval.mode': mode,
        }),
        'proofline.retrieval.left_out': leftOut.retrieved,
      },
    };
  },

  postprocess: ({ rerankedHits, leftOut }) => ({
    name: 'postprocess',
    attributes: {
      'proofline.reranked_hits': JSON.stringify(
        (rerankedHits ?? []).map(({ evidenceKey, originalRank, finalRank, dropped }) => ({
          id: evidenceKey,
          original_rank: originalRank,
          final_rank: finalRank,
          dropped,
        })),
      ),
      'proofline.left_out': leftOut.reranked,
    },
  }),

  project: ({ outcome, code }) => ({
    name: 'project',
    attributes: known({ 'proofline.outcome': outcome, 'error.type': code }),
  }),

  context: ({ contextId, textSha256, budget, toolCallIds, citations }) => ({
    name: 'assemble_context',
    attributes: {
      'proofline.context.id': contextId,
      'proofline.context.sha256': textSha256,
      'proofline.context.tool_call_ids': toolCallIds,
      'proofline.context.citations': citations.length,
      ...known({
        'proofline.context.budget': budget?.tokens ?? null,
        'proofline.context.encoding': budget?.encoding ?? null,
      }),
    },
  }),

  generation: ({ provider, model, requestId, inputTokens, outputTokens, totalTokens, cost, currency }) => ({
    name: model === null ? 'chat' : `chat ${model}`,
    attributes: {
      'gen_ai.operation.name': 'chat',
      ...known({
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
        'gen_ai.usage.input_tokens': inputTokens,
        'gen_ai.usage.output_tokens': outputTokens,
        'proofline.usage.total_tokens': totalTokens,
        'proofline.request_id': requestId,
        'proofline.cost': cost,
        'proofline.currency': currency,
      }),
    },
  }),

  guard: ({ outcome, violationCodes }) => ({
    name: 'guard',
    attributes: { 'proofline.outcome': outcome, 'proofline.violations': violationCodes },
  }),

  judgement: (judgement) => {
    const { outcome, code, model, promptSha256, reason } = judgement;
    return {
      name: 'evaluate',
      attributes: known({
        'proofline.outcome': outcome,
        'gen_ai.request.model': model,
        'proofline.prompt_sha256': promptSha256,
        'error.type': code,
      }),
      events: scoresOf(judgement).map(([name, score]) => ({
        name: 'gen_ai.evaluation.result',
        attributes: known({
          'gen_ai.evaluation.name': name,
          'gen_ai.evaluation.score.value': score,
          'gen_ai.evaluation.explanation': reason === '' ? null : reason,
        }),
      })),
    };
  },
};

const TOOL = 'lookup_knowledge';
