import * as z from 'zod';
import { ProoflineError } from '../contracts/errors.js';
import { toSnakeJson, type JsonObject } from '../contracts/json.js';
import type { RecordedContext } from '../context/recorded-context.js';
import { assembleHandIn, contextBody, contextHandIn, contextToJson } from '../line/context-hand-in.js';
import { readContext } from '../line/read-trace.js';
import { reassemble, type Reassembled } from '../line/run-context.js';
import { bindAnswer } from '../spans/bind-answer.js';
import { spanLimits } from '../spans/limits.js';
import { callerOf } from './access.js';
import { createPlaces } from './places.js';
import { assertIds, notFound, sendJson, type GatewayApp, type RouteContext } from './route-kit.js';
import { problems, runParams } from './schemas.js';
import { contextSchema, recordedContextSchema, spansSchema } from './trace-schemas.js';

/** Evidence of a run as one text for a prompt: made, asked for again, and answers bound to it. */

/** Texts are made, counted and cut in this process: a few at a time. */
const CONTEXTS = 8;
const CONTEXTS_EACH = 4;

const ASK_BYTES = 512 * 1024;
/** JSON may take six bytes for one character of an answer. */
const ANSWER_BYTES = 6 * spanLimits.answerChars + 1024;

const contextParams = runParams.extend({
  context_id: z.string().regex(/^[0-9a-f]{32}$/, 'must be a context_id, 32 hexadecimal digits'),
});

const answerBody = z
  .strictObject({
    answer: z.string().max(spanLimits.answerChars).describe('Plain text with markers: [S1], [1], [1, 2], ….'),
    unit: z
      .enum(['utf16', 'code_points', 'utf8_bytes'])
      .nullish()
      .describe('What places count; utf16 by default.'),
  })
  .meta({ id: 'AnswerRequest', description: 'An answer to bind to its sources.' });

export function contextRoutes(app: GatewayApp, context: RouteContext): void {
  const places = createPlaces('contexts are made', CONTEXTS, CONTEXTS_EACH);

  async function inPlace<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const leave = places.take(caller);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async function recordedIn(runId: string, contextId: string): Promise<RecordedContext> {
    const recorded = await readContext(context.line(), runId, contextId);
    if (recorded === null) throw notFound(`context ${contextId} of run ${runId}`);
    return recorded;
  }

  app.post(
    '/v1/runs/:run_id/contexts',
    {
      config: { scopes: ['lookup'] },
      bodyLimit: ASK_BYTES,
      schema: {
        operationId: 'assembleContext',
        summary: 'Put evidence of the run into one text for a prompt',
        description: 'It is recorded before it is sent. The same again is the same context.',
        tags: ['contexts'],
        params: runParams,
        body: contextBody,
        response: { 200: contextSchema, ...problems },
      },
    },
    async (request, reply) => {
      assertIds(request.params);
      const handIn = contextHandIn(request.params.run_id, request.body);
      const assembled = await inPlace(callerOf(request), () => assembleHandIn(context.line(), handIn));
      return sendJson(reply, contextToJson(assembled));
    },
  );

  app.get(
    '/v1/runs/:run_id/contexts/:context_id',
    {
      config: { scopes: ['read', 'lookup'] },
      schema: {
        operationId: 'getContext',
        summary: 'A context as it was recorded, with its text made again from the ledger',
        tags: ['contexts'],
        params: contextParams,
        response: { 200: recordedContextSchema, ...problems },
      },
    },
    async (request, reply) => {
      assertIds(request.params);
      const { run_id: runId, context_id: contextId } = request.params;
      const json = await inPlace(callerOf(request), async () => {
        const recorded = await recordedIn(runId, contextId);
        return contextJson(recorded, await reassemble(context.line(), recorded));
      });
      return sendJson(reply, json);
    },
  );

  app.post(
    '/v1/runs/:run_id/contexts/:context_id/spans',
    {
      config: { scopes: ['read', 'lookup'] },
      bodyLimit: ANSWER_BYTES,
      schema: {
        operationId: 'bindAnswer',
        summary: 'Cut an answer into sentences, and say which sources of the context each one cites',
        tags: ['contexts'],
        params: contextParams,
        body: answerBody,
        response: { 200: spansSchema, ...problems },
      },
    },
    async (request, reply) => {
      assertIds(request.params);
      const { run_id: runId, context_id: contextId } = request.params;
      const { answer, unit } = request.body;
      const made = await inPlace(callerOf(request), async () =>
        reassemble(context.line(), await recordedIn(runId, contextId)),
      );
      if ('gone' in made) throw textGone(runId, made.gone);
      return sendJson(
        reply,
        toSnakeJson(bindAnswer(answer, made.context, { unit: unit ?? 'utf16' })) as object,
      );
    },
  );
}

/** Without the text it cannot be told which markers were copied out of it. */
function textGone(runId: string, why: string): ProoflineError {
  return new ProoflineError('PL_CONTEXT_REFUSED', { run_id: runId, problem: `its text is gone: ${why}` });
}

function contextJson(recorded: RecordedContext, made: Reassembled): JsonObject {
  if ('context' in made) return { ...contextToJson(made.context), gone: null };
  const { contextId, runId, query, textSha256, budget, toolCallIds, itemCount, citations } = recorded;
  const known = { contextId, runId, query, textSha256, budget, toolCallIds, itemCount, citations };
  return { ...(toSnakeJson(known) as JsonObject), text: null, gone: made.gone };
}
