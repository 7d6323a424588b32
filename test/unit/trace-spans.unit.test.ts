import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import type { ToolInvocation } from '../../src/contracts/generated.js';
import { genAi } from '../../src/trace/gen-ai.js';
import { openInference } from '../../src/trace/openinference.js';
import { otlpJson } from '../../src/trace/otlp-json.js';
import { runTrace, type RunTrace } from '../../src/trace/run-trace.js';
import type { TraceSpan } from '../../src/trace/span.js';
import { traceSpans, type SpansOptions } from '../../src/trace/trace-spans.js';

const TRACE_ID = 'a'.repeat(32);

/** An event of the audit with what the test is about. */
function event(fields: Partial<ToolInvocation> & { facts?: object }): ToolInvocation {
  const { facts = {}, ...rest } = fields;
  return {
    eventId: `event-${rest.kind ?? ''}`,
    causedBy: 'request-1',
    runId: 'run-1',
    occurredAt: 1000,
    station: 'retrieve',
    version: '0',
    kind: 'RETRIEVE',
    toolCallId: null,
    toolName: null,
    draftId: null,
    outcome: 'HITS',
    code: null,
    query: null,
    evidenceStatus: null,
    relevanceLevel: null,
    topSimilarity: null,
    isLowQuality: null,
    countIn: 0,
    countOut: 0,
    dropped: [],
    cuts: [],
    retrievalTraceJson: null,
    violationCodes: [],
    factsJson: JSON.stringify(facts),
    measured: { startedAt: 1000, finishedAt: 1010 },
    ext: {},
    ...rest,
  };
}

const retrieved_hits = [
  { evidence_key: 'gw#chunk-0', document_id: 'gw', original_rank: 1, score: 0.9 },
  { evidence_key: 'gw#chunk-1', document_id: 'gw', original_rank: 2, score: 0.4 },
];
const reranked_hits = [
  { evidence_key: 'gw#chunk-0', original_rank: 1, final_rank: 1, quality_score: 0.9 },
  { evidence_key: 'gw#chunk-1', original_rank: 2, dropped: 'BLANK' },
];

function traceOf(more: readonly ToolInvocation[] = []): RunTrace {
  const invocations = [
    event({
      toolCallId: 'c1',
      query: 'gateway timeout',
      retrievalTraceJson: '{"rerank_model":"bge"}',
      facts: { mode: 'hybrid', top_k: 10, retrieved_hits },
    }),
    event({
      kind: 'POSTPROCESS',
      toolCallId: 'c1',
      measured: { startedAt: 1010, finishedAt: 1012 },
      facts: { reranked_hits },
    }),
    event({
      kind: 'PROJECT',
      toolCallId: 'c1',
      outcome: 'READY',
      measured: { startedAt: 1012, finishedAt: 1020 },
    }),
    event({
      kind: 'GUARD',
      draftId: 'd1',
      outcome: 'REJECTED',
      violationCodes: ['B1'],
      measured: { startedAt: 1030, finishedAt: 1031 },
    }),
    event({
      kind: 'GENERATION_USAGE',
      draftId: 'd1',
      occurredAt: 1040,
      facts: {
        provider: 'example',
        model: 'm-1',
        request_id: 'req-1',
        input_tokens: 120,
        output_tokens: 30,
        total_tokens: 150,
        cost: '0.0042',
        currency: 'USD',
      },
    }),
    event({
      kind: 'JUDGE_EVALUATION',
      draftId: 'd1',
      outcome: 'JUDGED',
      station: 'review',
      measured: { startedAt: 1050, finishedAt: 1060 },
      facts: {
        model: 'judge-1',
        prompt_sha256: 'b'.repeat(64),
        scores: { faithfulness: 0.5, context_relevance: null, answer_relevance: 1 },
        reason: 'half of it',
      },
    }),
    ...more,
  ];
  return runTrace({ runId: 'run-1', invocations, submitted: [], truncated: false });
}

function spansOf(
  options: Partial<SpansOptions> = {},
  trace = traceOf(),
): (name: string) => TraceSpan & { readonly attributes: Record<string, unknown> } {
  const spans = traceSpans(trace, { traceId: TRACE_ID, convention: openInference, ...options }, sha256);
  return (name) => spans.find((span) => span.name === name) ?? expect.unreachable(`no span ${name}`);
}

describe('spans by the OpenInference conventions', () => {
  test('name every kind, and flatten documents', () => {
    const span = spansOf({ textOf: (_, { evidenceKey }) => `text of ${evidenceKey}` });
    const kind = 'openinference.span.kind';
    expect(span('run run-1').attributes).toMatchObject({ [kind]: 'CHAIN', 'session.id': 'run-1' });
    expect(span('lookup_knowledge').attributes).toMatchObject({
      [kind]: 'TOOL',
      'tool.name': 'lookup_knowledge',
      'tool.id': 'c1',
      'input.value': 'gateway timeout',
      'input.mime_type': 'text/plain',
    });
    expect(span('retrieve').attributes).toMatchObject({
      [kind]: 'RETRIEVER',
      'input.value': 'gateway timeout',
      'retrieval.documents.0.document.id': 'gw#chunk-0',
      'retrieval.documents.0.document.score': 0.9,
      'retrieval.documents.0.document.content': 'text of gw#chunk-0',
      'retrieval.documents.1.document.id': 'gw#chunk-1',
    });
    expect(span('postprocess').attributes).toMatchObject({
      [kind]: 'RERANKER',
      'reranker.query': 'gateway timeout',
      'reranker.model_name': 'bge',
      'reranker.input_documents.1.document.id': 'gw#chunk-1',
      'reranker.output_documents.0.document.id': 'gw#chunk-0',
      'reranker.output_documents.0.document.score': 0.9,
    });
    expect(span('postprocess').attributes).not.toHaveProperty('reranker.output_documents.1.document.id');
    expect(span('m-1').attributes).toMatchObject({
      [kind]: 'LLM',
      'llm.provider': 'example',
      'llm.model_name': 'm-1',
      'llm.token_count.prompt': 120,
      'llm.token_count.completion': 30,
      'llm.token_count.total': 150,
      'llm.cost.total': 0.0042,
    });
    expect(span('guard').attributes).toMatchObject({ [kind]: 'GUARDRAIL', 'output.value': 'REJECTED' });
    expect(span('judge').attributes).toMatchObject({
      [kind]: 'EVALUATOR',
      'llm.model_name': 'judge-1',
      'evaluations.0.evaluation.name': 'faithfulness',
      'evaluations.0.evaluation.score': 0.5,
      'evaluations.0.evaluation.explanation': 'half of it',
      'evaluations.1.evaluation.name': 'answer_relevance',
      'evaluations.1.evaluation.score': 1,
    });
    expect(span('judge').attributes).not.toHaveProperty('evaluations.2.evaluation.name');
  });

  test('given a price in another currency, it is no price in US dollars', () => {
    const other = event({
      kind: 'GENERATION_USAGE',
      draftId: 'd1',
      facts: { model: 'm-1', cost: '3', currency: 'CNY' },
    });
    const { attributes } = spansOf({}, traceOf([other]))('m-1');
    expect(attributes).not.toHaveProperty('llm.cost.total');
    expect(JSON.parse(String(attributes['metadata']))).toMatchObject({ cost: '3', currency: 'CNY' });
  });

  test('have no text of a hit unasked', () => {
    expect(Object.keys(spansOf()('retrieve').attributes).join()).not.toContain('document.content');
  });
});

describe('spans by the OpenTelemetry conventions for generative AI', () => {
  test('name every operation', () => {
    const span = spansOf({ convention: genAi });
    expect(span('invoke_agent').attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': 'run-1',
    });
    expect(span('execute_tool lookup_knowledge').attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'lookup_knowledge',
      'gen_ai.tool.call.id': 'c1',
    });
    const retrieval = span('retrieval').attributes;
    expect(retrieval).toMatchObject({
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.query.text': 'gateway timeout',
      'gen_ai.retrieval.top_k': 10,
    });
    expect(JSON.parse(String(retrieval['gen_ai.retrieval.documents']))).toEqual([
      { id: 'gw#chunk-0', score: 0.9 },
      { id: 'gw#chunk-1', score: 0.4 },
    ]);
    expect(span('chat m-1').attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'example',
      'gen_ai.request.model': 'm-1',
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.usage.output_tokens': 30,
      'proofline.cost': '0.0042',
    });
    expect(span('evaluate').events).toEqual([
      {
        name: 'gen_ai.evaluation.result',
        attributes: {
          'gen_ai.evaluation.name': 'faithfulness',
          'gen_ai.evaluation.score.value': 0.5,
          'gen_ai.evaluation.explanation': 'half of it',
        },
      },
      expect.objectContaining({ name: 'gen_ai.evaluation.result' }),
    ]);
  });
});

describe('the spans of a run', () => {
  test('are the same ones whenever they are made, and hang together', () => {
    const make = () => traceSpans(traceOf(), { traceId: TRACE_ID, convention: genAi }, sha256);
    expect(make()).toEqual(make());
    const spans = make();
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(spans.length);
    const [root, ...others] = spans;
    expect(root).toMatchObject({ parentSpanId: null, startedAt: 1000, finishedAt: 1060 });
    for (const { parentSpanId, spanId, startedAt, finishedAt } of others) {
      expect(ids.has(parentSpanId!)).toBe(true);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(finishedAt).toBeGreaterThanOrEqual(startedAt);
    }
    const [lookup, retrieval] = [spansOf({ convention: genAi })('execute_tool lookup_knowledge')].concat(
      spansOf({ convention: genAi })('retrieval'),
    );
    expect(retrieval?.parentSpanId).toBe(lookup?.spanId);
  });

  test('of a run that was not measured are none', () => {
    const empty = runTrace({ runId: 'r', invocations: [], submitted: [], truncated: false });
    expect(traceSpans(empty, { traceId: TRACE_ID, convention: genAi }, sha256)).toEqual([]);
  });

  test('are one request of the OpenTelemetry protocol as JSON', () => {
    const spans = traceSpans(traceOf(), { traceId: TRACE_ID, convention: genAi }, sha256);
    const json = JSON.parse(JSON.stringify(otlpJson(spans))) as {
      resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[];
    };
    const [root, lookup] = json.resourceSpans[0]!.scopeSpans[0]!.spans;
    expect(root).not.toHaveProperty('parentSpanId');
    expect(root).toMatchObject({
      traceId: TRACE_ID,
      kind: 1,
      startTimeUnixNano: '1000000000',
      endTimeUnixNano: '1060000000',
    });
    expect(lookup).toMatchObject({ parentSpanId: root?.['spanId'] });
    expect(json.resourceSpans[0]!.scopeSpans[0]!.spans[2]!['attributes']).toContainEqual({
      key: 'gen_ai.retrieval.top_k',
      value: { intValue: '10' },
    });
  });
});

describe('what was filled in', () => {
  test('given several of a draft, the last one counts; given none, what the draft came with', () => {
    const usage = (cost: string) => event({ kind: 'GENERATION_USAGE', draftId: 'd1', facts: { cost } });
    expect(traceOf([usage('1'), usage('2')]).generations).toMatchObject([
      { draftId: 'd1', cost: '2', source: 'REPORTED' },
    ]);
    const generation = {
      provider: null,
      model: 'm-0',
      requestId: null,
      inputTokens: 1,
      outputTokens: 2,
      totalTokens: 3,
      cost: null,
      currency: null,
    };
    const submitted = [{ draftId: 'd2', generation, eventId: 'v', at: 5 }];
    const trace = runTrace({ runId: 'r', invocations: [], submitted, truncated: false });
    expect(trace.generations).toEqual([
      { draftId: 'd2', eventId: 'v', at: 5, source: 'SUBMITTED', ...generation },
    ]);
  });

  test('given judgements of a draft, the last one counts', () => {
    const failed = event({
      kind: 'JUDGE_EVALUATION',
      draftId: 'd1',
      outcome: 'FAILED',
      code: 'PL_JUDGE_DOWN',
    });
    expect(traceOf([failed]).judgements).toMatchObject([
      { outcome: 'FAILED', code: 'PL_JUDGE_DOWN', scores: { faithfulness: null } },
    ]);
    expect(spansOf({}, traceOf([failed]))('judge').failed).toBe(true);
  });
});
