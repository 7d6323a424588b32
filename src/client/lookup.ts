import type { AgentView, Gain } from '../contracts/generated.js';
import { parseAgentView } from '../evidence/parse-agent-view.js';
import { clientError, isProoflineApiError, type BilingualText, type ProoflineApiError } from './api-error.js';
import { ask, DEFAULT_WAIT_MS } from './ask.js';
import { sha256Hex, textOfBody } from './read-body.js';
import { unusable } from './records.js';
import { idInPath, limitsJson, madeUpId, type RunLimits } from './run-options.js';
import type { ApiAnswer, Transport } from './transport.js';

/** A question to the knowledge base inside a run. */

export interface LookupOptions {
  /** The model's own id of the tool call; one is made up without it. Asking again under it is answered the same. */
  readonly toolCallId?: string;
  /** `hybrid` (default) or `semantic`. */
  readonly mode?: string;
  readonly filters?: Readonly<Record<string, unknown>>;
  /** Hits to ask for; 10 by default. */
  readonly topK?: number;
  /** How long the evidence may be cited, in milliseconds; 24 hours by default. */
  readonly ttlMs?: number;
  readonly includeTrace?: boolean;
  /** How long to wait for the answer, in milliseconds; 30 s by default. After it the lookup goes on. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** What became of a lookup. */
export type LookupResult =
  | {
      readonly state: 'READY';
      readonly toolCallId: string;
      /** What to give the model: the text as it came, byte for byte. */
      readonly agentView: string;
      /** The same, read. */
      readonly view: AgentView;
      /** What it adds to what the run was shown before; null on a repeat. */
      readonly gain: Gain | null;
      /** True when the lookup had been answered before. */
      readonly repeat: boolean;
      /** RFC 3339: until when it may be cited; null where the gateway does not say. */
      readonly expiresAt: string | null;
      readonly eventId: string | null;
    }
  | LookupFailure
  | LookupRefusal
  | { readonly state: 'PENDING'; readonly toolCallId: string };

/** The lookup failed for good. Where it is retryable a new one, under another id, may succeed. */
export interface LookupFailure {
  readonly state: 'FAILED';
  readonly toolCallId: string;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** What to tell the model, where there is a fixed text. */
  readonly text: BilingualText | null;
}

/** The run may look nothing up any more: the model is to hand in its report. */
export interface LookupRefusal {
  readonly state: 'REFUSED';
  readonly toolCallId: string;
  readonly code: 'PL_STOP_REQUIRED';
  /** What to tell the model. */
  readonly text: BilingualText;
}

export interface LookupContext {
  readonly transport: Transport;
  readonly runId: string;
  readonly limits: RunLimits | undefined;
  /** Whether the view is held against the digest that the gateway names. */
  readonly checkViews: boolean;
}

export async function lookUp(
  context: LookupContext,
  query: string,
  options: LookupOptions = {},
): Promise<LookupResult> {
  const { toolCallId = madeUpId('call'), waitMs = DEFAULT_WAIT_MS, signal } = options;
  const path = `/v1/runs/${idInPath('run_id', context.runId)}/lookups`;
  const first = { method: 'POST', path, body: bodyOf(toolCallId, query, options, context) } as const;
  const then = { method: 'GET', path: `${path}/${idInPath('tool_call_id', toolCallId)}` } as const;
  try {
    const answer = await ask(context.transport, { first, then, waitMs, signal });
    return answer === null ? { state: 'PENDING', toolCallId } : await readyOf(context, toolCallId, answer);
  } catch (error) {
    if (isProoflineApiError(error)) return outcomeOf(toolCallId, error);
    throw error;
  }
}

function bodyOf(
  toolCallId: string,
  query: string,
  options: LookupOptions,
  { limits }: LookupContext,
): unknown {
  return {
    tool_call_id: toolCallId,
    query,
    mode: options.mode,
    filters: options.filters,
    top_k: options.topK,
    ttl_ms: options.ttlMs,
    include_trace: options.includeTrace,
    ...limitsJson(limits),
  };
}

async function readyOf(
  { checkViews }: LookupContext,
  toolCallId: string,
  { headers, bytes }: ApiAnswer,
): Promise<LookupResult> {
  if (checkViews) await checkDigest(bytes, headers.get('proofline-agent-view-sha256'));
  const agentView = textOfBody(bytes);
  const reading = parseAgentView(agentView, toolCallId);
  if ('problem' in reading) throw unusable(`it is no agent view of ${toolCallId}: ${reading.problem}`);
  return {
    state: 'READY',
    toolCallId,
    agentView,
    view: reading.view,
    gain: gainOf(headers.get('proofline-gain')),
    repeat: headers.get('proofline-repeat') === 'true',
    expiresAt: headers.get('proofline-expires-at'),
    eventId: headers.get('proofline-event-id'),
  };
}

async function checkDigest(bytes: Uint8Array, expected: string | null): Promise<void> {
  if (!('subtle' in crypto))
    throw clientError('PL_INPUT_INVALID', {
      problem:
        'there is no WebCrypto on a page without https; createClient({checkViews: false}) does without',
    });
  if (expected === null) throw unusable('it has no digest (header proofline-agent-view-sha256)');
  if ((await sha256Hex(bytes)) !== expected) throw unusable('its bytes are not those that the gateway sent');
}

function gainOf(text: string | null): Gain | null {
  return text === 'NEW' || text === 'UNCHANGED' || text === 'NONE' ? text : null;
}

const FAILED_DEPENDENCY = 424;

/** What the line answers is an outcome; what the request, the caller or the way there is at fault for is thrown. */
function outcomeOf(toolCallId: string, error: ProoflineApiError): LookupFailure | LookupRefusal {
  const { code, message, retryable, text, status } = error;
  if (code === 'PL_STOP_REQUIRED' && text !== null) return { state: 'REFUSED', toolCallId, code, text };
  if (status === FAILED_DEPENDENCY) return { state: 'FAILED', toolCallId, code, message, retryable, text };
  throw error;
}
