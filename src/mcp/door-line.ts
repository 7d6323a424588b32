import { isProoflineError } from '../contracts/errors.js';
import { isJsonObject, type JsonObject } from '../contracts/json.js';
import type { DoorClient } from '../line/line-client.js';
import type {
  AgentLine,
  DraftReply,
  Failure,
  HandedDraft,
  LookupReply,
  Pending,
  Refusal,
} from './agent-line.js';

/** Drafts whose texts are kept so that they can be asked about: at most 256 KiB each. */
const KEPT_DRAFTS = 64;

/**
 * The line behind its doors: in this process, behind the socket of the one that runs, or in Kafka. A draft is asked
 * about by handing it in again: the same text under the same id is the same draft.
 */
export function doorLine(client: DoorClient): AgentLine {
  const handedIn = new Map<string, HandedDraft>();

  function keep(draft: HandedDraft): void {
    const name = nameOf(draft);
    handedIn.delete(name);
    handedIn.set(name, draft);
    const [oldest] = handedIn.keys();
    if (handedIn.size > KEPT_DRAFTS && oldest !== undefined) handedIn.delete(oldest);
  }

  async function submit(draft: HandedDraft): Promise<DraftReply> {
    keep(draft);
    return orPending(async () => ({ state: 'JUDGED', answer: await client.submit(draft) }));
  }

  return {
    lookup: (lookup) => orPending(async () => replyOf((await client.lookup(lookup)).projected)),
    submit: (draft) => submit(draft),
    async draft(draft) {
      const known = handedIn.get(nameOf(draft));
      return known === undefined ? null : submit(known);
    },
    close: () => client.close(),
  };
}

function nameOf({ runId, draftId }: { readonly runId: string; readonly draftId: string }): string {
  return `${runId} ${draftId}`;
}

async function orPending<T>(ask: () => Promise<T>): Promise<T | Pending | Refusal> {
  try {
    return await ask();
  } catch (error) {
    if (isProoflineError(error, 'PL_TIMEOUT')) return { state: 'PENDING' };
    if (isNobodyThere(error)) return { state: 'REFUSED', failure: NOT_RUNNING };
    throw error;
  }
}

/** The socket of a line that was stopped. It may come back under the same path. */
function isNobodyThere(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === 'ECONNREFUSED' || code === 'ENOENT';
}

const NOT_RUNNING: Failure = {
  code: 'PL_NOT_SERVING',
  message: 'The line that this server asks does not run now',
  retryable: true,
};

/** The reply that a ProjectedEvidence in its JSON form makes. */
export function replyOf(projected: JsonObject): LookupReply {
  const { state, agent_view: agentView } = projected;
  if (state !== 'READY' || typeof agentView !== 'string')
    return { state: 'REFUSED', failure: failureOf(projected['failure']) };
  return {
    state,
    agentView,
    agentViewSha256: textOf(projected['agent_view_sha256']),
    gain: textOf(projected['gain']),
    repeat: projected['repeat'] === true,
    expiresAt: textOf(projected['expires_at']),
  };
}

function failureOf(failure: unknown): Failure {
  const { code, message, retryable } = isJsonObject(failure) ? failure : {};
  return {
    code: textOf(code) ?? 'PL_LOOKUP_LOST',
    message: textOf(message) ?? 'The lookup has no evidence, and nothing says why',
    retryable: retryable === true,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
