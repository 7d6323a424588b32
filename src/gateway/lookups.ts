import type { FastifyReply, FastifyRequest } from 'fastify';
import { lookupRequested, type Lookup } from '../../producers/lookups.js';
import { ProoflineError } from '../contracts/errors.js';
import type { Limits, ProjectedEvidence } from '../contracts/generated.js';
import type { JsonObject } from '../contracts/json.js';
import { instantToJson, recordToJson } from '../contracts/record-json.js';
import { droppedOf } from '../line/door-client.js';
import { keptAnswers } from '../line/kept-answers.js';
import { readLookupTrace, traceJson } from '../line/read-trace.js';
import { findLookup } from '../line/whereabouts.js';
import type { GatewayLine } from './gateway-line.js';
import { failureProblem, sendProblem } from './problems.js';
import {
  assertIds,
  idOf,
  milliseconds,
  notFound,
  pathOf,
  sendPending,
  unlessDown,
  waiting,
  type GatewayApp,
  type RouteContext,
} from './route-kit.js';
import {
  agentViewSchema,
  answerQuery,
  idempotencyHeaders,
  lookupAnswerSchema,
  lookupBody,
  lookupParams,
  pendingLookupSchema,
  problems,
  runParams,
  waitQuery,
  type LookupBody,
} from './schemas.js';

/** Lookups: asked, waited for, asked after. */

/** With it in `Accept` the answer is the record whole, failures and refusals too. */
export const RECORD_TYPE = 'application/vnd.proofline.lookup+json';

const BODY_BYTES = 512 * 1024;

const answers = {
  200: {
    description: 'The agent view, byte for byte; or, where Accept asks for it, the record whole.',
    content: {
      'application/json': { schema: agentViewSchema },
      [RECORD_TYPE]: { schema: lookupAnswerSchema },
    },
  },
  202: pendingLookupSchema,
  ...problems,
};

export function lookupRoutes(app: GatewayApp, context: RouteContext): void {
  app.post(
    '/v1/runs/:run_id/lookups',
    {
      config: { scopes: ['lookup'] },
      bodyLimit: BODY_BYTES,
      schema: {
        operationId: 'lookup',
        summary: 'Ask the knowledge base',
        tags: ['lookups'],
        params: runParams,
        querystring: waitQuery,
        headers: idempotencyHeaders,
        body: lookupBody,
        response: answers,
      },
    },
    async (request, reply) => {
      const { run_id: runId } = request.params;
      const line = context.line();
      const id = idOf('tool_call_id', request.body.tool_call_id, request.headers['idempotency-key']);
      const message = lookupRequested(lookupOf(runId, id, request.body), line.emitter.now());
      line.assertCanLookUp?.();
      const kept = await unlessDown(keptAnswers(line.audit, line.codec).lookup(runId, message.eventId));
      const withTrace = request.body.include_trace === true;
      if (kept !== null) return sendLookup(context, request, reply, { ...kept, repeat: true }, withTrace);
      const projected = await waiting(context, request, reply, (how) =>
        line.lookup(message, milliseconds(request.query.wait), how),
      );
      return sendOrPending(
        context,
        request,
        reply,
        { run_id: runId, tool_call_id: id },
        projected,
        withTrace,
      );
    },
  );

  app.get(
    '/v1/runs/:run_id/lookups/:tool_call_id',
    {
      config: { scopes: ['read', 'lookup'] },
      schema: {
        operationId: 'getLookup',
        summary: 'The answer to a lookup that was asked before',
        tags: ['lookups'],
        params: lookupParams,
        querystring: answerQuery,
        response: answers,
      },
    },
    async (request, reply) => {
      const { run_id: runId, tool_call_id: toolCallId } = request.params;
      assertIds(request.params);
      const line = context.line();
      const projected = await waiting(context, request, reply, async (how) => {
        const place = await findLookup(line, runId, toolCallId);
        if (place === null) throw notFound(`lookup ${toolCallId} of run ${runId}`);
        if (place.answer !== null) return place.answer;
        const ref = { runId, eventId: place.requestEventId };
        return line.lookupAnswer(ref, milliseconds(request.query.wait), how);
      });
      const withTrace = request.query.include_trace;
      return sendOrPending(context, request, reply, request.params, projected, withTrace);
    },
  );
}

function lookupOf(runId: string, toolCallId: string, body: LookupBody): Lookup {
  const { query, mode, filters, top_k: topK, ttl_ms: ttlMs, include_trace: includeTrace, limits } = body;
  return {
    runId,
    toolCallId,
    query,
    ...(mode === undefined ? {} : { mode }),
    filters: filters ?? {},
    ...(topK === undefined ? {} : { topK }),
    ttlMs: ttlMs ?? null,
    includeTrace: includeTrace ?? false,
    limits: limitsOf(limits),
  };
}

/** Limits as messages have them. */
export function limitsOf(limits: LookupBody['limits']): Limits | null {
  if (limits === null || limits === undefined) return null;
  const { deadline, max_lookups: maxLookups, max_tokens: maxTokens, max_attempts: maxAttempts } = limits;
  return {
    deadline: deadline === null || deadline === undefined ? null : Date.parse(deadline),
    maxLookups: maxLookups ?? null,
    maxTokens: maxTokens ?? null,
    maxAttempts: maxAttempts ?? null,
  };
}

function sendOrPending(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  ids: { readonly run_id: string; readonly tool_call_id: string },
  projected: ProjectedEvidence | null,
  withTrace: boolean,
): FastifyReply | Promise<FastifyReply> {
  return projected === null
    ? sendPending(reply, pathOf(ids.run_id, 'lookups', ids.tool_call_id), ids)
    : sendLookup(context, request, reply, projected, withTrace);
}

/** The agent view goes out as it is in the record: it is never parsed, and never written again. */
async function sendLookup(
  { line }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  projected: ProjectedEvidence,
  withTrace: boolean,
): Promise<FastifyReply> {
  describe(reply, projected);
  if (request.headers.accept?.includes(RECORD_TYPE) === true) {
    const dropped = projected.state === 'READY' ? await droppedOf(line(), projected) : [];
    const trace = withTrace ? { trace: await traceOfLookup(line(), projected) } : {};
    const answer = { projected: recordToJson('projected.v1', projected), dropped, ...trace };
    return reply.type(RECORD_TYPE).send(JSON.stringify(answer));
  }
  const { agentView, failure, state } = projected;
  if (agentView !== null) return reply.type('application/json').send(agentView);
  if (failure === null) throw new ProoflineError('PL_INVARIANT', { problem: 'neither view nor failure' });
  return sendProblem(request, reply, failureProblem(state === 'REFUSED' ? 409 : 424, failure));
}

/** Null where the audit does not have it: the answer does not depend on that. */
async function traceOfLookup(
  line: GatewayLine,
  { runId, toolCallId }: ProjectedEvidence,
): Promise<JsonObject | null> {
  const trace = await unlessDown(readLookupTrace(line, runId, toolCallId));
  return trace === null ? null : traceJson(trace);
}

function describe(reply: FastifyReply, projected: ProjectedEvidence): void {
  const { toolCallId, eventId, agentViewSha256, gain, repeat, expiresAt } = projected;
  void reply
    .header('cache-control', 'no-store')
    .header('proofline-tool-call-id', toolCallId)
    .header('proofline-event-id', eventId)
    .header('proofline-repeat', String(repeat));
  if (agentViewSha256 !== null) void reply.header('proofline-agent-view-sha256', agentViewSha256);
  if (gain !== null && !repeat) void reply.header('proofline-gain', gain);
  if (expiresAt !== null) void reply.header('proofline-expires-at', instantToJson(expiresAt));
}
