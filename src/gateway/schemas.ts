import * as z from 'zod';
import { nestsAtMost } from '../evidence/foreign-json.js';
import { evidenceLimits } from '../evidence/limits.js';
import { recordSchema } from './record-schemas.js';
import { lookupTraceSchema } from './trace-schemas.js';

/** What is sent to the gateway, and what it answers. OpenAPI is generated from these. */

/** Ids are checked by their own rule, so that a wrong one is told with its own code; this describes them. */
const id = (what: string) =>
  z.string().meta({
    description: `${what}: 1 to 128 of A–Z a–z 0–9 . _ : @ = + -, the first a letter or digit.`,
  });

export const runParams = z.object({ run_id: id('The run') });
export const lookupParams = runParams.extend({ tool_call_id: id('The tool call') });
export const draftParams = runParams.extend({ draft_id: id('The draft') });

export const DEFAULT_WAIT_S = 10;
export const MAX_WAIT_S = 60;

export const waitQuery = z.object({
  wait: z.coerce
    .number()
    .min(0)
    .max(MAX_WAIT_S)
    .default(DEFAULT_WAIT_S)
    .describe('Seconds that the caller waits, fractions allowed; 0 asks without waiting.'),
});

export const answerQuery = waitQuery.extend({
  include_trace: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('The record whole then has a `trace`.'),
});

export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,256}$/, 'must be 1 to 256 printable ASCII characters')
    .optional()
    .describe('Names the call where the body does not: the id is derived from it.'),
});

const maybe = <T extends z.ZodType>(schema: T) => schema.nullish();

const limits = z
  .strictObject({
    deadline: maybe(z.iso.datetime({ offset: true })),
    max_lookups: maybe(z.int32()),
    max_tokens: maybe(z.int32()),
    max_attempts: maybe(z.int32()),
  })
  .meta({ id: 'Limits', description: "The run's limits. The first that come count." });

const filters = z
  .record(z.string(), z.unknown())
  .refine((value) => nestsAtMost(value, evidenceLimits.jsonDepth), 'must not be nested too deeply');

export const lookupBody = z
  .strictObject({
    tool_call_id: maybe(z.string()).describe("The model's own id of the tool call."),
    query: z.string(),
    mode: z.string().optional().describe('`hybrid` (default) or `semantic`.'),
    filters: maybe(filters).describe("The retriever's filters."),
    top_k: z.int32().optional().describe('Hits to ask for; 10 by default.'),
    ttl_ms: maybe(z.int().nonnegative()).describe('How long the evidence may be cited; 24 hours by default.'),
    include_trace: z
      .boolean()
      .nullish()
      .describe('The record whole then has a `trace`; the agent view itself never has.'),
    limits: maybe(limits),
  })
  .meta({ id: 'LookupRequest', description: 'A question to the knowledge base.' });

const prompt = z.strictObject({ id: z.string(), version: z.string(), sha256: z.string() });

const generation = z.strictObject({
  provider: maybe(z.string()),
  model: maybe(z.string()),
  request_id: maybe(z.string()),
  input_tokens: maybe(z.int32()),
  output_tokens: maybe(z.int32()),
  total_tokens: maybe(z.int32()),
  cost: maybe(z.string()),
  currency: maybe(z.string()),
});

export const draftBody = z
  .strictObject({
    draft_id: maybe(z.string()),
    draft_json: maybe(z.string()).describe("The model's text, as it wrote it."),
    given_up: maybe(z.literal(true)).describe('The agent gives the run up; then there is no draft_json.'),
    attempt: z.int32().min(1).optional().describe('Number of the draft in the run, from 1.'),
    prompt: maybe(prompt).describe('The prompt that the model was given.'),
    generation: maybe(generation).describe('What the model was, and what it used.'),
    limits: maybe(limits),
  })
  .refine(
    (body) => (body.draft_json ?? null) !== null || body.given_up === true,
    'draft_json or given_up is missing',
  )
  .refine(
    (body) => (body.draft_json ?? null) === null || body.given_up !== true,
    'draft_json and given_up are both there',
  )
  .meta({ id: 'DraftRequest', description: "An agent's report, or its giving up." });

export const decisionBody = z
  .strictObject({
    decision: z.enum(['APPROVE', 'REJECT']),
    by: z.string().min(1).max(1000).describe('Who decides; it is published. 200 characters count.'),
    reason: z.string().min(1).max(10_000).describe('Why; it is published. 2,000 characters count.'),
    verdict_event_id: maybe(
      z.string().regex(/^[0-9a-f]{32}$/, 'must be an event id, 32 hexadecimal digits'),
    ).describe('The verdict that was looked at; that of the draft where it is left out.'),
  })
  .meta({ id: 'DecisionRequest', description: 'What a person decides of a draft that is held.' });

/* What comes back. */

export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int32(),
    detail: z.string(),
    code: z.string().describe('A code of the error table, PL_….'),
    retryable: z.boolean().describe('True where the same may work later without anybody changing it.'),
    solution: z.string(),
    instance: z.string().optional(),
    text: z.object({ zh: z.string(), en: z.string() }).optional().describe('What to tell the model.'),
  })
  .meta({ id: 'Problem', description: 'RFC 9457, application/problem+json.' });

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: problemSchema } },
});

/** For the answers of every route. */
export const problems = {
  '4xx': problem('What is wrong with the request; 429 says in Retry-After when to come again.'),
  '5xx': problem('What this side cannot do now; the same may be asked again under the same id.'),
};

export const eventStream = (description: string) => ({
  description,
  content: { 'text/event-stream': { schema: z.string() } },
});

export const agentViewSchema = z
  .object({
    evidence_status: z.enum(['EVIDENCE_FOUND', 'NO_EVIDENCE']),
    tool_call_id: z.string(),
    query: z.string(),
    evidence: z.array(
      z.object({
        document_id: z.string(),
        source: z.string().nullable(),
        title: z.string().nullable(),
        breadcrumb: z.string().nullable(),
        excerpt: z.string(),
      }),
    ),
    returned_count: z.int32(),
    relevance_level: z.enum(['PRECISE', 'REFERENCE']).nullable(),
    truncated: z.boolean(),
  })
  .meta({ id: 'AgentView', description: 'What the model is given, byte for byte as the ledger has it.' });

const named = (name: string, topic: Parameters<typeof recordSchema>[0]): z.ZodType =>
  recordSchema(topic).meta({ id: name });

const projected = named('ProjectedEvidence', 'projected.v1');

export const lookupAnswerSchema = z
  .object({
    projected,
    dropped: z.array(z.record(z.string(), z.unknown())).describe('What post-processing dropped, and why.'),
    trace: lookupTraceSchema
      .nullish()
      .describe('Only with include_trace; null while the audit does not have it.'),
  })
  .meta({
    id: 'LookupAnswer',
    description: 'The record whole, with `Accept: application/vnd.proofline.lookup+json`.',
  });

export const draftAnswerSchema = z
  .object({
    run_id: z.string(),
    draft_id: z.string(),
    decision: z.enum(['PUBLISH', 'REPAIR', 'HOLD', 'FALLBACK', 'STALE']),
    verdict: named('GuardVerdict', 'verdict.v1'),
    reviewed: named('Reviewed', 'reviewed.v1'),
    verified: named('VerifiedDraft', 'verified.v1').nullable(),
    repair: named('RepairRequested', 'repair-requested.v1').nullable(),
  })
  .meta({ id: 'DraftAnswer', description: 'What became of a draft.' });

export const decisionAnswerSchema = z
  .object({
    run_id: z.string(),
    draft_id: z.string(),
    decision: z.enum(['PUBLISH', 'REPAIR', 'HOLD', 'FALLBACK', 'STALE']),
    reviewed: z.record(z.string(), z.unknown()).describe('The Reviewed that names who decided.'),
    verified: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The VerifiedDraft, when it ended the run.'),
    repair: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The RepairRequested, when one is asked for.'),
    counted: z
      .boolean()
      .describe('False where somebody else had decided first, which this is the answer to.'),
  })
  .meta({ id: 'DecisionAnswer', description: 'What came of a decision.' });

const pending = { run_id: z.string(), state: z.literal('PENDING'), location: z.string() };

export const pendingLookupSchema = z
  .object({ ...pending, tool_call_id: z.string() })
  .meta({ id: 'PendingLookup', description: 'Not there in time; it goes on.' });

export const pendingDraftSchema = z
  .object({ ...pending, draft_id: z.string() })
  .meta({ id: 'PendingDraft', description: 'Not decided in time; it goes on.' });

export const trailSchema = z
  .record(z.string(), z.unknown())
  .meta({ id: 'Trail', description: 'As `proofline trail --json` prints it.' });

export type LookupBody = z.output<typeof lookupBody>;
export type DraftBody = z.output<typeof draftBody>;
export type DecisionBody = z.output<typeof decisionBody>;
