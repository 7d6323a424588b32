import { ProoflineError } from '../contracts/errors.js';
import type { Failure, Hit } from '../contracts/generated.js';
import type { JsonObject } from '../contracts/json.js';
import { postprocess, type EvidenceBlock } from '../evidence/postprocess.js';
import { rankedHits } from '../evidence/ranked-hits.js';
import { contextAssembler, type ContextAssembler } from './assemble.js';
import { contextHitOfHit, type Citation } from './citation.js';

/** What is asked: of a `KnowledgeSearch`, in its own words. */
export interface SearchQuery {
  readonly query: string;
  readonly mode: string;
  readonly filters: JsonObject;
  readonly topK: number;
}

/** A retriever's answer: that of `KnowledgeSearch.search`. */
export type Retrieved =
  | { readonly kind: 'hits'; readonly hits: readonly Hit[]; readonly trace: JsonObject }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'down'; readonly problem: string };

export interface SearchPorts {
  readonly search: (query: SearchQuery) => Promise<Retrieved>;
  /** Default: all hits, with labels, without a budget. */
  readonly assembler?: ContextAssembler;
  /** Monotonic milliseconds; without it the trace has no durations. */
  readonly now?: () => number;
}

/** A hit in the final order: with its rank, or with the reason why it is no evidence. */
export interface RankedHit extends Hit {
  readonly finalRank: number | null;
  readonly dropped: string | null;
}

/** How the hits changed on their way. A hit may be in here and not among the citations. */
export interface SearchTrace {
  readonly retrievedHits: readonly Hit[];
  readonly rerankedHits: readonly RankedHit[];
  readonly retrievalTrace: JsonObject;
  /** Milliseconds; null without a clock. */
  readonly durations: {
    readonly retrieve: number;
    readonly postprocess: number;
    readonly assemble: number;
    readonly total: number;
  } | null;
}

export interface SearchResult {
  readonly query: string;
  /** The evidence: governed, in its final order. */
  readonly hits: readonly EvidenceBlock[];
  /** For a prompt. It belongs to no run, so that nothing in it can be cited by a report. */
  readonly context: string;
  readonly citations: readonly Citation[];
  /** Only where it was asked for. */
  readonly trace?: SearchTrace;
}

/**
 * Retrieves, governs and assembles. No hits are an answer: an empty context.
 * @throws ProoflineError PL_RETRIEVAL_DOWN, PL_RETRIEVAL_FAILED, PL_INPUT_INVALID of the assembler.
 */
export async function searchContext(
  query: SearchQuery,
  ports: SearchPorts,
  { includeTrace = false }: { readonly includeTrace?: boolean } = {},
): Promise<SearchResult> {
  const { assembler = contextAssembler(), now = () => 0 } = ports;
  const started = now();
  const { hits, trace: retrievalTrace } = hitsOf(await ports.search(query));
  const retrieved = now();
  const governed = postprocess(hits);
  const postprocessed = now();
  const { text, citations } = assembler(query.query, governed.blocks.map(contextHitOfHit));
  const assembled = now();
  const result = { query: query.query, hits: governed.blocks, context: text, citations };
  if (!includeTrace) return result;
  const durations = {
    retrieve: retrieved - started,
    postprocess: postprocessed - retrieved,
    assemble: assembled - postprocessed,
    total: assembled - started,
  };
  const trace: SearchTrace = {
    retrievedHits: hits,
    rerankedHits: rankedHits(hits, governed).map(({ hit, block, dropped }) => ({
      ...hit,
      finalRank: block?.finalRank ?? null,
      dropped,
    })),
    retrievalTrace,
    durations: ports.now === undefined ? null : durations,
  };
  return { ...result, trace };
}

function hitsOf(retrieved: Retrieved): Extract<Retrieved, { kind: 'hits' }> {
  switch (retrieved.kind) {
    case 'hits':
      return retrieved;
    case 'failed': {
      const { code, message } = retrieved.failure;
      throw new ProoflineError('PL_RETRIEVAL_FAILED', { problem: `${code} ${message}` });
    }
    case 'down':
      throw new ProoflineError('PL_RETRIEVAL_DOWN', { problem: retrieved.problem });
  }
}
