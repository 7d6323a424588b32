import type { ErrorCode, ErrorParams } from '../contracts/errors.js';
import { mapHits } from '../evidence/map-hits.js';
import { refusal } from '../evidence/refusal.js';
import type { SearchOutcome } from './knowledge-search.js';

/** The ways a search ends, as every retriever words them. */

export function failed(code: ErrorCode, params: ErrorParams): SearchOutcome {
  return { kind: 'failed', failure: refusal(code, params).error };
}

export function down(problem: string, retryAfterMs: number | null = null): SearchOutcome {
  return { kind: 'down', problem, retryAfterMs };
}

/** An answer in py-rag's shape as hits, or PL_RETRIEVAL_CONTRACT where it breaks that shape. */
export function answered(response: unknown): SearchOutcome {
  const mapped = mapHits(response);
  if ('error' in mapped) return { kind: 'failed', failure: mapped.error };
  return { kind: 'hits', hits: mapped.hits, trace: mapped.trace };
}
