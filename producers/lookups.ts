import { sha256 } from '../src/contracts/digest.js';
import { ProoflineError } from '../src/contracts/errors.js';
import type { Limits, LookupRequested } from '../src/contracts/generated.js';
import { assertValidId, lookupEventId, requestSha256 } from '../src/contracts/ids.js';
import type { JsonObject } from '../src/contracts/json.js';
import { nestsAtMost } from '../src/evidence/foreign-json.js';
import { evidenceLimits } from '../src/evidence/limits.js';

/** One question of an agent. What is left out has the default given. */
export interface Lookup {
  readonly runId: string;
  /** The model's own id of the tool call. */
  readonly toolCallId: string;
  readonly query: string;
  /** `hybrid` (default) or `semantic`. */
  readonly mode?: string;
  /** The retriever's filters; none by default. */
  readonly filters?: JsonObject;
  /** Hits to ask for; 10 by default. */
  readonly topK?: number;
  /** How long the evidence may be cited, in milliseconds; 24 hours by default. */
  readonly ttlMs?: number | null;
  readonly includeTrace?: boolean;
  readonly limits?: Limits | null;
}

const TOOL_NAME = 'lookup_knowledge';

/**
 * The message of a lookup. Asking the same again makes the same event id, and is answered with the same bytes.
 * @param now when the agent asks, epoch milliseconds
 * @throws ProoflineError PL_ID_INVALID; PL_INPUT_INVALID for filters that are nested too deeply to be digested
 */
export function lookupRequested(lookup: Lookup, now: number): LookupRequested {
  const { runId, toolCallId, mode = 'hybrid', filters = {}, topK = 10 } = lookup;
  assertValidId('run_id', runId);
  assertValidId('tool_call_id', toolCallId);
  const query = lookup.query.toWellFormed();
  const filtersJson = filtersText(filters);
  const digest = requestSha256(sha256, {
    toolName: TOOL_NAME,
    query,
    mode,
    filters: JSON.parse(filtersJson),
    topK,
  });
  return {
    eventId: lookupEventId(sha256, { runId, toolCallId, requestSha256: digest }),
    causedBy: null,
    runId,
    occurredAt: now,
    toolCallId,
    toolName: TOOL_NAME,
    query,
    mode,
    filtersJson,
    topK,
    ttlMs: lookup.ttlMs ?? null,
    includeTrace: lookup.includeTrace ?? false,
    requestSha256: digest,
    limits: lookup.limits ?? null,
    queryPlanJson: null,
    ext: {},
  };
}

/** `JSON.stringify` writes a lone surrogate, and nothing else, as an escape that begins with `\ud`. */
const ESCAPE = /\\(?:(ud[89a-f]..)|.)/g;

function filtersText(filters: JsonObject): string {
  if (!nestsAtMost(filters, evidenceLimits.jsonDepth))
    throw new ProoflineError('PL_INPUT_INVALID', { problem: 'the filters are nested too deeply' });
  return JSON.stringify(filters).replace(ESCAPE, (escape, lone?: string) =>
    lone === undefined ? escape : '\ufffd',
  );
}
