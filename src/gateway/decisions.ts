import { ProoflineError } from '../contracts/errors.js';
import { decideHeld } from '../line/decide-held.js';
import { heldOf } from '../line/held-drafts.js';
import type { GatewayLine } from './gateway-line.js';
import {
  assertIds,
  milliseconds,
  pathOf,
  sendJson,
  sendPending,
  waiting,
  type GatewayApp,
  type RouteContext,
} from './route-kit.js';
import {
  decisionAnswerSchema,
  decisionBody,
  draftParams,
  pendingDraftSchema,
  problems,
  waitQuery,
} from './schemas.js';

/** What a person decides of a draft that is held. */
export function decisionRoute(app: GatewayApp, context: RouteContext): void {
  app.post(
    '/v1/runs/:run_id/drafts/:draft_id/decisions',
    {
      config: { scopes: ['review'] },
      schema: {
        operationId: 'decideDraft',
        summary: 'Approve or reject a draft that is held',
        tags: ['drafts'],
        params: draftParams,
        querystring: waitQuery,
        body: decisionBody,
        response: { 200: decisionAnswerSchema, 202: pendingDraftSchema, ...problems },
      },
    },
    async (request, reply) => {
      assertIds(request.params);
      const { run_id: runId, draft_id: draftId } = request.params;
      const { decision, by, reason, verdict_event_id: verdictEventId } = request.body;
      const line = context.line();
      const handIn = { runId, draftId, decision, by, reason };
      const answer = await waiting(context, request, reply, async () => {
        if (verdictEventId !== null && verdictEventId !== undefined)
          await assertHolds(line, runId, draftId, verdictEventId);
        return decideHeld(line, handIn, milliseconds(request.query.wait));
      });
      if (answer === null) return sendPending(reply, pathOf(runId, 'drafts', draftId), request.params);
      const { reviewed } = answer;
      const body = { run_id: runId, draft_id: draftId, decision: reviewed['decision'], ...answer };
      return sendJson(reply, body);
    },
  );
}

/** The person looked at another verdict than the one that is held. */
async function assertHolds(
  line: GatewayLine,
  runId: string,
  draftId: string,
  verdictEventId: string,
): Promise<void> {
  const entry = await heldOf(line.bus, line.codec, runId);
  if (entry?.held.verdict.eventId === verdictEventId) return;
  const problem = 'what is held is not the verdict that was named';
  throw new ProoflineError('PL_REVIEW_REFUSED', { run_id: runId, draft_id: draftId, problem });
}
