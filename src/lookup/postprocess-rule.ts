import type { RawHits } from '../contracts/generated.js';
import { parseJson } from '../contracts/json.js';
import type { EvidenceLimits } from '../evidence/limits.js';
import { lookupResultJson } from '../evidence/lookup-result-json.js';
import { governHits, type LookupResult } from '../evidence/lookup-result.js';
import { refusal } from '../evidence/refusal.js';
import { invocation } from '../station/invocation.js';
import type { Invocation, Message, Outcome, RecordSize } from '../station/station.js';
import { rerankedFacts } from '../trace/hit-facts.js';

/** The rule of the postprocess station. What is no HITS passes through untouched. */
export function decidePostprocess({ value }: Message<'raw-hits.v1'>, limits: EvidenceLimits): Outcome {
  if (value.outcome !== 'HITS') return passThrough(value);
  const result = governHits(value.query, value.hits, parseJson(value.retrievalTraceJson), limits);
  return {
    kind: 'emit',
    records: [
      { topic: 'postprocessed.v1', body: { ...carried(value), lookupResult: lookupResultJson(result) } },
    ],
    invocation: governedNote(value, result),
  };
}

/** A lookup whose result no record can hold fails: it is not lost, and nothing of it is shown. */
export function failTooLarge({ value }: Message<'raw-hits.v1'>, size: RecordSize): Outcome {
  const { error } = refusal('PL_EVIDENCE_TOO_LARGE', { ...size });
  const body = { ...carried(value), outcome: 'FAILURE' as const, failure: error };
  return {
    kind: 'emit',
    records: [{ topic: 'postprocessed.v1', body }],
    invocation: note(value, {
      outcome: 'FAILURE',
      code: error.code,
      countIn: value.hits.length,
      countOut: 0,
    }),
  };
}

function passThrough(value: RawHits): Outcome {
  const { outcome, failure } = value;
  const mark = outcome === 'REPEAT' || outcome === 'REFUSED' ? { mark: outcome } : {};
  return {
    kind: 'emit',
    records: [{ topic: 'postprocessed.v1', ...mark, body: carried(value) }],
    invocation: note(value, { outcome, code: failure?.code ?? null, countIn: 0, countOut: 0 }),
  };
}

function carried(value: RawHits) {
  const { toolCallId, toolName, outcome, requestEventId, requestSha256, requestOffset, expiresAt, failure } =
    value;
  return {
    toolCallId,
    toolName,
    outcome,
    requestEventId,
    requestSha256,
    requestOffset,
    expiresAt,
    lookupResult: null,
    failure,
  };
}

function note(
  { toolCallId, toolName, query }: RawHits,
  fields: Pick<Invocation, 'outcome' | 'code' | 'countIn' | 'countOut'>,
): Invocation {
  return invocation({ kind: 'POSTPROCESS', toolCallId, toolName, query, ...fields });
}

/** The audit keeps the order of all hits, each with its final rank or the reason why it was dropped. */
function governedNote(value: RawHits, result: LookupResult): Invocation {
  const { relevanceLevel, topSimilarity, isLowQuality, dropped, candidateCount, evidenceBlockCount } = result;
  const facts = {
    ...rerankedFacts(value.hits, { blocks: result.evidenceBlocks, dropped }),
    packed_chars: result.contextPack.usedChars,
    omitted_sources: result.contextPack.omittedSources,
  };
  return invocation({
    kind: 'POSTPROCESS',
    outcome: 'HITS',
    toolCallId: value.toolCallId,
    toolName: value.toolName,
    query: value.query,
    relevanceLevel,
    topSimilarity,
    isLowQuality,
    countIn: candidateCount,
    countOut: evidenceBlockCount,
    dropped,
    facts,
  });
}
