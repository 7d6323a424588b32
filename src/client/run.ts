import type { JsonObject } from '../contracts/json.js';
import { DEFAULT_WAIT_MS } from './ask.js';
import { draftText, submitDraft, waitForDraft, type DraftOptions, type DraftResult } from './draft.js';
import type { StreamOptions } from './event-stream.js';
import { lookUp, type LookupOptions, type LookupResult } from './lookup.js';
import { jsonOf } from './records.js';
import type { RetryPolicy } from './retry.js';
import { runEvents, type RunEvent } from './run-events.js';
import { idInPath, madeUpId, type RunLimits } from './run-options.js';
import type { Transport } from './transport.js';

export interface RunOptions {
  /** One is made up without it. A run that is known already is gone on with. */
  readonly runId?: string;
  readonly limits?: RunLimits;
}

/** One agent's job. Everything that is asked or handed in may be repeated under its id, and then happens once. */
export interface Run {
  readonly runId: string;
  /** @throws ProoflineApiError; the reason of the signal when it aborts */
  lookup(query: string, options?: LookupOptions): Promise<LookupResult>;
  /**
   * Hands a draft in: the model's text as it wrote it, or an object.
   * @throws as `lookup`
   */
  submitDraft(draft: unknown, options?: DraftOptions): Promise<DraftResult>;
  /** Ends the run without a report: it gets the fixed FALLBACK. */
  giveUp(options?: Pick<DraftOptions, 'draftId' | 'waitMs' | 'signal'>): Promise<DraftResult>;
  /**
   * What became of a draft that was handed in; PENDING when it is not judged within the time.
   * @throws as `lookup`
   */
  waitForVerdict(
    draftId: string,
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<DraftResult>;
  /** The run's story, as `proofline trail --json` prints it. */
  trail(options?: { signal?: AbortSignal }): Promise<JsonObject>;
  /** The run's progress: what is known, then what comes. It ends when the signal aborts or the caller breaks. */
  events(options?: Pick<StreamOptions, 'lastEventId' | 'signal'>): AsyncGenerator<RunEvent>;
}

export interface RunContext {
  readonly transport: Transport;
  readonly retry: RetryPolicy;
  readonly checkViews: boolean;
}

export function createRun(client: RunContext, { runId = madeUpId('run'), limits }: RunOptions = {}): Run {
  const { transport } = client;
  const base = `/v1/runs/${idInPath('run_id', runId)}`;
  const context = { transport, runId, limits, checkViews: client.checkViews };
  const attempts = new Map<string, number>();

  /** A draft keeps its number, however often it is handed in. */
  function attemptOf(draftId: string): number {
    const attempt = attempts.get(draftId) ?? attempts.size + 1;
    attempts.set(draftId, attempt);
    return attempt;
  }

  function handIn(draftJson: string | null, options: DraftOptions): Promise<DraftResult> {
    const { draftId = madeUpId('draft') } = options;
    const attempt = options.attempt ?? attemptOf(draftId);
    return submitDraft(context, { draftId, attempt, draftJson }, options);
  }

  return {
    runId,
    lookup: (query, options) => lookUp(context, query, options),
    submitDraft: async (draft, options = {}) => handIn(draftText(draft), options),
    giveUp: async (options = {}) => handIn(null, options),
    waitForVerdict: async (draftId, { timeoutMs = DEFAULT_WAIT_MS, signal } = {}) =>
      waitForDraft(context, draftId, timeoutMs, signal),
    trail: async ({ signal } = {}) =>
      jsonOf((await transport.send({ method: 'GET', path: `${base}/trail`, signal })).bytes),
    events: (options = {}) =>
      runEvents(transport, runId, { ...options, path: `${base}/events`, retry: client.retry }),
  };
}
