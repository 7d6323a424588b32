import type {
  Generation,
  GuardVerdict,
  PromptRef,
  RepairRequested,
  Reviewed,
  VerifiedDraft,
} from '../contracts/generated.js';
import type { JsonObject } from '../contracts/json.js';
import { snakeCase } from '../contracts/names.js';
import { clientError } from './api-error.js';
import { ask, DEFAULT_WAIT_MS } from './ask.js';
import { jsonOf, recordOf, unusable, type Received } from './records.js';
import { idInPath, limitsJson, type RunLimits } from './run-options.js';
import type { ApiRequest, Transport } from './transport.js';

/** A report that is handed in, and what became of it. */

export interface DraftOptions {
  /** One is made up without it. Handing the same text in again under it is answered the same. */
  readonly draftId?: string;
  /** Number of the draft in the run, from 1; the run counts without it. */
  readonly attempt?: number;
  /** The prompt that the model was given. */
  readonly prompt?: PromptRef;
  /** What producing it took. */
  readonly generation?: Partial<Generation>;
  /** How long to wait for the verdict, in milliseconds; 30 s by default. After it the draft is still judged. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

interface Judged {
  readonly draftId: string;
  readonly verdict: Received<GuardVerdict>;
  readonly reviewed: Received<Reviewed>;
}

/** What became of a draft. Only what is PUBLISHED may be shown to anybody as the run's report. */
export type DraftResult =
  | (Judged & { readonly decision: 'PUBLISH'; readonly verified: Received<VerifiedDraft> })
  /** Give `repair.promptEn` or `repair.promptZh` to the model, and hand in what it makes of it. */
  | (Judged & { readonly decision: 'REPAIR'; readonly repair: Received<RepairRequested> })
  /** A person has to decide. */
  | (Judged & { readonly decision: 'HOLD' })
  /** The run is over without a report. */
  | (Judged & { readonly decision: 'FALLBACK'; readonly verified: Received<VerifiedDraft> })
  /** The run has its outcome already, or a later draft was judged. */
  | (Judged & { readonly decision: 'STALE' })
  | { readonly decision: 'PENDING'; readonly draftId: string };

export interface DraftContext {
  readonly transport: Transport;
  readonly runId: string;
  readonly limits: RunLimits | undefined;
}

export interface DraftToSend {
  readonly draftId: string;
  readonly attempt: number;
  /** The model's text, as it wrote it; null gives the run up. */
  readonly draftJson: string | null;
}

export function submitDraft(
  context: DraftContext,
  { draftId, attempt, draftJson }: DraftToSend,
  { prompt, generation, waitMs, signal }: DraftOptions,
): Promise<DraftResult> {
  const body = {
    draft_id: draftId,
    ...(draftJson === null ? { given_up: true } : { draft_json: draftJson }),
    attempt,
    prompt,
    generation: generation === undefined ? undefined : snake(generation),
    ...limitsJson(context.limits),
  };
  const path = `/v1/runs/${idInPath('run_id', context.runId)}/drafts`;
  const first = { method: 'POST', path, body } as const;
  return judged(context, draftId, first, waitMs ?? DEFAULT_WAIT_MS, signal);
}

/** Asks until the draft is judged, or for as long as the caller waits. */
export function waitForDraft(
  context: DraftContext,
  draftId: string,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<DraftResult> {
  return judged(context, draftId, looking(context, draftId), waitMs, signal);
}

async function judged(
  context: DraftContext,
  draftId: string,
  first: ApiRequest,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<DraftResult> {
  const then = looking(context, draftId);
  const answer = await ask(context.transport, { first, then, waitMs, signal });
  return answer === null ? { decision: 'PENDING', draftId } : resultOf(draftId, jsonOf(answer.bytes));
}

function looking({ runId }: DraftContext, draftId: string): ApiRequest {
  const path = `/v1/runs/${idInPath('run_id', runId)}/drafts/${idInPath('draft_id', draftId)}`;
  return { method: 'GET', path };
}

function resultOf(draftId: string, json: JsonObject): DraftResult {
  const { decision } = json;
  const judged = {
    draftId,
    verdict: recordOf<GuardVerdict>(json, 'verdict'),
    reviewed: recordOf<Reviewed>(json, 'reviewed'),
  };
  switch (decision) {
    case 'PUBLISH':
    case 'FALLBACK':
      return { ...judged, decision, verified: recordOf<VerifiedDraft>(json, 'verified') };
    case 'REPAIR':
      return { ...judged, decision, repair: recordOf<RepairRequested>(json, 'repair') };
    case 'HOLD':
    case 'STALE':
      return { ...judged, decision };
    default:
      throw unusable(`it decides ${printable(decision)}, which this client does not know`);
  }
}

function printable(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : typeof value;
}

/**
 * The text of a draft: a string is the model's own and is sent as it is.
 * @throws ProoflineApiError PL_INPUT_INVALID for what is no JSON
 */
export function draftText(draft: unknown): string {
  if (typeof draft === 'string') return draft;
  const text = JSON.stringify(draft) as string | undefined;
  if (text === undefined) throw clientError('PL_INPUT_INVALID', { problem: 'the draft is no JSON' });
  return text;
}

function snake(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [snakeCase(key), value]));
}
