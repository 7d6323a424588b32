import type { Hit } from '../contracts/generated.js';
import { isJsonObject } from '../contracts/json.js';
import type { JsonObject } from '../contracts/json.js';
import { isBlank } from '../text/text.js';
import { int32OrNull, nestsAtMost, textOrNull } from './foreign-json.js';
import { evidenceLimits } from './limits.js';
import type { EvidenceLimits } from './limits.js';
import { refusal } from './refusal.js';
import type { Refusal } from './refusal.js';

/** The one place that knows the names of py-rag's API v1; from here on there are only hits. */

export interface MappedHits {
  /** Retrieval's hits in its order; none when it says that it has no evidence. */
  readonly hits: readonly Hit[];
  /** How retrieval went about it: opaque, for the audit. */
  readonly trace: JsonObject;
}

/** The label of a score that is an absolute quality from 0 to 1. */
export const RERANK = 'rerank';

/** The only kind of retrieval attempt that is made today; old runs carry others. */
export const UNFILTERED_VECTOR = 'UNFILTERED_VECTOR';

/**
 * py-rag's answer as hits and trace, or PL_RETRIEVAL_CONTRACT naming the first thing that breaks its contract.
 * `no_evidence` is a normal answer: hits that came with it are not even looked at, and counted in the trace
 * as `ignored_hits`.
 */
export function mapHits(response: unknown, limits: EvidenceLimits = evidenceLimits): MappedHits | Refusal {
  if (!isJsonObject(response)) return broken('the answer is not an object');
  const { hits, evidence_status: status } = response;
  if (!Array.isArray(hits)) return broken('hits is not an array');
  if (status !== 'supported' && status !== 'no_evidence')
    return broken('evidence_status is neither supported nor no_evidence');
  const trace = traceOf(response['retrieval_trace'], limits.jsonDepth);
  if (status === 'no_evidence') return { hits: [], trace: noteIgnored(trace, hits.length) };
  return mapEach(hits, trace);
}

function broken(problem: string): Refusal {
  return refusal('PL_RETRIEVAL_CONTRACT', { problem });
}

function traceOf(trace: unknown, depth: number): JsonObject {
  if (!isJsonObject(trace)) return {};
  if (nestsAtMost(trace, depth)) return trace;
  return { trace_omitted: `nested deeper than ${depth} levels` };
}

function noteIgnored(trace: JsonObject, ignored: number): JsonObject {
  return ignored > 0 ? { ...trace, ignored_hits: ignored } : trace;
}

function mapEach(entries: readonly unknown[], trace: JsonObject): MappedHits | Refusal {
  const hits: Hit[] = [];
  for (const [index, entry] of entries.entries()) {
    const problem = problemOf(entry);
    if (problem !== null) return broken(`hits[${index}]${problem}`);
    hits.push(hitOf(entry as PyRagHit, index));
  }
  return { hits, trace };
}

/** The three fields that a hit cannot do without; the others are read one by one. */
type PyRagHit = JsonObject & {
  readonly evidence_key: string;
  readonly document_id: string;
  readonly excerpt: string;
};

function problemOf(entry: unknown): string | null {
  if (!isJsonObject(entry)) return ' is not an object';
  if (!isName(entry['evidence_key'])) return '.evidence_key is not a non-blank string';
  if (!isName(entry['document_id'])) return '.document_id is not a non-blank string';
  if (typeof entry['excerpt'] !== 'string') return '.excerpt is not a string';
  return null;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && !isBlank(value);
}

function hitOf(entry: PyRagHit, index: number): Hit {
  const evidenceKey = entry.evidence_key.toWellFormed();
  return {
    evidenceKey,
    documentId: entry.document_id.toWellFormed(),
    chunkIndex: chunkIndexOf(evidenceKey),
    content: entry.excerpt.toWellFormed(),
    score: finiteOrNull(entry['quality_score']),
    scoreLabel: RERANK,
    originalRank: index + 1,
    attempt: UNFILTERED_VECTOR,
    source: textOrNull(entry['source']),
    title: textOrNull(entry['title']),
    breadcrumb: textOrNull(entry['breadcrumb']),
    sourceUri: textOrNull(entry['source_uri']),
    pageNumber: int32OrNull(entry['page_number']),
    sectionTitle: textOrNull(entry['section_title']),
  };
}

/** N of a final `#chunk-N`; null without one, and where it is no 32-bit integer. */
function chunkIndexOf(evidenceKey: string): number | null {
  const digits = /#chunk-(\d+)$/.exec(evidenceKey)?.[1];
  return digits === undefined ? null : int32OrNull(Number(digits));
}

function finiteOrNull(value: unknown): number | null {
  return Number.isFinite(value) ? (value as number) : null;
}
