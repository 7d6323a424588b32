import type { Failure, Hit } from '../contracts/generated.js';
import type { JsonObject } from '../contracts/json.js';

/** One question to the knowledge base. */
export interface KnowledgeQuery {
  readonly query: string;
  /** `hybrid` or `semantic`: passed on to a retriever that knows them, echoed by one that does not. */
  readonly mode: string;
  /** The retriever's own filters. Nothing between the agent and the retriever understands them. */
  readonly filters: JsonObject;
  /** Hits wanted at most. */
  readonly topK: number;
}

/**
 * How a search ended. These are values because all of them are expected:
 * - `hits`: an answer. No hits is a normal answer; the trace's `no_evidence_basis` then says why.
 * - `failed`: this question gets no answer, and asking it again as it is would not help this lookup.
 * - `down`: nothing is known about the question. The retriever answers nobody now; ask again later.
 */
export type SearchOutcome =
  | { readonly kind: 'hits'; readonly hits: readonly Hit[]; readonly trace: JsonObject }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'down'; readonly problem: string; readonly retryAfterMs: number | null };

export interface SearchOptions {
  /** Gives the question up. */
  readonly signal?: AbortSignal;
}

/**
 * Where passages come from. Governing them (limits, grades, what the agent is shown) is not this port's job.
 *
 * An implementation
 * - MUST answer with a SearchOutcome whatever the query holds: empty, huge, malformed, hostile;
 * - MUST reject with `signal.reason` when the signal aborts, and MUST NOT reject for anything else;
 * - MUST number hits from 1 in the order of its trust, and MUST NOT return more than `topK`, except where a
 *   remote service does: what it sends is passed on as it came;
 * - MUST say `failed`, not `hits`, when it does not understand a filter: an ignored filter shows an agent
 *   what it must not see;
 * - MUST say `down`, not `failed`, when a later attempt may answer the same question;
 * - MUST NOT put secrets (tokens, passwords in addresses) or text of a foreign body into messages;
 * - MUST NOT wait out a service that is down: the caller owns the waiting and its limit;
 * - MUST bound what it reads from elsewhere in bytes and in time;
 * - MUST take concurrent searches;
 * - after `close`, which MAY be called more than once, MUST answer `down`.
 */
export interface KnowledgeSearch {
  /** For logs and metrics: `py-rag`, `local`. */
  readonly name: string;
  search(query: KnowledgeQuery, options?: SearchOptions): Promise<SearchOutcome>;
  close(): Promise<void>;
}
