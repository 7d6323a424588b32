import * as z from 'zod';

/** What traces and contexts are answered with. OpenAPI is generated from these. */

const duration = z.number().nullable().describe('Milliseconds; null where it was not reached, or not done.');
const instants = z.object({ started_at: z.string(), finished_at: z.string() });
const place = { start: z.int(), end: z.int() };

export const lookupTraceSchema = z
  .object({
    tool_call_id: z.string(),
    request_event_id: z.string().nullable(),
    outcome: z.string().nullable(),
    code: z.string().nullable(),
    query: z.string().nullable(),
    mode: z.string().nullable(),
    top_k: z.int().nullable(),
    query_plan: z.record(z.string(), z.unknown()).nullable(),
    retrieval_trace: z.record(z.string(), z.unknown()).nullable().describe("The retriever's own account."),
    retrieved_hits: z
      .array(
        z.object({
          evidence_key: z.string(),
          document_id: z.string().nullable(),
          original_rank: z.int().nullable(),
          score: z.number().nullable(),
          score_label: z.string().nullable(),
          attempt: z.string().nullable(),
        }),
      )
      .nullable()
      .describe("In retrieval's order."),
    reranked_hits: z
      .array(
        z.object({
          evidence_key: z.string(),
          original_rank: z.int().nullable(),
          final_rank: z.int().nullable(),
          quality_score: z.number().nullable(),
          dropped: z.string().nullable().describe('Why it is no evidence.'),
        }),
      )
      .nullable()
      .describe(
        'All of them in their final order, each with its final rank or the reason why it was dropped.',
      ),
    left_out: z
      .object({ retrieved: z.int(), reranked: z.int() })
      .describe('Hits that the audit did not keep, for want of room.'),
    measured: z.object({
      retrieve: instants.nullable(),
      postprocess: instants.nullable(),
      project: instants.nullable(),
    }),
    durations: z.object({
      plan: duration,
      retrieve: duration,
      postprocess: duration,
      project: duration,
      assemble: duration,
      total: duration,
    }),
  })
  .meta({ id: 'LookupTrace', description: 'How the evidence of a lookup came about, without its texts.' });

const budget = z.object({ tokens: z.int(), encoding: z.string() }).nullable();

const recordedCitation = z.object({
  citation_id: z.string(),
  tool_call_id: z.string(),
  document_id: z.string(),
  ...place,
});

const citation = recordedCitation.extend({
  source_name: z.string().nullable(),
  source_path: z.string().nullable(),
  source_uri: z.string().nullable(),
  page_number: z.int().nullable(),
  section_title: z.string().nullable(),
  evidence_key: z.string().nullable(),
  snippet: z.string(),
});

const recorded = {
  context_id: z.string(),
  run_id: z.string(),
  query: z.string(),
  text_sha256: z.string(),
  budget,
  tool_call_ids: z.array(z.string()),
  item_count: z.int(),
};

export const contextSchema = z.object({ ...recorded, text: z.string(), citations: z.array(citation) }).meta({
  id: 'Context',
  description: 'One text for a prompt, and its sources; recorded before it is sent.',
});

export const recordedContextSchema = z
  .object({
    ...recorded,
    text: z.string().nullable().describe('Made again from the ledger; null where it is gone.'),
    gone: z.string().nullable().describe('Why there is no text any more.'),
    citations: z.array(z.union([citation, recordedCitation])),
  })
  .meta({ id: 'RecordedContext', description: 'A context as it was recorded.' });

const marker = z.object({ ...place, text: z.string() });

export const spansSchema = z
  .object({
    context_id: z.string().nullable(),
    unit: z.enum(['utf16', 'code_points', 'utf8_bytes']),
    claims: z.array(
      z.object({
        ...place,
        kind: z.string(),
        citations: z.array(z.string()),
        unknown: z.array(marker),
        copied: z.array(marker),
        needs_citation: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'AnswerSpans', description: 'What each sentence of an answer cites.' });

const score = z.number().nullable();

export const runTraceSchema = z
  .object({
    run_id: z.string(),
    lookups: z.array(lookupTraceSchema),
    contexts: z.array(z.record(z.string(), z.unknown())),
    generations: z.array(
      z.object({
        draft_id: z.string(),
        source: z.enum(['SUBMITTED', 'REPORTED']),
        event_id: z.string(),
        at: z.string(),
        provider: z.string().nullable(),
        model: z.string().nullable(),
        request_id: z.string().nullable(),
        input_tokens: z.int().nullable(),
        output_tokens: z.int().nullable(),
        total_tokens: z.int().nullable(),
        cost: z.string().nullable(),
        currency: z.string().nullable(),
      }),
    ),
    guards: z.array(z.record(z.string(), z.unknown())),
    judgements: z.array(
      z.object({
        draft_id: z.string(),
        event_id: z.string(),
        station: z.string(),
        outcome: z.string(),
        code: z.string().nullable(),
        model: z.string().nullable(),
        prompt_sha256: z.string().nullable(),
        scores: z.object({ faithfulness: score, context_relevance: score, answer_relevance: score }),
        reason: z.string().nullable(),
        measured: instants,
      }),
    ),
    truncated: z.boolean(),
  })
  .meta({ id: 'RunTrace', description: "How a run's evidence came about, and what its model used." });

export const usageAnswerSchema = z
  .object({
    run_id: z.string(),
    draft_id: z.string(),
    event_id: z.string(),
    repeat: z.boolean().describe('True where the same was filled in last already.'),
  })
  .meta({ id: 'UsageRecorded', description: 'It is recorded.' });
