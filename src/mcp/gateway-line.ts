import { createClient, isProoflineApiError, type DraftResult, type LookupResult } from '../client/index.js';
import { sha256 } from '../contracts/digest.js';
import { toSnakeJson, type JsonObject } from '../contracts/json.js';
import type { AgentLine, DraftReply, LookupReply, Refusal } from './agent-line.js';

export interface GatewayOptions {
  readonly url: string;
  readonly token: string | null;
}

/**
 * The line behind a gateway.
 * @throws ProoflineApiError PL_INPUT_INVALID for a URL that is none
 */
export function gatewayLine({ url, token }: GatewayOptions): AgentLine {
  const client = createClient({ url, ...(token === null ? {} : { token }) });
  const runOf = (runId: string) => client.createRun({ runId });
  return {
    lookup: ({ runId, toolCallId, query }, { ms, signal }) =>
      orRefused(async () =>
        lookupReply(await runOf(runId).lookup(query, { toolCallId, waitMs: ms, signal })),
      ),
    submit: ({ runId, draftId, draftJson, attempt, prompt }, { ms, signal }) =>
      orRefused(async () =>
        draftReply(
          await runOf(runId).submitDraft(draftJson, { draftId, attempt, prompt, waitMs: ms, signal }),
        ),
      ),
    draft: ({ runId, draftId }, { ms, signal }) =>
      orRefused(async () => {
        try {
          return draftReply(await runOf(runId).waitForVerdict(draftId, { timeoutMs: ms, signal }));
        } catch (error) {
          if (isProoflineApiError(error, 'PL_NOT_FOUND')) return null;
          throw error;
        }
      }),
    close: () => Promise.resolve(),
  };
}

/** What the gateway, or the way to it, says no with is an answer. */
async function orRefused<T>(ask: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await ask();
  } catch (error) {
    if (!isProoflineApiError(error)) throw error;
    const { code, message, retryable } = error;
    return { state: 'REFUSED', failure: { code, message, retryable } };
  }
}

function lookupReply(result: LookupResult): LookupReply {
  switch (result.state) {
    case 'READY': {
      const { state, agentView, gain, repeat, expiresAt } = result;
      return { state, agentView, agentViewSha256: sha256(agentView), gain, repeat, expiresAt };
    }
    case 'FAILED': {
      const { code, message, retryable } = result;
      return { state: 'REFUSED', failure: { code, message, retryable } };
    }
    case 'REFUSED':
      return { state: 'REFUSED', failure: { code: result.code, message: result.text.en, retryable: false } };
    case 'PENDING':
      return { state: 'PENDING' };
  }
}

function draftReply(result: DraftResult): DraftReply {
  if (result.decision === 'PENDING') return { state: 'PENDING' };
  const { verdict, reviewed } = result;
  return {
    state: 'JUDGED',
    answer: {
      verdict: jsonOf(verdict),
      reviewed: jsonOf(reviewed),
      repair: 'repair' in result ? jsonOf(result.repair) : null,
    },
  };
}

function jsonOf(record: object): JsonObject {
  return toSnakeJson(record) as JsonObject;
}
