import type { FastifyReply } from 'fastify';
import { draftSubmitted, type DraftHandIn } from '../../producers/drafts.js';
import { ProoflineError } from '../contracts/errors.js';
import type { DraftSubmitted } from '../contracts/generated.js';
import type { JsonObject } from '../contracts/json.js';
import { submissionToJson } from '../line/door-client.js';
import { verdictIdOf, type SubmissionAnswer } from '../line/doors.js';
import { keptAnswers, settledAnswer } from '../line/kept-answers.js';
import { findDraft } from '../line/whereabouts.js';
import { limitsOf } from './lookups.js';
import {
  assertIds,
  idOf,
  milliseconds,
  notFound,
  pathOf,
  sendJson,
  sendPending,
  waiting,
  type GatewayApp,
  type RouteContext,
} from './route-kit.js';
import {
  draftAnswerSchema,
  draftBody,
  draftParams,
  idempotencyHeaders,
  pendingDraftSchema,
  problems,
  runParams,
  waitQuery,
  type DraftBody,
} from './schemas.js';

/** Drafts: handed in, waited for, asked after. */

/** Escapes make a text longer; one of characters beyond the basic plane, written as `\uXXXX`, three times. */
const ESCAPED = 3;
const REST_BYTES = 64 * 1024;

const answers = {
  200: draftAnswerSchema,
  202: pendingDraftSchema,
  ...problems,
};

export function draftRoutes(app: GatewayApp, context: RouteContext): void {
  app.post(
    '/v1/runs/:run_id/drafts',
    {
      config: { scopes: ['submit'] },
      bodyLimit: context.draftBytes * ESCAPED + REST_BYTES,
      schema: {
        operationId: 'submitDraft',
        summary: 'Hand in a draft, or give the run up',
        tags: ['drafts'],
        params: runParams,
        querystring: waitQuery,
        headers: idempotencyHeaders,
        body: draftBody,
        response: answers,
      },
    },
    async (request, reply) => {
      const { run_id: runId } = request.params;
      const line = context.line();
      const draftId = idOf('draft_id', request.body.draft_id, request.headers['idempotency-key']);
      assertSize(request.body, context.draftBytes);
      const message = draftSubmitted(draftOf(runId, draftId, request.body), line.emitter.now());
      await assertNoOther(context, message);
      const answer = await waiting(context, request, reply, (how) =>
        line.submit(message, milliseconds(request.query.wait), how),
      );
      // Another text under this id was judged first, perhaps in the same moment.
      if (answer?.reviewed.code === 'PL_REPEAT_CONFLICT') throw conflict(draftId);
      return sendOrPending(reply, { run_id: runId, draft_id: draftId }, answer);
    },
  );

  app.get(
    '/v1/runs/:run_id/drafts/:draft_id',
    {
      config: { scopes: ['read', 'submit'] },
      schema: {
        operationId: 'getDraft',
        summary: 'What became of a draft that was handed in before',
        tags: ['drafts'],
        params: draftParams,
        querystring: waitQuery,
        response: answers,
      },
    },
    async (request, reply) => {
      const { run_id: runId, draft_id: draftId } = request.params;
      assertIds(request.params);
      const line = context.line();
      const answer = await waiting(context, request, reply, async (how) => {
        const place = await findDraft(line, runId, draftId);
        if (place === null) throw notFound(`draft ${draftId} of run ${runId}`);
        const { eventId, verdict } = place;
        const settled =
          verdict === null ? null : await settledAnswer(keptAnswers(line.audit, line.codec), verdict);
        return (
          settled ?? line.draftAnswer({ runId, draftId, eventId }, milliseconds(request.query.wait), how)
        );
      });
      return sendOrPending(reply, request.params, answer);
    },
  );
}

/** @throws ProoflineError PL_BODY_TOO_LARGE */
function assertSize({ draft_json: text }: DraftBody, limit: number): void {
  if (text !== null && text !== undefined && Buffer.byteLength(text) > limit)
    throw new ProoflineError('PL_BODY_TOO_LARGE', { limit });
}

function draftOf(runId: string, draftId: string, body: DraftBody): DraftHandIn {
  const { generation } = body;
  return {
    runId,
    draftId,
    draftJson: body.draft_json ?? null,
    attempt: body.attempt ?? 1,
    prompt: body.prompt ?? null,
    generation:
      generation === null || generation === undefined
        ? null
        : {
            provider: generation.provider ?? null,
            model: generation.model ?? null,
            requestId: generation.request_id ?? null,
            inputTokens: generation.input_tokens ?? null,
            outputTokens: generation.output_tokens ?? null,
            totalTokens: generation.total_tokens ?? null,
            cost: generation.cost ?? null,
            currency: generation.currency ?? null,
          },
    limits: limitsOf(body.limits),
  };
}

/** A draft_id is judged once: another text under it is told so at once, where the first is known. */
async function assertNoOther({ line }: RouteContext, draft: DraftSubmitted): Promise<void> {
  const { audit, codec } = line();
  const first = await keptAnswers(audit, codec).verdict(draft.runId, draft.draftId);
  if (first !== null && first.eventId !== verdictIdOf(draft)) throw conflict(draft.draftId);
}

function conflict(draftId: string): ProoflineError {
  return new ProoflineError('PL_REPEAT_CONFLICT', { what: `draft ${draftId}` });
}

function sendOrPending(
  reply: FastifyReply,
  ids: { readonly run_id: string; readonly draft_id: string },
  answer: SubmissionAnswer | null,
): FastifyReply {
  return answer === null
    ? sendPending(reply, pathOf(ids.run_id, 'drafts', ids.draft_id), ids)
    : sendDraft(reply, ids, answer);
}

export function sendDraft(
  reply: FastifyReply,
  { run_id, draft_id }: { readonly run_id: string; readonly draft_id: string },
  answer: SubmissionAnswer,
): FastifyReply {
  const body: JsonObject = {
    run_id,
    draft_id,
    decision: answer.reviewed.decision,
    ...submissionToJson(answer),
  };
  return sendJson(reply, body);
}
