import type { Measured, ToolInvocation } from '../contracts/generated.js';
import { isJsonObject, parseJson, type JsonObject } from '../contracts/json.js';
import { RERANK, UNFILTERED_VECTOR } from '../evidence/map-hits.js';
import { factsOf, numberIn, objectsIn, textIn } from './facts.js';
import { traceLimits } from './limits.js';

/**
 * How the evidence of one lookup came about: which hits there were, in which order they were looked at, what each
 * became, and how long it took. A hit may be in here and not be shown to anybody.
 */
export interface LookupTrace {
  readonly toolCallId: string;
  /** The request that was answered. */
  readonly requestEventId: string | null;
  /** READY, FAILED, REFUSED, …; null while it is not answered. */
  readonly outcome: string | null;
  readonly code: string | null;
  readonly query: string | null;
  readonly mode: string | null;
  readonly topK: number | null;
  /** As the caller planned it; null where nobody planned. */
  readonly queryPlan: JsonObject | null;
  /** The retriever's own account; null where it gave none, or one that is too large to tell. */
  readonly retrievalTrace: JsonObject | null;
  /** In retrieval's order; null where retrieval brought none. */
  readonly retrievedHits: readonly RetrievedHit[] | null;
  /** In their final order, all of them; null where it came to none. */
  readonly rerankedHits: readonly RerankedHit[] | null;
  /** How many hits the audit did not keep, for want of room. */
  readonly leftOut: { readonly retrieved: number; readonly reranked: number };
  readonly measured: Readonly<Record<Stage, Measured | null>>;
  /** Milliseconds on the wall clock; null where it was not reached, or not done. */
  readonly durations: Readonly<Record<'plan' | Stage | 'assemble' | 'total', number | null>>;
}

/** A stage of a lookup, by the kind of what its station notes. */
export const STAGES = { retrieve: 'RETRIEVE', postprocess: 'POSTPROCESS', project: 'PROJECT' } as const;
export type Stage = keyof typeof STAGES;

export interface RetrievedHit {
  readonly evidenceKey: string;
  readonly documentId: string | null;
  /** Place in retrieval's answer, from 1. */
  readonly originalRank: number | null;
  readonly score: number | null;
  /** What kind of score it is. */
  readonly scoreLabel: string | null;
  readonly attempt: string | null;
  /** Its text, where texts were asked for; null where it is gone. */
  readonly content?: string | null;
}

export interface RerankedHit {
  readonly evidenceKey: string;
  readonly originalRank: number | null;
  /** Place among what became evidence, from 1; null where it was dropped. */
  readonly finalRank: number | null;
  /** From 0 to 1; null where it was dropped, or where its score says nothing of the kind. */
  readonly qualityScore: number | null;
  /** BLANK, DUPLICATE, KEY_COLLISION, DOC_CAP or TOTAL_CAP; null where it was kept. */
  readonly dropped: string | null;
}

/**
 * @param notes what the stations noted of the call, in order
 * @param assembleMs how long a context of it took, where there is one
 */
export function lookupTrace(
  toolCallId: string,
  notes: readonly ToolInvocation[],
  assembleMs: number | null,
): LookupTrace {
  const note = (stage: Stage): ToolInvocation | undefined => firstOf(notes, STAGES[stage]);
  const [retrieve, postprocess, project] = [note('retrieve'), note('postprocess'), note('project')];
  const [asked, ranked] = [factsOf(retrieve), factsOf(postprocess)];
  const queryPlan = isJsonObject(asked['query_plan']) ? asked['query_plan'] : null;
  const measured = measuredOf({ retrieve, postprocess, project });
  return {
    toolCallId,
    requestEventId: retrieve?.causedBy ?? null,
    outcome: project?.outcome ?? null,
    code: project?.code ?? postprocess?.code ?? retrieve?.code ?? null,
    query: retrieve?.query ?? null,
    mode: textIn(asked['mode']),
    topK: numberIn(asked['top_k']),
    queryPlan,
    retrievalTrace: retrievalTraceOf(retrieve),
    retrievedHits: listIn(asked['retrieved_hits'], retrievedHit),
    rerankedHits: listIn(ranked['reranked_hits'], rerankedHit),
    leftOut: {
      retrieved: numberIn(asked['retrieved_left_out']) ?? 0,
      reranked: numberIn(ranked['reranked_left_out']) ?? 0,
    },
    measured,
    durations: {
      plan: numberIn(queryPlan?.['duration_ms']),
      retrieve: took(measured.retrieve),
      postprocess: took(measured.postprocess),
      project: took(measured.project),
      assemble: assembleMs,
      total: totalOf(measured),
    },
  };
}

/** The request's first time through a station: a repeat of it, or another one under its id, is told elsewhere. */
function firstOf(notes: readonly ToolInvocation[], kind: string): ToolInvocation | undefined {
  const ofKind = notes.filter((note) => note.kind === kind);
  return ofKind.find(({ outcome }) => outcome !== 'REPEAT' && outcome !== 'REFUSED') ?? ofKind[0];
}

function measuredOf(notes: Readonly<Record<Stage, ToolInvocation | undefined>>): LookupTrace['measured'] {
  return {
    retrieve: notes.retrieve?.measured ?? null,
    postprocess: notes.postprocess?.measured ?? null,
    project: notes.project?.measured ?? null,
  };
}

/** A clock that was set back meanwhile took no time. */
export function took(measured: Measured | null): number | null {
  return measured === null ? null : Math.max(0, measured.finishedAt - measured.startedAt);
}

/** From when retrieval began until the view was frozen: with what the stations waited for each other. */
function totalOf({ retrieve, project }: LookupTrace['measured']): number | null {
  if (retrieve === null || project === null) return null;
  return took({ startedAt: retrieve.startedAt, finishedAt: project.finishedAt });
}

function retrievalTraceOf(retrieve: ToolInvocation | undefined): JsonObject | null {
  const text = retrieve?.retrievalTraceJson ?? null;
  if (text === null || text.length > traceLimits.planChars) return null;
  const trace = parseJson(text);
  return isJsonObject(trace) ? trace : null;
}

function listIn<T>(value: unknown, read: (hit: JsonObject) => T): T[] | null {
  return Array.isArray(value) ? objectsIn(value).map(read) : null;
}

function retrievedHit(hit: JsonObject): RetrievedHit {
  return {
    evidenceKey: textIn(hit['evidence_key']) ?? '',
    documentId: textIn(hit['document_id']),
    originalRank: numberIn(hit['original_rank']),
    score: numberIn(hit['score']),
    scoreLabel: 'score_label' in hit ? textIn(hit['score_label']) : RERANK,
    attempt: 'attempt' in hit ? textIn(hit['attempt']) : UNFILTERED_VECTOR,
  };
}

function rerankedHit(hit: JsonObject): RerankedHit {
  return {
    evidenceKey: textIn(hit['evidence_key']) ?? '',
    originalRank: numberIn(hit['original_rank']),
    finalRank: numberIn(hit['final_rank']),
    qualityScore: numberIn(hit['quality_score']),
    dropped: textIn(hit['dropped']),
  };
}
